import { HttpError } from "../../http/errors.ts";
import { type WholeReply, wholeExchange } from "../../http/exchange.ts";
import { redactUrl, withoutUrl } from "../../http/redact.ts";
import { JsonError, parseJson } from "../../json/parse-json.ts";
import { L1EndpointError, L1RpcError } from "../errors.ts";

interface EndpointOptions {
  timeoutMs: number;
  /** Maximum calls in one HTTP request. */
  batchSize: number;
  /** Aborts calls in progress. */
  signal?: AbortSignal;
}

interface Call {
  method: string;
  params: readonly unknown[];
  resolve(result: unknown): void;
  reject(error: Error): void;
  /** Aborted when the answer is no longer wanted. */
  signal: AbortSignal | undefined;
}

const FAILURES = {
  unreachable: "unreachable",
  aborted: "unreachable",
  timeout: "timeout",
  "too-slow": "timeout",
  "too-large": "nonsense",
  redirect: "nonsense",
} as const;

/** Why a call ended whose answer is no longer wanted. */
export const OVERTAKEN = "no answer before another endpoint answered";

/** The largest usual answer, a batch of 50 blobs by hash, is 13 MiB. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

function revertData(data: unknown): string | undefined {
  if (typeof data === "string")
    return /^(Reverted )?0x[0-9a-fA-F]*$/.test(data) ? data.replace("Reverted ", "") : undefined;
  return typeof data === "object" && data !== null && "data" in data ? revertData(data.data) : undefined;
}

/**
 * JSON-RPC over HTTP to one URL. Calls made in the same turn of the event loop are sent as one batch. Answers are
 * matched by id, never by position. After an endpoint has refused a batch, its calls are sent one by one. Does not
 * retry. A request ends early when none of its answers is wanted any more.
 */
export class JsonRpcEndpoint {
  /** Redacted, for messages. */
  readonly name: string;
  readonly #url: string;
  readonly #options: EndpointOptions;
  #waiting: Call[] = [];
  #batches = true;

  constructor(url: string, options: EndpointOptions) {
    this.#url = url;
    this.name = redactUrl(url);
    this.#options = options;
  }

  /**
   * The `result` of a call, unchecked. Throws an L1EndpointError or L1RpcError, also when `signal` aborts because the
   * answer is no longer wanted.
   */
  call(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const aborted = () => reject(this.#failure("timeout", OVERTAKEN, method));
      if (signal?.aborted) {
        aborted();
        return;
      }
      signal?.addEventListener("abort", aborted, { once: true });
      const ended = () => signal?.removeEventListener("abort", aborted);
      if (this.#waiting.length === 0) setImmediate(() => this.#flush());
      this.#waiting.push({
        ...{ method, params, signal },
        resolve(result) {
          ended();
          resolve(result);
        },
        reject(error) {
          ended();
          reject(error);
        },
      });
    });
  }

  #flush(): void {
    const calls = this.#waiting;
    this.#waiting = [];
    const size = this.#batches ? this.#options.batchSize : 1;
    for (let at = 0; at < calls.length; at += size) void this.#send(calls.slice(at, at + size));
  }

  #failure(kind: L1EndpointError["kind"], rule: string, method: string, cause?: unknown): L1EndpointError {
    return new L1EndpointError(kind, rule, { url: this.name, method, cause });
  }

  async #send(calls: Call[]): Promise<void> {
    const unwanted = new AbortController();
    const release = whenAllAbort(
      calls.map(({ signal }) => signal),
      () => unwanted.abort(),
    );
    try {
      await this.#exchange(calls, unwanted.signal);
    } finally {
      release();
    }
  }

  async #exchange(calls: Call[], unwanted: AbortSignal): Promise<void> {
    const items = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const single = items.length === 1;
    let answer: unknown;
    try {
      answer = await this.#post(JSON.stringify(single ? items[0] : items), calls[0].method, unwanted);
      if (!single && !Array.isArray(answer))
        throw this.#failure("nonsense", "a batch was answered by no list", calls[0].method);
    } catch (error) {
      const refusedBatch =
        error instanceof L1EndpointError && (error.kind === "nonsense" || error.kind === "http-status");
      if (!single && refusedBatch) {
        this.#batches = false;
        for (const call of calls) void this.#send([call]);
        return;
      }
      for (const { reject } of calls) reject(error as Error);
      return;
    }
    const byId = new Map<unknown, object>();
    for (const item of single ? [answer] : (answer as unknown[])) {
      if (typeof item === "object" && item !== null) byId.set("id" in item ? item.id : undefined, item);
    }
    calls.forEach((call, id) => {
      // An error answer to a request that the server could not even read carries a null id.
      this.#settle(call, byId.get(id) ?? (single ? byId.get(null) : undefined));
    });
  }

  #settle({ method, resolve, reject }: Call, item: object | undefined): void {
    if (item === undefined) {
      reject(this.#failure("nonsense", "the answer is not a JSON-RPC answer to the call", method));
    } else if ("error" in item && item.error !== null && item.error !== undefined) {
      const { code, message, data } = item.error as { code?: unknown; message?: unknown; data?: unknown };
      reject(
        new L1RpcError(
          typeof code === "number" ? code : 0,
          typeof message === "string" ? withoutUrl(message.slice(0, 1000), this.#url).slice(0, 300) : "no message",
          revertData(data),
          { url: this.name, method },
        ),
      );
    } else if ("result" in item) {
      resolve(item.result);
    } else {
      reject(this.#failure("nonsense", "the answer has neither result nor error", method));
    }
  }

  async #post(body: string, method: string, unwanted: AbortSignal): Promise<unknown> {
    const { timeoutMs: totalMs, signal: stopped } = this.#options;
    const signal = stopped === undefined ? unwanted : AbortSignal.any([stopped, unwanted]);
    let reply: WholeReply;
    try {
      const headers = {
        "content-type": "application/json",
        accept: "application/json",
        "accept-encoding": "gzip, deflate, br",
      };
      const call = { method: "POST", url: this.#url, headers, body, signal } as const;
      reply = await wholeExchange(call, { totalMs, maxBytes: MAX_ANSWER_BYTES });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw this.#failure(FAILURES[error.kind], error.message, method, error);
    }
    const { status } = reply;
    const ok = status >= 200 && status < 300;
    try {
      const parsed = parseJson(reply.body);
      // Some servers send JSON-RPC errors with an HTTP error status; the JSON-RPC error takes precedence.
      if (ok || (typeof parsed === "object" && parsed !== null && ("error" in parsed || Array.isArray(parsed))))
        return parsed;
    } catch (error) {
      if (!(error instanceof JsonError)) throw error;
      if (ok) throw new L1EndpointError("nonsense", `the answer ${error.message}`, { url: this.name, method, status });
    }
    throw new L1EndpointError("http-status", `HTTP status ${status}`, { url: this.name, method, status });
  }
}

/**
 * Calls `aborted` once all signals have aborted, which an absent one never does. Returns a function that stops
 * listening.
 */
function whenAllAbort(signals: readonly (AbortSignal | undefined)[], aborted: () => void): () => void {
  let left = signals.length;
  const one = () => {
    left -= 1;
    if (left === 0) aborted();
  };
  for (const signal of signals) {
    if (signal?.aborted) one();
    else signal?.addEventListener("abort", one, { once: true });
  }
  return () => {
    for (const signal of signals) signal?.removeEventListener("abort", one);
  };
}
