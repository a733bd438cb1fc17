import type { Logger } from "../../telemetry/logger.ts";
import { bodyBytes, keptLater, ownBody, release } from "../calls/answer-sink.ts";
import {
  BLOCK_HEADER,
  type Consistency,
  MIN_BLOCK_HEADER,
  MIN_BLOCK_RULE,
  type MinBlock,
  readMinBlock,
} from "../calls/consistency.ts";
import type { AdmitBatch, Dispatcher } from "../calls/dispatcher.ts";
import { failure, type Header, type RpcAnswer } from "../jsonrpc/answer.ts";
import { INVALID_REQUEST, RESOURCE_UNAVAILABLE } from "../jsonrpc/errors.ts";
import { type AnswerBudget, UNBOUNDED } from "../limits/answer-budget.ts";
import type { CallLimit } from "../limits/client-limit.ts";
import type { Caller } from "../ports/caller.ts";
import type { NodeHealth } from "../ports/node-health.ts";
import type { Answer, BodyRequest, HttpApplication, PlainPost, PlainWishes, RequestHead } from "../wire/listener.ts";
import { originForm } from "../wire/origin-form.ts";
import { TOO_MANY_ANSWERS, TOO_MANY_BODIES } from "../wire/refusals.ts";
import {
  BodyTooLargeError,
  CorruptBodyError,
  compressedLimit,
  contentEncoding,
  decompressed,
  isJsonType,
  UnsupportedEncodingError,
} from "../wire/request-body.ts";
import { HealthChecks } from "./health-checks.ts";
import { acceptedCompression, COMPRESSION_THRESHOLD, compress } from "./response-compression.ts";
import { wantsJson } from "./wants-json.ts";

interface RpcApplicationOptions {
  /** Most bytes of a request body, decompressed. */
  maxBodyBytes: number;
  /** On every response: version identifiers of the node (docs/protocol/05-rpc.md#57-headers-and-compression). */
  versionHeaders: readonly Header[];
  /** Whether pages of other origins may read answers, as of the public port. Default true. */
  cors?: boolean;
  /** Whether GET /status says OK. */
  healthy(): boolean | Promise<boolean>;
  /** Serves /live, /ready and /status?format=json; without it they are not found. */
  health?: NodeHealth;
  /** Bounds the bytes of answers that wait for being compressed. */
  budget?: AnswerBudget;
  /** Of JSON-RPC calls, by client; none when absent. */
  rateLimit?: CallLimit;
  /** Names the block of each answer and waits for the least block of a request. */
  consistency?: Consistency;
}

const CONTENT_TYPE_RULE = "Invalid request: the header Content-Type must be application/json";
const JSON_BODY: Header = ["Content-Type", "application/json; charset=utf-8"];
const TEXT_BODY: Header = ["Content-Type", "text/plain; charset=utf-8"];
const NOT_STORED: Header = ["Cache-Control", "no-store"];
const VARY: Header = ["Vary", "Accept-Encoding, Origin"];
const VARY_WITHOUT_ORIGIN: Header = ["Vary", "Accept-Encoding"];
const EXPOSED: Header = ["Access-Control-Expose-Headers", `${BLOCK_HEADER}, Retry-After`];
const ANY_ORIGIN: Header = ["Access-Control-Allow-Origin", "*"];

/** Verbs of each path; OPTIONS answers with them, another verb is refused with them. */
const ALLOW = { "/": "POST", "/status": "HEAD, GET", "/live": "HEAD, GET", "/ready": "HEAD, GET" } as const;

/**
 * Routes, CORS, body limits and compression of one listener (docs/protocol/05-rpc.md#51-listeners-and-routes and
 * docs/protocol/05-rpc.md#57-headers-and-compression).
 */
export class RpcApplication implements HttpApplication {
  readonly #dispatcher: Dispatcher;
  readonly #options: RpcApplicationOptions;
  readonly #log: Logger;
  /** Headers of every answer to a request whose body could be read. */
  readonly #common: readonly Header[];
  /** Headers of an answer to a request whose body could not be read: the reference leaves out the origin ones. */
  readonly #unread: readonly Header[];
  /** All headers of an ordinary answer in JSON, without the block. */
  readonly #json: readonly Header[];
  /** With the block that `#blockHeaders` names. */
  #ordinary: readonly Header[];
  #blockHeaders: readonly Header[] = [];
  readonly #checks: HealthChecks | undefined;
  readonly plainPost: PlainPost;

  constructor(dispatcher: Dispatcher, options: RpcApplicationOptions, log: Logger) {
    this.#dispatcher = dispatcher;
    this.#options = options;
    this.#log = log;
    this.#checks = options.health && new HealthChecks(options.health);
    this.#unread = [VARY_WITHOUT_ORIGIN, ...options.versionHeaders];
    this.#common = options.cors === false ? this.#unread : [VARY, ANY_ORIGIN, ...options.versionHeaders];
    // Pages of other origins may read only a few headers that are not named.
    const exposed = options.consistency !== undefined && options.cors !== false ? [EXPOSED] : [];
    this.#json = [JSON_BODY, ...this.#common, ...exposed];
    this.#ordinary = this.#json;
    this.plainPost = {
      maxBytes: options.maxBodyBytes,
      answer: (body, wishes, from) => this.#plain(body, wishes, from),
    };
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const path = normalPath(head.path);
    if (head.method === "OPTIONS" && this.#options.cors !== false) {
      const asked = head.header("access-control-request-method");
      if (asked !== "") return this.#preflight(head.header("access-control-request-headers"));
    }
    if (!this.#serves(path)) return this.#text(404, "Not Found");
    if (head.method === "OPTIONS") {
      const vary = this.#options.cors === false ? VARY_WITHOUT_ORIGIN : VARY;
      return { status: 200, headers: [vary, ["Allow", ALLOW[path]], ...this.#options.versionHeaders] };
    }
    if (path === "/" && head.method === "POST") return this.#rpc(head);
    if (path !== "/" && (head.method === "GET" || head.method === "HEAD")) return this.#health(path, head);
    return this.#text(405, "Method Not Allowed", [["Allow", ALLOW[path]]]);
  }

  failed(err: unknown): Answer {
    this.#log.error({ err }, "answering an HTTP request failed");
    return this.#answered(failure(500, INVALID_REQUEST, "Internal error"));
  }

  #preflight(headers: string): Answer {
    const answer: Header[] = [
      ...this.#common,
      ["Access-Control-Allow-Methods", "GET,HEAD,PUT,POST,DELETE,PATCH"],
      // Header values come from a parsed head: they hold no line breaks.
      ...(headers === "" ? [] : [["Access-Control-Allow-Headers", headers] as const]),
    ];
    return { status: 204, headers: answer };
  }

  #serves(path: string): path is keyof typeof ALLOW {
    return path === "/" || path === "/status" || (this.#checks !== undefined && Object.hasOwn(ALLOW, path));
  }

  async #health(path: Exclude<keyof typeof ALLOW, "/">, head: RequestHead): Promise<Answer> {
    const { query } = head;
    const checks = this.#checks;
    if (checks === undefined || (path === "/status" && !wantsJson(query, head.header("accept")))) return this.#status();
    const { status, body } = await (path === "/live"
      ? checks.live()
      : path === "/ready"
        ? checks.ready(query)
        : checks.status());
    return {
      status,
      headers: [JSON_BODY, NOT_STORED, ...this.#common],
      body: Buffer.from(`${JSON.stringify(body)}\n`),
    };
  }

  async #status(): Promise<Answer> {
    let healthy = false;
    try {
      healthy = await this.#options.healthy();
    } catch (err) {
      this.#log.warn({ err }, "the health check failed");
    }
    return healthy ? this.#text(200, "OK") : this.#text(500, "Internal Server Error");
  }

  #text(status: number, text: string, more: readonly Header[] = []): Answer {
    return { status, headers: [TEXT_BODY, ...this.#common, ...more], body: Buffer.from(text) };
  }

  /** The same list until the tip changes. */
  #ordinaryHeaders(): readonly Header[] {
    const block = this.#options.consistency?.headers() ?? this.#blockHeaders;
    if (block !== this.#blockHeaders) {
      this.#blockHeaders = block;
      this.#ordinary = [...this.#json, ...block];
    }
    return this.#ordinary;
  }

  /** An answer to a request that was read. */
  #answered({ status, body, end, memory, headers }: RpcAnswer): Answer {
    const ordinary = this.#ordinaryHeaders();
    return { status, headers: headers === undefined ? ordinary : [...ordinary, ...headers], body, end, memory };
  }

  /** Refuses a request whose block is not there. */
  #missing(consistency: Consistency, mark: MinBlock): Answer {
    const { status, body } = failure(503, RESOURCE_UNAVAILABLE, consistency.missing(mark));
    return this.#answered({ status, body, headers: [["Retry-After", "1"]] });
  }

  /**
   * The answer as a client takes it. A reorg during the call may have taken back the block of `mark`, which the answer
   * must not hide.
   */
  #finished(answer: RpcAnswer, acceptEncoding: string, mark: MinBlock | undefined): Answer | Promise<Answer> {
    const { consistency } = this.#options;
    if (consistency === undefined || mark === undefined || consistency.has(mark)) {
      return this.#respond(answer, acceptEncoding);
    }
    return this.#missing(consistency, mark);
  }

  #respond(answer: RpcAnswer, acceptEncoding: string): Answer | Promise<Answer> {
    const plain = this.#answered(answer);
    const length = bodyBytes(answer);
    if (acceptEncoding === "" || length < COMPRESSION_THRESHOLD) return plain;
    const compression = acceptedCompression(acceptEncoding);
    if (compression === undefined) return plain;
    const { budget = UNBOUNDED } = this.#options;
    if (!budget.take(length)) return TOO_MANY_ANSWERS;
    const whole = ownBody(answer);
    const { status, headers } = plain;
    const encoded = (body: Uint8Array): Answer => {
      budget.release(length);
      release({ body: whole });
      return { status, headers: [...headers, ["Content-Encoding", compression.name]], body };
    };
    const body = compress(compression, whole);
    if (!(body instanceof Promise)) return encoded(body);
    return body.then(encoded, (error: unknown) => {
      budget.release(length);
      throw error;
    });
  }

  #plain(body: Uint8Array, wishes: PlainWishes, from: Caller): Answer | Promise<Answer> {
    const { rateLimit } = this.#options;
    if (rateLimit === undefined) return this.#dispatch(body, wishes, from, undefined);
    const client = from.client();
    const refusal = rateLimit.request(client);
    if (refusal !== undefined) return this.#answered(refusal);
    return this.#dispatch(body, wishes, from, (furtherCalls) => rateLimit.batch(client, furtherCalls));
  }

  /** Answers the body of a request whose head has been read. */
  #dispatch(
    body: Uint8Array,
    { acceptEncoding, minBlock }: PlainWishes,
    caller: Caller,
    admitBatch: AdmitBatch | undefined,
  ): Answer | Promise<Answer> {
    const { consistency } = this.#options;
    let mark: MinBlock | undefined;
    const now = (given: Uint8Array): Answer | Promise<Answer> => {
      const answer = this.#dispatcher.answerBytes(given, admitBatch, caller);
      if (!(answer instanceof Promise)) return this.#finished(answer, acceptEncoding, mark);
      return answer.then((settled) => this.#finished(settled, acceptEncoding, mark));
    };
    if (minBlock === "" || consistency === undefined) return now(body);
    mark = readMinBlock(minBlock);
    if (mark === undefined) return this.#refused(400, `${MIN_BLOCK_HEADER} ${MIN_BLOCK_RULE}`);
    if (consistency.has(mark)) return now(body);
    return this.#whenReached(consistency, mark, { body, address: caller.client(), signal: caller.signal() }, now);
  }

  /** Answers a request once the chain has a block, or refuses it. */
  async #whenReached(
    consistency: Consistency,
    mark: MinBlock,
    { body, address, signal }: { body: Uint8Array; address: string; signal: AbortSignal },
    now: (body: Uint8Array) => Answer | Promise<Answer>,
  ): Promise<Answer> {
    const { budget = UNBOUNDED } = this.#options;
    const { length } = body;
    if (!budget.take(length)) return TOO_MANY_BODIES;
    try {
      // The listener takes the memory of the body back.
      const copy = new Uint8Array(body);
      if (await consistency.reached(mark, { address, signal })) return await keptLater(now(copy));
      return this.#missing(consistency, mark);
    } finally {
      budget.release(length);
    }
  }

  /** Refuses a request without having read its body. */
  #refused(status: number, message: string): Answer {
    const { body } = failure(status, INVALID_REQUEST, message);
    return { status, headers: [JSON_BODY, ...this.#unread], body };
  }

  #rpc(head: RequestHead): BodyRequest | Answer | Promise<Answer> {
    const { rateLimit, consistency } = this.#options;
    let admitBatch: AdmitBatch | undefined;
    if (rateLimit !== undefined) {
      const client = head.client();
      const refusal = rateLimit.request(client);
      // Before its body is read: a refusal costs next to nothing.
      if (refusal !== undefined) return this.#answered(refusal);
      admitBatch = (furtherCalls) => rateLimit.batch(client, furtherCalls);
    }
    const acceptEncoding = head.header("accept-encoding");
    const minBlock = consistency === undefined ? "" : head.header(MIN_BLOCK_HEADER);
    if (minBlock !== "" && readMinBlock(minBlock) === undefined) {
      return this.#refused(400, `${MIN_BLOCK_HEADER} ${MIN_BLOCK_RULE}`);
    }
    const dispatch = (body: Uint8Array) => this.#dispatch(body, { acceptEncoding, minBlock }, head, admitBatch);

    // Its body is not read.
    if (!isJsonType(head.header("content-type"))) return this.#refused(400, CONTENT_TYPE_RULE);
    const limit = this.#options.maxBodyBytes;
    const tooLarge = () => this.#refused(413, "request entity too large");
    let encoding: string;
    try {
      encoding = contentEncoding(head.header("content-encoding"));
    } catch (error) {
      if (error instanceof UnsupportedEncodingError) return this.#refused(400, error.message);
      throw error;
    }
    return {
      maxBytes: encoding === "identity" ? limit : compressedLimit(limit),
      tooLarge,
      timedOut: () => this.#refused(408, "request timeout"),
      answer: (body, inflate = (decompress) => decompress()) => {
        if (encoding === "identity" || body.length === 0) return dispatch(body);
        const compressed = new Uint8Array(body);
        const bytes = inflate(() => decompressed(compressed, encoding, limit));
        return bytes.then(
          (whole) => keptLater(dispatch(whole)),
          (error: unknown) => {
            if (error instanceof BodyTooLargeError) return tooLarge();
            if (error instanceof CorruptBodyError) return this.#refused(400, error.message);
            throw error;
          },
        );
      },
    };
  }
}

/**
 * Path of a request target: absolute targets (`http://host/path`) and a trailing slash are as good as the plain path.
 */
function normalPath(target: string): string {
  if (target === "/" || target === "/status") return target;
  const path = originForm(target);
  return path === "/status/" ? "/status" : path;
}
