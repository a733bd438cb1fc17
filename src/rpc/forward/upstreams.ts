import { AllEndpointsFailed, hedgedCall } from "../../endpoints/hedged-call.ts";
import { HttpError } from "../../http/errors.ts";
import { type WholeReply, wholeExchange } from "../../http/exchange.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { ClientPlaces } from "../../threads/client-places.ts";
import { BLOCK_HEADER, type Consistency, readMinBlock } from "../calls/consistency.ts";
import type { Forwarder } from "../calls/forwarder.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import { LIMIT_EXCEEDED, RESOURCE_UNAVAILABLE, RpcError } from "../jsonrpc/errors.ts";
import { clientNetwork } from "../limits/client-address.ts";
import type { Caller } from "../ports/caller.ts";
import { NoJsonRpcError, type UpstreamEndpoints } from "./upstream-endpoints.ts";
import { UpstreamKeyError, upstreamHeaders } from "./upstream-key.ts";

/** Calls of one thread that are under way at once, and those that may wait for their turn. */
const PLACES = { places: 64, maxWaiting: 1_024, maxWaitingPerClient: 256 };
const CALL_MS = 60_000;
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Errors of a connection that was never made: nothing has been sent. */
const NEVER_CONNECTED = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"]);
/**
 * Calls that may be sent to a second node when the first one may have taken them: reads, and the sending of a
 * transaction, which has the same effect twice. Methods of provers hand out work.
 */
const REPEATABLE = /^(node|svc|aztec|p2p)_/;
/** A call without an answer after this long is sent to the next node, if the first one answers no probe either. */
const HEDGE_MS = 1_000;
const UNAUTHORIZED = 401;
const OPENING_BRACE = 0x7b;

interface UpstreamsOptions {
  upstreams: UpstreamEndpoints;
  /** That the nodes ask of this process. */
  apiKey?: string;
  /** Until the own store has the block that an answer was made at, within limits, the answer is held back. */
  consistency?: Consistency;
  log: Logger;
}

/** Whether the node cannot have taken the call. */
function isUntaken(error: unknown): boolean {
  if (error instanceof UpstreamKeyError) return true;
  return error instanceof HttpError && error.code !== undefined && NEVER_CONNECTED.has(error.code);
}

/** Forwards calls to the public port of other nodes, by the policy of src/endpoints. */
export class Upstreams implements Forwarder {
  readonly #options: UpstreamsOptions;
  readonly #places = new ClientPlaces(PLACES);
  #away = false;

  constructor(options: UpstreamsOptions) {
    this.#options = options;
  }

  async forward(method: string, request: Uint8Array | string, caller: Caller | undefined): Promise<RpcAnswer> {
    const release = await this.#place(caller);
    try {
      return await this.#answered(await this.#ask(method, request, caller));
    } finally {
      release();
    }
  }

  async #place(caller: Caller | undefined): Promise<() => void> {
    try {
      return await this.#places.take(clientNetwork(caller?.client() ?? ""), caller?.signal());
    } catch (cause) {
      throw new RpcError(LIMIT_EXCEEDED, "The node is busy: too many calls are waiting", { cause });
    }
  }

  /** The first answer. Rejects with an RpcError. */
  async #ask(method: string, request: Uint8Array | string, caller: Caller | undefined): Promise<WholeReply> {
    const client = caller?.client() ?? "";
    const headers = {
      "content-type": "application/json",
      ...upstreamHeaders(this.#options.apiKey),
      // A node that trusts this process as a proxy counts the call as its client's.
      ...(client !== "" && { "x-forwarded-for": client }),
    };
    const mayRepeat = REPEATABLE.test(method);
    const signal = caller?.signal();
    const ask = async ({ url }: { url: string }, ended: AbortSignal): Promise<WholeReply> => {
      const call = { method: "POST", url, headers, body: request, signal: ended } as const;
      const reply = await wholeExchange(call, { totalMs: CALL_MS, maxBytes: MAX_ANSWER_BYTES });
      if (reply.status === UNAUTHORIZED) throw new UpstreamKeyError(url, this.#options.apiKey !== undefined);
      if (reply.body[0] !== OPENING_BRACE) throw new NoJsonRpcError(reply.status);
      return reply;
    };
    try {
      const reply = await hedgedCall(this.#options.upstreams.current(), ask, {
        kind: "call",
        hedge: "probe",
        hedgeMs: mayRepeat ? HEDGE_MS : CALL_MS,
        isOutage: (error) => !(error instanceof UpstreamKeyError),
        isFinal: (error) => !mayRepeat && !isUntaken(error),
        signal,
      });
      this.#found();
      return reply;
    } catch (error) {
      if (signal?.aborted) throw new RpcError(LIMIT_EXCEEDED, "The client did not wait for its answer");
      const failures = error instanceof AllEndpointsFailed ? error.failures.map((failure) => failure.error) : [error];
      const keyError = failures.find((failure) => failure instanceof UpstreamKeyError);
      const noJson = failures.find((failure) => failure instanceof NoJsonRpcError);
      if (keyError !== undefined) this.#lost(keyError);
      else if (noJson !== undefined) throw unavailable(`${noJson.message}, not JSON-RPC`, noJson);
      const why = keyError !== undefined ? "which does not take calls from this one" : "which cannot be reached";
      throw unavailable(`${method} needs a full node, ${why}`, keyError ?? failures.at(-1));
    }
  }

  async #answered({ status, headers, body }: WholeReply): Promise<RpcAnswer> {
    await this.#catchUp(headers.get(BLOCK_HEADER));
    const pause = headers.get("retry-after");
    return { status, body, ...(pause !== null && { headers: [["Retry-After", pause]] }) };
  }

  /** Later answers to this client come from the own store, and must not be older than this one. */
  async #catchUp(block: string | null): Promise<void> {
    const mark = block === null ? undefined : readMinBlock(block);
    if (mark !== undefined) await this.#options.consistency?.caughtUp(mark);
  }

  #found(): void {
    if (this.#away) this.#options.log.info({}, "calls are forwarded again");
    this.#away = false;
  }

  #lost(err: unknown): void {
    if (!this.#away) this.#options.log.warn({ err }, "calls that need a full node cannot be forwarded");
    this.#away = true;
  }
}

function unavailable(message: string, cause?: unknown): RpcError {
  return new RpcError(RESOURCE_UNAVAILABLE, message, { cause });
}
