import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname, "requests.lua");

/** Eight base64 letters of a body that differ in each request; see requests.lua. */
export const MARK = "@@@@@@@@";

/** A marked body with fixed letters, to send once. */
export function unmarked(body: string): string {
  return body.replace(MARK, "AAAAAAAA");
}

/** Thrown if the load generator is not installed. */
export class WrkMissingError extends Error {
  constructor() {
    super("wrk, the load generator, is not on PATH; install it: apt-get install wrk");
    this.name = "WrkMissingError";
  }
}

/** Thrown if a load failed or got wrong answers. */
export class LoadError extends Error {
  readonly url: string;
  readonly output: string;

  constructor(url: string, rule: string, output: string) {
    super(`load on ${url}: ${rule}`);
    this.name = "LoadError";
    this.url = url;
    this.output = output;
  }
}

export interface Load {
  perSecond: number;
  requests: number;
  /** Milliseconds by percentile, ascending; 100 is the largest. */
  latencies: [percentile: number, ms: number][];
}

export interface LoadOptions {
  url: string;
  /**
   * Bodies of POST requests, sent in turn by every connection. A MARK in each is replaced by other letters in every
   * request of a generator's thread.
   */
  bodies: readonly string[];
  seconds: number;
  /** Lowers the generator's priority, so that it takes as little from the node as one on another machine. */
  lowPriority?: boolean;
  threads?: number;
  connections?: number;
  /** Mean pause of a connection between an answer and its next request; none by default. */
  thinkMs?: number;
}

interface Summary {
  requests: number;
  durationUs: number;
  failed: number;
  latenciesUs: [number, number][];
}

export function latencyAt({ latencies }: Load, percentile: number): number {
  const found = latencies.find(([p]) => p === percentile);
  if (found === undefined) throw new RangeError(`no latency is kept for percentile ${percentile}`);
  return found[1];
}

const AT_LOW_PRIORITY = ["nice", "-n", "10"];

function run(args: string[], lowPriority = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, ...rest] = [...(lowPriority ? AT_LOW_PRIORITY : []), "wrk", ...args];
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (part: Buffer) => {
      output += part.toString("utf8");
    });
    child.stderr.on("data", (part: Buffer) => {
      output += part.toString("utf8");
    });
    child.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ENOENT" ? new WrkMissingError() : error),
    );
    child.once("close", () => resolve(output));
  });
}

/** Throws WrkMissingError if wrk does not run. */
export async function requireWrk(): Promise<void> {
  await run(["--version"]);
}

/** Drives a server with closed-loop connections for some seconds. Throws LoadError if any answer was not HTTP 200. */
export async function load(options: LoadOptions): Promise<Load> {
  const { url, bodies, seconds, lowPriority, threads = 1, connections = 32, thinkMs = 0 } = options;
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-load-"));
  try {
    const file = join(folder, "bodies");
    writeFileSync(file, bodies.join("\n"));
    const args = [
      `-t${threads}`,
      `-c${connections}`,
      `-d${seconds}s`,
      "--timeout",
      "30s",
      "-s",
      SCRIPT,
      url,
      "--",
      file,
      String(thinkMs),
    ];
    const output = await run(args, lowPriority);
    const line = /^\{"requests".*\}$/m.exec(output)?.[0];
    if (line === undefined) throw new LoadError(url, `wrk gave no summary: ${output.trim().slice(-300)}`, output);
    const summary: Summary = JSON.parse(line);
    if (summary.failed > 0)
      throw new LoadError(url, `${summary.failed} of ${summary.requests} requests failed`, output);
    if (summary.requests === 0) throw new LoadError(url, "no request was answered", output);
    return {
      perSecond: (summary.requests * 1e6) / summary.durationUs,
      requests: summary.requests,
      latencies: summary.latenciesUs.map(([p, us]) => [p, us / 1000]),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Body of a JSON-RPC call. */
export function call(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
}

interface RpcAnswer {
  result?: unknown;
  error?: unknown;
}

/** Sends one request, possibly a batch. Throws LoadError if an answer is not a result. */
export async function answerTo(url: string, body: string): Promise<unknown> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  const text = await response.text();
  if (!response.ok) throw new LoadError(url, `HTTP ${response.status} to ${body.slice(0, 120)}`, text);
  const answer: RpcAnswer | RpcAnswer[] = JSON.parse(text);
  const results = [answer].flat().map((one) => {
    if (one.error === undefined && "result" in one) return one.result;
    throw new LoadError(url, `no result to ${body.slice(0, 120)}: ${text.slice(0, 200)}`, text);
  });
  return Array.isArray(answer) ? results : results[0];
}
