import { hash } from "node:crypto";
import type { Logger } from "../../telemetry/logger.ts";
import type { ResultCache } from "../cache/result-cache.ts";
import { AnswerWriter, type AnswerWriterOptions } from "../calls/answer-writer.ts";
import type { CallCounts } from "../calls/call-counts.ts";
import { type Consistency, MIN_BLOCK_HEADER, MIN_BLOCK_RULE, readMinBlock } from "../calls/consistency.ts";
import type { Header } from "../jsonrpc/answer.ts";
import { failure, type RpcAnswer } from "../jsonrpc/answer.ts";
import {
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  RESOURCE_UNAVAILABLE,
  RpcError,
} from "../jsonrpc/errors.ts";
import { type AnswerBudget, UNBOUNDED } from "../limits/answer-budget.ts";
import type { CallLimit } from "../limits/client-limit.ts";
import { dialectOf, type Method, type Namespace, type Registry, readParams } from "../registry/registry.ts";
import type { Answer, BodyRequest, HttpApplication, PlainPost, RequestHead } from "../wire/listener.ts";
import { TOO_MANY_ANSWERS } from "../wire/refusals.ts";
import { acceptedCompression, COMPRESSION_THRESHOLD, compress } from "./response-compression.ts";

/** In front of a method's name. */
const GET_PREFIX = "/v1/";
/** A call with longer params has to be made by POST. */
const MAX_QUERY_CHARS = 4_096;

const JSON_BODY: Header = ["Content-Type", "application/json; charset=utf-8"];
const VARY: Header = ["Vary", "Accept-Encoding"];
const ANY_ORIGIN: Header = ["Access-Control-Allow-Origin", "*"];
const ALLOW: Header = ["Allow", "GET, HEAD"];
const NOT_STORED: Header = ["Cache-Control", "no-store"];
/** A year, which caches take for good. */
const KEPT: Header = ["Cache-Control", "public, max-age=31536000, immutable"];

interface GetReadsOptions extends AnswerWriterOptions {
  registry: Registry;
  namespaces: readonly Namespace[];
  cors?: boolean;
  rateLimit?: CallLimit;
  results?: Pick<ResultCache, "renew">;
  /** Names the block of answers that no cache keeps, and waits for the least block of a request. */
  consistency?: Consistency;
  counts?: CallCounts;
  /** Bounds the bytes of answers that wait for being compressed. */
  budget?: AnswerBudget;
}

/** An answer, and whether caches may keep it. */
interface Read extends RpcAnswer {
  immutable: boolean;
}

/**
 * Serves `GET /v1/<method>?params=<JSON array>` for the methods whose results can belong to a hash for ever (the
 * registry's `immutable`). The body is that of the same call by POST, with id null. Such results may be kept by any
 * cache; all other answers may not, above all not that something is not there. Headers that differ between nodes or
 * change with time are left out, since a cache would repeat them.
 */
export class GetReads implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #options: GetReadsOptions;
  readonly #writer: AnswerWriter;
  readonly #headers: readonly Header[];

  constructor(inner: HttpApplication, options: GetReadsOptions, log: Logger) {
    this.#inner = inner;
    this.#options = options;
    this.#writer = new AnswerWriter(options, log);
    this.#headers = options.cors === false ? [JSON_BODY, VARY] : [JSON_BODY, VARY, ANY_ORIGIN];
  }

  get plainPost(): PlainPost | undefined {
    return this.#inner.plainPost;
  }

  get notPlain(): readonly string[] | undefined {
    return this.#inner.notPlain;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    // Preflights are answered alike for all paths.
    if (!head.path.startsWith(GET_PREFIX) || head.method === "OPTIONS") return this.#inner.receive(head);
    if (head.method !== "GET" && head.method !== "HEAD") {
      return this.#unkept(failure(405, INVALID_REQUEST, "Method Not Allowed"), [ALLOW]);
    }
    const refusal = this.#options.rateLimit?.request(head.client());
    if (refusal !== undefined) return this.#unkept(refusal);
    const found = this.#find(head.path.slice(GET_PREFIX.length));
    if (found === undefined) {
      return this.#unkept(failure(404, METHOD_NOT_FOUND, "Method not found, or not served to GET"));
    }
    const accept = head.header("accept-encoding");
    const known = head.header("if-none-match");
    const { query } = head;
    const answer = (): Answer | Promise<Answer> => {
      const read = this.#counted(found, () => this.#read(found, query, head));
      if (read instanceof Promise) return read.then((settled) => this.#answer(settled, accept, known));
      return this.#answer(read, accept, known);
    };
    return this.#whenReached(head, answer);
  }

  /** Answers a request at once, or when its least block is there. */
  #whenReached(head: RequestHead, answer: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
    const { consistency } = this.#options;
    const minBlock = consistency === undefined ? "" : head.header(MIN_BLOCK_HEADER);
    if (consistency === undefined || minBlock === "") return answer();
    const mark = readMinBlock(minBlock);
    if (mark === undefined) {
      return this.#unkept(failure(400, INVALID_REQUEST, `${MIN_BLOCK_HEADER} ${MIN_BLOCK_RULE}`));
    }
    const missing = (): Answer => {
      const refusal = failure(503, RESOURCE_UNAVAILABLE, consistency.missing(mark));
      return this.#unkept(refusal, [["Retry-After", "1"], ...consistency.headers()]);
    };
    // A reorg during the call may have taken the block back.
    const kept = (given: Answer): Answer => (consistency.has(mark) ? given : missing());
    const now = (): Answer | Promise<Answer> => {
      const given = answer();
      return given instanceof Promise ? given.then(kept) : given;
    };
    if (consistency.has(mark)) return now();
    return consistency
      .reached(mark, { address: head.client(), signal: head.signal() })
      .then((reached) => (reached ? now() : missing()));
  }

  #find(name: string): { method: Method; namespace: Namespace } | undefined {
    const [namespace, rest = ""] = name.split("_", 2);
    const known = this.#options.namespaces.find((one) => one === namespace);
    const method = known && this.#options.registry.find(known, rest);
    if (known === undefined || method?.immutable === undefined) return undefined;
    return { method, namespace: this.#options.registry.declared(known) };
  }

  #counted(
    { method, namespace }: { method: Method; namespace: Namespace },
    read: () => Read | Promise<Read>,
  ): Read | Promise<Read> {
    const { counts } = this.#options;
    if (counts === undefined) return read();
    const started = performance.now();
    const index = counts.indexOf(`${namespace}_${method.name}`);
    const settled = (given: Read): Read => {
      // That something is not there is a good answer.
      counts.settled(index, given.status === 404 ? 200 : given.status, performance.now() - started);
      return given;
    };
    const given = read();
    return given instanceof Promise ? given.then(settled) : settled(given);
  }

  #read(
    { method, namespace }: { method: Method; namespace: Namespace },
    query: string,
    caller: RequestHead,
  ): Read | Promise<Read> {
    const echo = { id: null, method: `${namespace}_${method.name}` };
    const failed = (error: unknown): Read => ({ ...this.#writer.error(echo, error), immutable: false });
    try {
      const values = readParams(method.params[namespace]!, paramsOf(query), dialectOf(namespace));
      if (method.long?.(values)) throw new RpcError(INVALID_PARAMS, "The call is too long for GET: make it by POST");
      this.#options.results?.renew();
      const settled = (result: unknown): Read => {
        if (result === undefined) return { ...this.#writer.nothing(echo), status: 404, immutable: false };
        const immutable = method.immutable!(result, values);
        return { ...this.#writer.result(echo, result, method.encode[namespace]!), immutable };
      };
      const result = method.handle(values, { namespace, caller });
      return result instanceof Promise ? result.then(settled).catch(failed) : settled(result);
    } catch (error) {
      return failed(error);
    }
  }

  #answer(read: Read, accept: string, known: string): Answer | Promise<Answer> {
    const { status, body, immutable, headers = [] } = read;
    if (!immutable) return this.#unkept({ status, body, headers }, this.#options.consistency?.headers());
    const compression = body.length < COMPRESSION_THRESHOLD ? undefined : acceptedCompression(accept);
    // Each encoded form is another representation, with a tag of its own (RFC 9110 section 8.8.3.3).
    const tag = `"${hash("sha256", body, "base64url").slice(0, 22)}${compression ? `-${compression.name}` : ""}"`;
    const kept: Header[] = [...this.#headers, KEPT, ["ETag", tag]];
    if (isKnown(tag, known)) return { status: 304, headers: kept };
    if (compression === undefined) return { status, headers: kept, body };
    const encoded = (bytes: Uint8Array): Answer => {
      return { status, headers: [...kept, ["Content-Encoding", compression.name]], body: bytes };
    };
    const { budget = UNBOUNDED } = this.#options;
    if (!budget.take(body.length)) return TOO_MANY_ANSWERS;
    const compressed = compress(compression, body);
    if (compressed instanceof Promise) return compressed.then(encoded).finally(() => budget.release(body.length));
    budget.release(body.length);
    return encoded(compressed);
  }

  /** An answer that no cache may keep. */
  #unkept({ status, body, headers = [] }: RpcAnswer, more: readonly Header[] = []): Answer {
    return { status, headers: [...this.#headers, NOT_STORED, ...more, ...headers], body };
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}

/** The list of params in a query. Throws an RpcError. */
function paramsOf(query: string): unknown[] {
  if (query.length > MAX_QUERY_CHARS) {
    throw new RpcError(INVALID_PARAMS, `The query must have at most ${MAX_QUERY_CHARS} characters: call by POST`);
  }
  const pairs = [...new URLSearchParams(query)];
  const other = pairs.find(([name]) => name !== "params");
  if (other !== undefined) throw new RpcError(INVALID_PARAMS, "The query must have no other parameter than params");
  if (pairs.length > 1) throw new RpcError(INVALID_PARAMS, "params must be given once");
  if (pairs.length === 0) return [];
  let params: unknown;
  try {
    params = JSON.parse(pairs[0][1]);
  } catch (cause) {
    throw new RpcError(INVALID_PARAMS, "params must be JSON", { cause });
  }
  if (!Array.isArray(params)) throw new RpcError(INVALID_PARAMS, "params must be a JSON array");
  return params;
}

/** Whether a value of If-None-Match names a tag, by weak comparison (RFC 9110 section 13.1.2). */
function isKnown(tag: string, ifNoneMatch: string): boolean {
  if (ifNoneMatch === "") return false;
  return ifNoneMatch.split(",").some((one) => [tag, "*"].includes(one.trim().replace(/^W\//, "")));
}
