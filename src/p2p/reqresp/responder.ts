import type { Connection, Libp2p, Stream } from "@libp2p/interface";
import { compress, compressSync } from "snappy";
import { DecodeError } from "../../protocol/errors.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerPenalties } from "../peers/penalties.ts";
import { type RequestProtocol, RequestStatus } from "../peers/request-client.ts";
import { ByteRoom } from "./byte-room.ts";
import { MAX_REQUEST_BYTES, PROTOCOLS, type ProtocolRow } from "./protocols.ts";
import { isAnswered, type RequestCounts } from "./request-counts.ts";
import { type Answer, NO_BODY, type RequestHandler, type RequestHandlers } from "./request-handler.ts";
import { RequestRates } from "./request-rates.ts";
import { readRequest, sendAnswer } from "./stream-io.ts";

/** From the opened stream to its end; a requester of the reference waits no longer. */
const EXCHANGE_MS = 10_000;
/** Streams in which a peer may be asking, over all protocols and connections. */
const STREAMS_PER_PEER = 32;
const STREAMS = 1024;
/** Body of one answer before compression. Transactions beyond it are left out and can be asked for again. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;
/** Answers in preparation, on their way, or sent within the last second: bounds memory and work. */
const BYTES_PER_PEER = 16 * 1024 * 1024;
const BYTES = 64 * 1024 * 1024;
const REST_MS = 1000;
/** A stream that sends this much is ended; one whole request and a little more. */
const RECEIVED_BYTES = 2 * MAX_REQUEST_BYTES;
/** From here on a body is compressed on a thread of the runtime's pool. */
const ASYNC_BYTES = 64 * 1024;

interface ResponderOptions {
  handlers: RequestHandlers;
  penalties: PeerPenalties;
  /** A peer that asks although it is banned is disconnected. */
  isBanned(peer: string): boolean;
  log: Logger;
  counts?: RequestCounts;
  exchangeMs?: number;
  now?: () => number;
}

/**
 * Answers the requests of peers (docs/protocol/10-peers.md#1013-requestresponse). What a peer can hold is bounded:
 * streams, bytes of answers, and the time of an exchange.
 */
export class RequestResponder {
  readonly #options: ResponderOptions;
  readonly #streams = new Set<Stream>();
  readonly #streamsOf = new Map<string, number>();
  readonly #room = new ByteRoom({ overall: BYTES, perPeer: BYTES_PER_PEER });

  constructor(options: ResponderOptions) {
    this.#options = options;
  }

  /** Streams being answered. */
  get openStreams(): number {
    return this.#streams.size;
  }

  /** Bytes of answers in preparation, on their way, or sent within the last second. */
  get bytesHeld(): number {
    return this.#room.used;
  }

  /** Offers the protocols that have a handler. Do this before the host starts: peers ask as soon as they connect. */
  async register(host: Pick<Libp2p, "handle">): Promise<void> {
    for (const [name, handler] of Object.entries(this.#options.handlers) as [RequestProtocol, RequestHandler][]) {
      const protocol = PROTOCOLS[name];
      const limit = new RequestRates(protocol, this.#options.now);
      const onStream = (stream: Stream, connection: Connection): void => {
        const peer = connection.remotePeer.toString();
        if (this.#options.isBanned(peer)) connection.abort(new Error("the peer is banned"));
        else if (this.#enter(stream, peer)) this.#serve(stream, { name, protocol, handler, limit, peer });
      };
      await host.handle(protocol.id, onStream, { maxInboundStreams: STREAMS_PER_PEER });
    }
  }

  /** Withdraws the protocols and ends all streams. */
  async unregister(host: Pick<Libp2p, "unhandle">): Promise<void> {
    const names = Object.keys(this.#options.handlers) as RequestProtocol[];
    await host.unhandle(names.map((name) => PROTOCOLS[name].id));
    for (const stream of this.#streams) stream.abort(new Error("the node stops"));
  }

  /** Counts the stream until it is closed. False, and the stream is reset, if there are too many. */
  #enter(stream: Stream, peer: string): boolean {
    const count = this.#streamsOf.get(peer) ?? 0;
    if (count >= STREAMS_PER_PEER || this.#streams.size >= STREAMS || stream.status !== "open") {
      stream.abort(new Error("too many request streams"));
      return false;
    }
    this.#streams.add(stream);
    this.#streamsOf.set(peer, count + 1);
    stream.maxReadBufferLength = RECEIVED_BYTES;
    const deadline = setTimeout(
      () => stream.abort(new Error("the exchange took too long")),
      this.#options.exchangeMs ?? EXCHANGE_MS,
    );
    stream.addEventListener("close", () => {
      clearTimeout(deadline);
      this.#streams.delete(stream);
      const left = (this.#streamsOf.get(peer) ?? 1) - 1;
      if (left > 0) this.#streamsOf.set(peer, left);
      else this.#streamsOf.delete(peer);
    });
    return true;
  }

  /** Never rejects. */
  async #serve(stream: Stream, exchange: Exchange): Promise<void> {
    const { name, peer } = exchange;
    const counts = this.#options.counts?.[name];
    let held = 0;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const hold = (bytes: number): boolean => {
      const taken = this.#room.take(peer, bytes);
      if (taken) held += bytes;
      return taken;
    };
    try {
      if (counts !== undefined) counts.received++;
      const answer = await this.#answer(stream, exchange, { hold, ended });
      if (counts !== undefined && !isAnswered(answer?.status)) counts.failedInbound++;
      if (answer === undefined) {
        await stream.close();
        return;
      }
      // The room was for the largest answer possible.
      const spare = Math.max(0, held - answer.body.length);
      this.#room.release(peer, spare);
      held -= spare;
      await sendAnswer(stream, answer.status, await compressed(answer.body));
    } catch (error) {
      this.#options.log.debug(
        { peer, protocol: name, err: String(error) },
        "a {protocol} request of {peer} ended early",
      );
      stream.abort(error as Error);
    } finally {
      end();
      if (held > 0) setTimeout(() => this.#room.release(peer, held), REST_MS).unref();
    }
  }

  async #answer(
    stream: Stream,
    { name, protocol, handler, limit, peer }: Exchange,
    { hold, ended }: { hold: (bytes: number) => boolean; ended: Promise<void> },
  ): Promise<Answer | undefined> {
    const { penalties, log } = this.#options;
    const reading = readRequest(stream, RECEIVED_BYTES);
    const rate = limit.take(peer);
    if (rate !== "allowed") {
      reading.catch(() => undefined);
      if (rate === "peer limit") penalties.penalize(peer, "high", `too many ${name} requests`);
      return RATE_LIMITED;
    }
    const bytes = await reading;
    if (bytes === undefined) return undefined;
    try {
      if (bytes.length > MAX_REQUEST_BYTES)
        throw new DecodeError("request", `must have at most ${MAX_REQUEST_BYTES} bytes`);
      const room = Math.min(protocol.answerLimit(bytes), MAX_BODY_BYTES);
      if (!hold(room)) return RATE_LIMITED;
      return await handler({ bytes, peer, room, ended });
    } catch (error) {
      if (error instanceof DecodeError) {
        penalties.penalize(peer, "low", `malformed ${name} request: ${error.rule}`);
        return { status: RequestStatus.BADLY_FORMED_REQUEST, body: NO_BODY };
      }
      log.warn({ peer, protocol: name, err: String(error) }, "answering a {protocol} request failed");
      return { status: RequestStatus.INTERNAL_ERROR, body: NO_BODY };
    }
  }
}

interface Exchange {
  name: RequestProtocol;
  protocol: ProtocolRow;
  handler: RequestHandler;
  limit: RequestRates;
  peer: string;
}

const RATE_LIMITED: Answer = { status: RequestStatus.RATE_LIMIT_EXCEEDED, body: NO_BODY };

/** An empty body stays empty: it is sent without a frame. */
async function compressed(body: Uint8Array): Promise<Uint8Array> {
  if (body.length === 0) return body;
  return body.length < ASYNC_BYTES ? compressSync(body) : await compress(body);
}
