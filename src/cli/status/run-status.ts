import { HttpError } from "../../http/errors.ts";
import { wholeExchange } from "../../http/exchange.ts";
import { redactUrl } from "../../http/redact.ts";
import { JsonError, parseJson } from "../../json/parse-json.ts";

/** Exit codes of `svc status`. */
export const READY = 0;
export const NOT_READY = 1;
export const NO_ANSWER = 2;

export interface StatusFlags {
  url: string;
  maxLagBlocks?: string;
  maxL1AgeSeconds?: string;
  minPeers?: string;
  timeout: string;
  json?: true;
}

/** The node gives no usable answer, or the question is wrong. */
class StatusError extends Error {}

const MAX_BYTES = 1024 * 1024;
const MAX_TIMEOUT_SECONDS = 3600;

interface Reply {
  status: number;
  text: string;
  value: Record<string, unknown>;
}

async function ask(url: URL, timeoutMs: number): Promise<Reply> {
  try {
    const call = { url, signal: AbortSignal.timeout(timeoutMs) };
    const { status, body } = await wholeExchange(call, { totalMs: timeoutMs, maxBytes: MAX_BYTES });
    if (status === 404) throw new StatusError("does not know the path: is this the public port of a node?");
    const value = parseJson(body);
    if (typeof value !== "object" || value === null) throw new JsonError("is no object");
    return { status, text: body.toString("utf8").trim(), value: value as Record<string, unknown> };
  } catch (error) {
    if (error instanceof StatusError) throw new StatusError(`${redactUrl(url.href)} ${error.message}`);
    const what = error instanceof JsonError ? "gives no JSON" : undefined;
    if (what === undefined && !(error instanceof HttpError)) throw error;
    throw new StatusError(`${redactUrl(url.href)} ${what ?? (error as HttpError).message}`);
  }
}

function endpoint(base: string, path: string, query: Record<string, string | undefined>): URL {
  const url = URL.parse(base);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new StatusError("--url must be a URL: http://... or https://...");
  url.pathname = `${url.pathname.replace(/\/$/, "")}${path}`;
  url.search = new URLSearchParams(
    Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
  return url;
}

/** What a server says, on one line and without control characters. */
function shown(value: unknown): string {
  return String(value ?? "-")
    .replace(/\p{Cc}/gu, " ")
    .slice(0, 300);
}

type Row = Record<string, unknown>;
const rows = (value: unknown): Row[] =>
  Array.isArray(value) ? value.filter((row): row is Row => typeof row === "object" && row !== null) : [];

/** A node that stands by, or whose thread does not answer, has no report beside its reasons. */
function asText(ready: boolean, reasons: Row[], report: Row): string {
  const verdict = ready ? "ready" : "not ready";
  const facts = [
    `block ${shown(report.blockNumber)} (${shown(report.lagBlocks)} behind)`,
    `L1 block ${shown(report.l1BlockNumber)} (${shown(report.l1AgeSeconds)} s old)`,
    report.peers === undefined ? "P2P is off" : `peers ${shown(report.peers)}`,
  ];
  const components = rows(report.components).map(
    ({ name, state, since, reason }) =>
      `  ${shown(name).padEnd(14)}${shown(state).padEnd(9)}since ${shown(since)}${reason === undefined ? "" : `  ${shown(reason)}`}`,
  );
  const broken = reasons.map(
    ({ component, rule, value, limit, reason }) =>
      `  ${shown(component)}: ${shown(rule)} is ${shown(value)}, must be ${shown(limit)}${reason === undefined ? "" : ` (${shown(reason)})`}`,
  );
  if (report.components === undefined) return [verdict, ...broken].join("\n");
  return [`${verdict}: ${facts.join(", ")}`, ...broken, "components:", ...components].join("\n");
}

/** Prints whether a node is ready. Returns the exit code. */
export async function runStatus(flags: StatusFlags): Promise<number> {
  try {
    const seconds = Number(flags.timeout);
    if (!(seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS)) {
      throw new StatusError(`--timeout must be a number of seconds above 0, at most ${MAX_TIMEOUT_SECONDS}`);
    }
    const { maxLagBlocks, maxL1AgeSeconds, minPeers } = flags;
    const limits = { maxLagBlocks, maxL1AgeSeconds, minPeers };
    const { status, text, value } = await ask(endpoint(flags.url, "/ready", limits), seconds * 1000);
    if (status === 400) {
      const { parameter, rule } = (value.error ?? {}) as Row;
      const flag = shown(parameter).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      throw new StatusError(`--${flag} ${shown(rule)}`);
    }
    if (status !== 200 && status !== 503) throw new StatusError(`answers with HTTP ${status}`);
    const ready = status === 200 && value.ready === true;
    if (flags.json) process.stdout.write(`${text}\n`);
    else {
      const { value: report } = await ask(endpoint(flags.url, "/status", { format: "json" }), seconds * 1000);
      process.stdout.write(`${asText(ready, rows(value.reasons), report)}\n`);
    }
    return ready ? READY : NOT_READY;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    process.stderr.write(`error: ${error.message}\n`);
    return NO_ANSWER;
  }
}
