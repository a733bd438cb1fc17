import { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { Endpoint } from "../../endpoints/hedged-call.ts";
import { wholeExchange } from "../../http/exchange.ts";
import type { Logger } from "../../telemetry/logger.ts";

const PROBE_MS = 2_000;
const MAX_PROBE_BYTES = 64 * 1024;

/** A node with its health. */
export interface UpstreamEndpoint extends Endpoint {
  /** Of its JSON-RPC port. */
  readonly url: string;
}

/** A node answered with something else than JSON-RPC, as a proxy does whose node is down. */
export class NoJsonRpcError extends Error {
  override readonly name = "NoJsonRpcError";

  constructor(status: number) {
    super(`the full node answered with HTTP status ${status}`);
  }
}

/** The nodes that a thread forwards to, with what their answers have shown of them. */
export class UpstreamEndpoints {
  readonly #urls: () => readonly string[];
  readonly #book: EndpointBook;

  /** `urls` are in order of preference, as they are now. */
  constructor(urls: () => readonly string[], log: Logger) {
    this.#urls = urls;
    this.#book = new EndpointBook({ logger: log });
  }

  current(): UpstreamEndpoint[] {
    return this.#urls().map((url) => ({ url, health: this.#book.of("upstream", url, probeOf(url)) }));
  }
}

/** Succeeds if the node answers at all, healthy or not. */
const probeOf = (url: string) => async (signal: AbortSignal) => {
  const call = { url: `${url.replace(/\/+$/, "")}/live`, signal } as const;
  const { status } = await wholeExchange(call, { totalMs: PROBE_MS, maxBytes: MAX_PROBE_BYTES });
  if (status >= 500) throw new NoJsonRpcError(status);
};
