import { Agent, request } from "node:http";

/** Time after which a read counts as failed, even though it may be answered yet. */
const PATIENCE_MS = 30_000;
/** The node, or each node that a proxy tried, does not have the client's block. */
const BEHIND = -32002;

export interface ReadCounts {
  answered: number;
  /** Answered with 503 because no node had the client's block in time; the client asks again. */
  behind: number;
  /** Reasons. */
  failed: string[];
  /** Answers at an older block than the client had seen. */
  old: string[];
  maxMs: number;
}

const READS = [
  { method: "node_getBlockNumber", params: [] },
  { method: "node_getL2Tips", params: [] },
  { method: "node_getBlock", params: ["latest"] },
  { method: "node_getBlockHeader", params: [1] },
  { method: "node_getBlocks", params: [1, 3] },
  { method: "svc_getBlockData", params: [{ number: 2 }] },
] as const;

interface Reply {
  status: number;
  block: string;
  text: string;
}

/** Clients that read through a load balancer, each never older than it has read before. */
export class ReadLoad {
  readonly #url: string;
  readonly #pauseMs: number;
  readonly #agent: Agent;
  readonly #clients: Promise<void>[];
  #counts = emptyCounts();
  #ended = false;

  constructor(url: string, { clients, pauseMs }: { clients: number; pauseMs: number }) {
    this.#url = url;
    this.#pauseMs = pauseMs;
    this.#agent = new Agent({ keepAlive: true, maxSockets: clients });
    this.#clients = Array.from({ length: clients }, (_, i) => this.#read(i));
  }

  /** Counts since the last call. */
  take(): ReadCounts {
    const counts = this.#counts;
    this.#counts = emptyCounts();
    return counts;
  }

  get answered(): number {
    return this.#counts.answered;
  }

  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  async #read(client: number): Promise<void> {
    let mark = 0;
    for (let i = client; !this.#ended; i++) {
      const { method, params } = READS[i % READS.length];
      const started = performance.now();
      try {
        const { status, block, text } = await this.#ask(method, params, mark);
        const error = errorOf(text);
        const counts = this.#counts;
        counts.maxMs = Math.max(counts.maxMs, performance.now() - started);
        if (status === 503 && error?.code === BEHIND) {
          counts.behind += 1;
          // Blocks may have been taken back by a reorg: what the client had seen is no longer to be had.
          mark = 0;
        } else if (status !== 200 || error !== undefined) {
          counts.failed.push(
            `${method}: HTTP ${status} ${text.slice(0, 200)} (after ${Math.round(performance.now() - started)} ms)`,
          );
        } else {
          const number = Number(block.split(" ")[0]);
          if (block === "" || number < mark) counts.old.push(`${method} at ${block || "no block"} after ${mark}`);
          mark = number;
          counts.answered += 1;
        }
      } catch (error) {
        this.#counts.failed.push(`${method}: ${error instanceof Error ? error.message : error}`);
      }
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
    }
  }

  #ask(method: string, params: readonly unknown[], mark: number): Promise<Reply> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...(mark > 0 && { "x-svc-min-block": String(mark) }),
    };
    return new Promise((resolve, reject) => {
      const options = { method: "POST", agent: this.#agent, headers, signal: AbortSignal.timeout(PATIENCE_MS) };
      const asked = request(this.#url, options, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            block: String(response.headers["x-svc-block"] ?? ""),
            text: Buffer.concat(parts).toString("utf8"),
          }),
        );
      });
      asked.on("error", reject);
      asked.end(body);
    });
  }
}

/** Of an answer in JSON; a proxy's own answers are pages. */
function errorOf(text: string): { code?: number } | undefined {
  try {
    return (JSON.parse(text) as { error?: { code: number } }).error;
  } catch {
    return {};
  }
}

function emptyCounts(): ReadCounts {
  return { answered: 0, behind: 0, failed: [], old: [], maxMs: 0 };
}
