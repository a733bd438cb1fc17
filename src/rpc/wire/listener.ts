import { OperatorError } from "../../errors/operator-error.ts";
import { bindReason } from "../../http/bind-fault.ts";
import type { AnswerBody, Header } from "../jsonrpc/answer.ts";
import type { AnswerBudget } from "../limits/answer-budget.ts";
import type { OpenConnections } from "../limits/open-connections.ts";
import type { Caller } from "../ports/caller.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";
import type { ServerSocket, SocketHandlers } from "./web-socket.ts";

/** What an HTTP adapter does for the application above it, and nothing more. Two adapters, one test suite. */

/** Head of a request. Valid during the call only, except for the members of Caller. */
export interface RequestHead extends Caller {
  /** As sent, upper case for the known verbs. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** As sent, without the question mark; "" when there is none. */
  readonly query: string;
  /** Value of a header by its lower-case name, "" when absent. */
  header(name: string): string;
}

/** The body is not sent in answer to HEAD. */
export interface Answer extends Partial<AnswerBody> {
  status: number;
  /** Not to be changed once it has been sent: a list that is used again is written faster. */
  headers: readonly Header[];
}

/** Runs `decompress` as soon as there is room for its result. */
export type Inflate = (decompress: () => Promise<Uint8Array>) => Promise<Uint8Array>;

/** The application needs the body before it can answer. */
export interface BodyRequest {
  /** Most bytes to keep. A longer body is read to its end, as far as that is bearable, and thrown away. */
  maxBytes: number;
  /** The body is valid during the call only. `inflate`, where room is bounded, runs what decompresses it. */
  answer(body: Uint8Array, inflate?: Inflate): Answer | Promise<Answer>;
  tooLarge(): Answer;
  timedOut(): Answer;
}

export interface HttpApplication {
  /** An answer at once is never lent: it may have to wait for its turn. */
  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest;
  /** The answer to a request whose handling threw. */
  failed(error: unknown): Answer;
  readonly plainPost?: PlainPost;
  /** Lower-case names of headers with which a request is left to `receive`. */
  readonly notPlain?: readonly string[];
}

/** Headers of a plain POST that change its answer; empty when absent. */
export interface PlainWishes {
  readonly acceptEncoding: string;
  /** MIN_BLOCK_HEADER. */
  readonly minBlock: string;
}

/** Fast path: POST / with a JSON type, not encoded, whose whole body arrived in one read. Adapters may leave it out. */
export interface PlainPost {
  /** Longer bodies are left to `receive`. */
  readonly maxBytes: number;
  /** As BodyRequest.answer. Never throws. A caller whose signal was asked for gets a promise. */
  answer(body: Uint8Array, wishes: PlainWishes, from: Caller): Answer | Promise<Answer>;
}

/** What opens WebSockets, beside an HttpApplication. */
export interface WebSocketApplication {
  /** Paths at which sockets are opened. */
  readonly paths: readonly string[];
  /** Longest message of a client, in bytes. The connection of a client that sends a longer one is closed. */
  readonly maxMessageBytes: number;
  /** A client of which nothing came for this long, not even the answer to a ping, is cut off. */
  readonly idleTimeoutMs: number;
  /** A message has to be complete this long after its first byte. */
  readonly messageTimeoutMs: number;
  /** Bounds the bytes of messages that are not complete yet, of all sockets. */
  readonly unfinished: AnswerBudget;
  /** Decides about a request to open a socket: an HTTP answer refuses it. `head` is valid during the call only. */
  accept(head: RequestHead): Answer | ((socket: ServerSocket) => SocketHandlers);
  /** Ends all sockets with a close frame. */
  close(): void;
}

export interface ListenerOptions {
  /** Address to bind; all interfaces when absent. */
  host?: string;
  /** 0 takes a free port. */
  port: number;
  /** uWebSockets.js where it runs (the default), or node:http. */
  adapter?: "auto" | "node";
  /**
   * Time for which an idle connection is kept for a further request. Default 5 s with node:http. uWebSockets.js has a
   * time of its own, 8 to 12 s.
   */
  keepAliveTimeoutMs?: number;
  /** A request head or body that takes longer is cut off. */
  requestTimeoutMs: number;
  /** A client that takes nothing of its answer for this long is cut off. */
  stallTimeoutMs: number;
  /**
   * Most connections at once, 0 (the default) for any number. One over it takes the place of the one that has been idle
   * longest, for a second at least. With node:http any without a request under way is idle, with uWebSockets.js one
   * that has not asked anything, from an address that has not asked anything since; there connections end with their
   * answers while less than a quarter of the places is free. When none is idle, the new one is answered with 503 and a
   * JSON-RPC error and closed. uWebSockets.js cannot tell which connection a request came by, so there the 503 is sent
   * as soon as the connection opens, and a client that is still sending a long body then may see a reset instead;
   * node:http answers the first request, and closes unheard what comes while many are being refused.
   */
  maxConnections?: number;
  /**
   * Most connections of one client address (IPv6: /64) at once, 0 (the default) for any number. One over it is refused
   * as one over `maxConnections` is. With uWebSockets.js on Linux only, see ConnectionShare. Connections of trusted
   * proxies, which carry requests of many clients, are not bounded so.
   */
  maxConnectionsPerClient?: number;
  /** Proxies whose forwarding header is trusted; none when absent. */
  proxies?: TrustedProxies;
  /** Counts the connections; with others when threads share the port. */
  connections?: OpenConnections;
  /**
   * Bounds the bytes of answers that wait for clients to take them; beyond it a request is answered with 503 and its
   * connection closed.
   */
  budget?: AnswerBudget;
  /**
   * Other threads of this process listen on the same port, and the system spreads connections over them. Not with port
   * 0.
   */
  shared?: boolean;
  /** Serves WebSockets; none when absent. */
  webSocket?: WebSocketApplication;
}

export interface Listener {
  readonly adapter: "uWebSockets.js" | "node:http";
  /** The bound port. */
  readonly port: number;
  /** Stops accepting, lets requests in flight finish for at most `graceMs`, then closes every connection. */
  close(graceMs?: number): Promise<void>;
  /** Closes everything at once, answers in flight included. Synchronous, for the end of a thread. */
  abandon(): void;
}

/** The address could not be bound. */
export class ListenError extends OperatorError {
  override readonly errorCode: string = "cannot-listen";

  readonly host: string | undefined;
  readonly port: number;
  readonly code: string | undefined;
  /** `code`: that of the system's error, where it is known. */
  constructor(host: string | undefined, port: number, code: string | undefined, options?: ErrorOptions) {
    super(`cannot listen on ${host ?? "all interfaces"} port ${port}: ${bindReason(code)}`, options);
    this.name = "ListenError";
    this.host = host;
    this.port = port;
    this.code = code;
  }
}

export const DEFAULT_GRACE_MS = 5_000;

export function isBodyRequest(outcome: Answer | Promise<Answer> | BodyRequest): outcome is BodyRequest {
  return "maxBytes" in outcome;
}
