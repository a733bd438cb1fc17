import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import { hedgedCall } from "../../endpoints/hedged-call.ts";
import { wholeExchange } from "../../http/exchange.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { ReadinessLimits } from "../../rpc/ports/node-health.ts";

const ASK_MS = 1_000;
const ANSWER_MS = 5_000;
const MAX_BYTES = 1024 * 1024;

/** What a node says of itself at /status?format=json, as far as it is used here. */
interface NodeReport {
  blockNumber: number;
  /** Blocks that L1 has and the node does not. */
  lagBlocks: number;
  limits: ReadinessLimits;
}

/** Asks a node for its state once a second, by the policy of src/endpoints. */
export class UpstreamNode {
  readonly #url: () => string | undefined;
  readonly #endpoints: EndpointBook;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #report: NodeReport | undefined;
  #answeredAt: number;

  /** `url` is that of its JSON-RPC port; `endpoints` has its health; `now` gives milliseconds. */
  constructor(url: () => string | undefined, endpoints: EndpointBook, now: () => number = () => performance.now()) {
    this.#url = url;
    this.#endpoints = endpoints;
    this.#now = now;
    this.#answeredAt = now();
    void this.#ask();
  }

  /** The last report. */
  get report(): NodeReport | undefined {
    return this.#report;
  }

  /** Seconds since the node last answered, or since this process began to ask. */
  get awaySeconds(): number {
    return (this.#now() - this.#answeredAt) / 1_000;
  }

  async #ask(): Promise<void> {
    const url = this.#url();
    try {
      if (url !== undefined) {
        const health = this.#endpoints.of("upstream", url, (signal) => statusOf(url, signal));
        const report = await hedgedCall([{ health }], (_, signal) => statusOf(url, signal), {
          ...{ kind: "status", hedge: "probe", signal: this.#stop.signal },
          ...{ isOutage: () => true, isFinal: () => true },
        });
        this.#report = report ?? this.#report;
        this.#answeredAt = this.#now();
      }
    } catch {
      // The book of endpoints logs it. What counts is how long the node has been away.
    }
    if (!this.#stop.signal.aborted) this.#timer = setTimeout(() => void this.#ask(), ASK_MS).unref();
  }

  stop(): void {
    this.#stop.abort();
    clearTimeout(this.#timer);
  }
}

/** Undefined for what is no report of this kind of node. */
async function statusOf(url: string, signal: AbortSignal): Promise<NodeReport | undefined> {
  const call = { url: `${url}/status?format=json`, signal };
  const { body } = await wholeExchange(call, { totalMs: ANSWER_MS, maxBytes: MAX_BYTES });
  return reportIn(parseJson(body));
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;

/** Undefined for what is no report of this kind of node. */
function reportIn(value: unknown): NodeReport | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { blockNumber, lagBlocks, limits } = value as Record<string, unknown>;
  if (!isCount(blockNumber) || !isCount(lagBlocks)) return undefined;
  const given = typeof limits === "object" && limits !== null ? (limits as Record<string, unknown>) : {};
  const { maxLagBlocks, maxL1AgeSeconds } = given;
  return {
    blockNumber,
    lagBlocks,
    limits: { ...(isCount(maxLagBlocks) && { maxLagBlocks }), ...(isCount(maxL1AgeSeconds) && { maxL1AgeSeconds }) },
  };
}
