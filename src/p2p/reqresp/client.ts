import type { Connection, Libp2p, Stream } from "@libp2p/interface";
import { peerIdFromString } from "@libp2p/peer-id";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerPenalties } from "../peers/penalties.ts";
import {
  type RequestAnswer,
  type RequestClient,
  type RequestOptions,
  type RequestProtocol,
  RequestStatus,
} from "../peers/request-client.ts";
import { declaredLength, maxCompressedLength, uncompressBlock } from "../streams/snappy-block.ts";
import { ByteRoom } from "./byte-room.ts";
import { MAX_REQUEST_BYTES, PROTOCOLS } from "./protocols.ts";
import { isAnswered, type RequestCounts } from "./request-counts.ts";
import { isPeersFault, NoRoomError, RequestCancelledError, RequestTimeoutError, rootCause } from "./request-fault.ts";
import { NO_BODY } from "./request-handler.ts";
import { readAll, sendFrame } from "./stream-io.ts";

export interface RequestTimeouts {
  /** To open a stream, in milliseconds. */
  dialMs: number;
  /** From the opened stream to the end of the answer. */
  requestMs: number;
}

const REQUEST_TIMEOUTS: RequestTimeouts = { dialMs: 5000, requestMs: 10_000 };

/** Bytes of answers being received, compressed and decompressed. */
const BYTES = 128 * 1024 * 1024;

interface ClientOptions {
  penalties: PeerPenalties;
  log: Logger;
  timeouts?: RequestTimeouts;
  counts?: RequestCounts;
}

/** Statuses that peers send. */
const SENT_STATUSES = new Set<number>([
  RequestStatus.SUCCESS,
  RequestStatus.RATE_LIMIT_EXCEEDED,
  RequestStatus.BADLY_FORMED_REQUEST,
  RequestStatus.INTERNAL_ERROR,
  RequestStatus.NOT_FOUND,
]);

const FAILURE: RequestAnswer = { status: RequestStatus.FAILURE, body: NO_BODY };
const UNKNOWN: RequestAnswer = { status: RequestStatus.UNKNOWN, body: NO_BODY };

/** Requests over streams of the host's connections; it never dials (docs/protocol/10-peers.md#1013-requestresponse). */
export class StreamRequestClient implements RequestClient {
  readonly #host: Pick<Libp2p, "getConnections">;
  readonly #penalties: PeerPenalties;
  readonly #log: Logger;
  readonly #timeouts: RequestTimeouts;
  readonly #counts: RequestCounts | undefined;
  #isStopped = false;
  /** Ends a request each. */
  readonly #cancels = new Set<() => void>();
  readonly #room = new ByteRoom({ overall: BYTES, perPeer: BYTES });
  readonly #openOf = new Map<string, number>();

  constructor(
    host: Pick<Libp2p, "getConnections">,
    { penalties, log, timeouts = REQUEST_TIMEOUTS, counts }: ClientOptions,
  ) {
    this.#host = host;
    this.#penalties = penalties;
    this.#log = log;
    this.#timeouts = timeouts;
    this.#counts = counts;
  }

  /** Requests that wait for an answer of `peer`. */
  openRequests(peer: string): number {
    return this.#openOf.get(peer) ?? 0;
  }

  /** Ends all requests; later ones fail at once. */
  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#cancels) cancel();
  }

  async request(
    peer: string,
    protocol: RequestProtocol,
    request: Uint8Array,
    options: RequestOptions = {},
  ): Promise<RequestAnswer> {
    this.#openOf.set(peer, this.openRequests(peer) + 1);
    const counts = this.#counts?.[protocol];
    if (counts !== undefined) counts.sent++;
    try {
      const answer = await this.#request(peer, protocol, request, options);
      if (counts !== undefined && !isAnswered(answer.status)) counts.failedOutbound++;
      return answer;
    } catch (error) {
      if (counts !== undefined) counts.failedOutbound++;
      this.#fault(peer, protocol, error);
      return FAILURE;
    } finally {
      const left = this.openRequests(peer) - 1;
      if (left > 0) this.#openOf.set(peer, left);
      else this.#openOf.delete(peer);
    }
  }

  async #request(
    peer: string,
    protocol: RequestProtocol,
    request: Uint8Array,
    options: RequestOptions,
  ): Promise<RequestAnswer> {
    const { id, answerLimit } = PROTOCOLS[protocol];
    if (request.length === 0 || request.length > MAX_REQUEST_BYTES) {
      this.#log.warn(
        { protocol, bytes: request.length },
        "a {protocol} request of {bytes:byte} was not sent: it must fit one frame and not be empty",
      );
      return FAILURE;
    }
    const limit = options.maxBytes ?? answerLimit(request);
    const connection = this.#connection(peer);
    if (connection === undefined || this.#isStopped || options.signal?.aborted === true) return FAILURE;
    const ended = new AbortController();
    const cancel = (): void => ended.abort(new RequestCancelledError());
    this.#cancels.add(cancel);
    options.signal?.addEventListener("abort", cancel);
    let held = 0;
    const hold = (bytes: number): void => {
      if (!this.#room.take(peer, bytes)) throw new NoRoomError();
      held += bytes;
    };
    try {
      const { dialTimeoutMs = this.#timeouts.dialMs, timeoutMs = this.#timeouts.requestMs } = options;
      const stream = await within(ended, dialTimeoutMs, "opening a stream", () =>
        connection.newStream(id, { signal: ended.signal }),
      );
      const abort = (): void => stream.abort(ended.signal.reason);
      ended.signal.addEventListener("abort", abort);
      if (ended.signal.aborted) abort();
      const answer = await within(ended, timeoutMs, "the answer", () => exchange(stream, request, limit, hold));
      return await this.#decoded(peer, protocol, answer, limit, hold);
    } finally {
      this.#cancels.delete(cancel);
      options.signal?.removeEventListener("abort", cancel);
      this.#room.release(peer, held);
    }
  }

  async #decoded(
    peer: string,
    protocol: RequestProtocol,
    answer: Uint8Array,
    limit: number,
    hold: (bytes: number) => void,
  ): Promise<RequestAnswer> {
    if (answer.length === 0 || !SENT_STATUSES.has(answer[0])) return UNKNOWN;
    const status = answer[0] as RequestStatus;
    if (status !== RequestStatus.SUCCESS || answer.length === 1) return { status, body: NO_BODY };
    const block = answer.subarray(1);
    try {
      hold(Math.min(declaredLength(block), limit));
      return { status, body: await uncompressBlock(block, limit) };
    } catch (error) {
      this.#log.debug({ peer, protocol, err: String(error) }, "the {protocol} answer of {peer} cannot be decompressed");
      return UNKNOWN;
    }
  }

  /** Undefined if the peer is not connected, or the text is no peer id. */
  #connection(peer: string): Connection | undefined {
    try {
      return this.#host.getConnections(peerIdFromString(peer)).find(({ status }) => status === "open");
    } catch {
      return undefined;
    }
  }

  #fault(peer: string, protocol: RequestProtocol, error: unknown): void {
    const cause = rootCause(error);
    this.#log.debug({ peer, protocol, err: cause.message }, "a {protocol} request to {peer} failed");
    if (protocol === "goodbye" || !isPeersFault(cause) || this.#connection(peer) === undefined) return;
    this.#penalties.penalize(peer, "high", `${protocol} request failed: ${cause.message}`);
  }
}

/** Aborts `ended` when the time is up. Work that fails after an abort rejects with the reason of the abort. */
async function within<T>(ended: AbortController, ms: number, step: string, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => ended.abort(new RequestTimeoutError(step, ms)), ms);
  try {
    return await work();
  } catch (error) {
    throw ended.signal.aborted ? ended.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

/** The whole answer: status byte, then the compressed body. A stream on which it fails is reset. */
async function exchange(
  stream: Stream,
  request: Uint8Array,
  limit: number,
  hold: (bytes: number) => void,
): Promise<Uint8Array> {
  try {
    const answer = readAll(stream, 1 + maxCompressedLength(limit), hold);
    // Awaited below; the answer may fail while the request is still being sent.
    answer.catch(() => undefined);
    await sendFrame(stream, request);
    await stream.close();
    return await answer;
  } catch (error) {
    stream.abort(rootCause(error));
    throw error;
  }
}
