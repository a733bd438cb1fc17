import { setTimeout as sleep } from "node:timers/promises";
import { isSlowness } from "../../http/errors.ts";
import { redactUrl } from "../../http/redact.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { Logger } from "../../telemetry/logger.ts";
import {
  HistoricalStateUnavailableError,
  L1ConfigurationError,
  L1EndpointError,
  L1Error,
  L1RpcError,
  L1UnavailableError,
  WrongChainError,
} from "../errors.ts";
import { quantity } from "./answers.ts";
import { JsonRpcEndpoint } from "./endpoint.ts";
import { type L1CallCounts, type L1CallOutcome, outcomeOf } from "./l1-call-counts.ts";

export interface L1Call<T> {
  method: string;
  params: readonly unknown[];
  /** Checks the result and gives it a type. Throws a DecodeError, which counts against the endpoint that answered. */
  parse(result: unknown): T;
  /** Contract function that is called, for error messages. */
  about?: string;
  /** Number of the block whose state is read, if the call is pinned to one. */
  atBlock?: number;
}

export interface L1RpcOptions {
  /** Tried in this order for every call. */
  urls: readonly string[];
  /** Per HTTP request. */
  timeoutMs?: number;
  /** Delays between rounds over all endpoints, in milliseconds; there is one more round than delays. */
  retryDelaysMs?: readonly number[];
  batchSize?: number;
  /** Aborts calls in progress and refuses later ones, with the signal's reason. */
  signal?: AbortSignal;
  /** Counts the calls. */
  calls?: L1CallCounts;
  logger: Logger;
}

const HISTORY_GONE =
  /missing trie node|state (is )?(not available|unavailable|pruned)|pruned|no state available|historical state|state already been pruned|state histories|old data not available|required historical/i;
/** Error of anvil. The state is gone if the requested block is below the height, and not there yet if it is above. */
const ANVIL_OUT_OF_RANGE = /block height is (\d+) but requested was (\d+)/;

function saysHistoryGone(error: L1RpcError): boolean {
  const anvil = ANVIL_OUT_OF_RANGE.exec(error.rpcMessage);
  return anvil ? Number(anvil[2]) < Number(anvil[1]) : HISTORY_GONE.test(error.rpcMessage);
}

/** Whether the contract reverted: other endpoints would return the same. */
export function isRevert(error: unknown): error is L1RpcError {
  return (
    error instanceof L1RpcError &&
    (error.code === 3 || (error.data?.length ?? 0) > 2 || /revert|invalid opcode|out of gas/i.test(error.rpcMessage))
  );
}

/** Minimum time between two warnings about a slow L1. */
const WARNING_INTERVAL_MS = 60_000;

const METHOD_MISSING = -32601;
const INVALID_PARAMS = -32602;

/** Whether the error is caused by the call, so that retrying at the same endpoint is useless. */
function isLasting(error: L1Error): boolean {
  return (
    error instanceof HistoricalStateUnavailableError ||
    (error instanceof L1RpcError && (error.code === METHOD_MISSING || error.code === INVALID_PARAMS))
  );
}

/** JSON-RPC to L1 over an ordered list of endpoints. A call that one endpoint cannot answer goes to the next. */
export class L1Rpc {
  /** Redacted. */
  readonly urls: readonly string[];
  readonly #endpoints: JsonRpcEndpoint[];
  readonly #retryDelaysMs: readonly number[];
  readonly #signal: AbortSignal | undefined;
  readonly #calls: L1CallCounts | undefined;
  readonly #logger: Logger;
  #nextWarning = 0;

  constructor({
    urls,
    timeoutMs = 20_000,
    retryDelaysMs = [200, 1000, 3000],
    batchSize = 50,
    signal,
    calls,
    logger,
  }: L1RpcOptions) {
    if (urls.length === 0) throw new L1ConfigurationError("at least one L1 RPC URL is required");
    for (const url of urls) {
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
        throw new L1ConfigurationError(`an L1 RPC URL must be http:// or https://, got ${redactUrl(url)}`);
      }
    }
    this.#endpoints = urls.map((url) => new JsonRpcEndpoint(url, { timeoutMs, batchSize, signal }));
    this.urls = this.#endpoints.map(({ name }) => name);
    this.#retryDelaysMs = retryDelaysMs;
    this.#signal = signal;
    this.#calls = calls;
    this.#logger = logger;
  }

  /**
   * The parsed result of a call. If all endpoints fail, throws an L1UnavailableError with one failure per endpoint, or
   * the error itself if there is only one endpoint. A revert is thrown as L1RpcError, missing state of a block as
   * HistoricalStateUnavailableError.
   */
  async request<T>(call: L1Call<T>): Promise<T> {
    for (let round = 0; ; round++) {
      const failures: L1Error[] = [];
      for (const endpoint of this.#endpoints) {
        this.#signal?.throwIfAborted();
        try {
          return await this.#ask(endpoint, call);
        } catch (error) {
          if (!(error instanceof L1Error) || isRevert(error)) throw error;
          failures.push(error);
        }
      }
      this.#signal?.throwIfAborted();
      const wait = this.#retryDelaysMs[round];
      if (wait === undefined || failures.every(isLasting)) throw this.#verdict(failures, call.method);
      this.#logRetry(call.method, failures);
      await this.#wait(wait);
    }
  }

  /**
   * Asks every endpoint once, at the same time. Returns the answers with the redacted URL of each endpoint; those that
   * fail are left out.
   */
  async requestEach<T>(call: L1Call<T>): Promise<{ url: string; answer: T }[]> {
    this.#signal?.throwIfAborted();
    const answers = this.#endpoints.map(async (endpoint) => {
      try {
        return [{ url: endpoint.name, answer: await this.#ask(endpoint, call) }];
      } catch (error) {
        if (!(error instanceof L1Error)) throw error;
        return [];
      }
    });
    return (await Promise.all(answers)).flat();
  }

  /** Logs a retry. Calls to a slow L1 take minutes until they fail, so that is warned about, at a limited rate. */
  #logRetry(method: string, failures: L1Error[]): void {
    const facts = { method, failures: failures.map(({ message }) => message) };
    const slow = failures.some(isSlowness);
    const now = performance.now();
    if (!slow || now < this.#nextWarning) {
      this.#logger.debug(facts, "L1 call failed, trying again");
      return;
    }
    this.#nextWarning = now + WARNING_INTERVAL_MS;
    this.#logger.warn(facts, "L1 is too slow, trying again");
  }

  async #wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal }).catch(() => this.#signal?.throwIfAborted());
    this.#signal?.throwIfAborted();
  }

  #verdict(failures: L1Error[], method: string): L1Error {
    if (failures.length === 1) return failures[0];
    return failures.every((f) => f instanceof HistoricalStateUnavailableError)
      ? failures[0]
      : new L1UnavailableError(failures, method);
  }

  async #ask<T>(endpoint: JsonRpcEndpoint, { method, params, parse, about, atBlock }: L1Call<T>): Promise<T> {
    const fields = { url: endpoint.name, method: about ? `${method} ${about}` : method };
    const started = performance.now();
    const ended = (outcome: L1CallOutcome) => this.#calls?.record(endpoint.name, outcome, performance.now() - started);
    try {
      const result = parse(await endpoint.call(method, params));
      ended("ok");
      return result;
    } catch (error) {
      ended(error instanceof DecodeError ? "nonsense" : isRevert(error) ? "ok" : outcomeOf(error));
      if (error instanceof L1RpcError && atBlock !== undefined && saysHistoryGone(error)) {
        throw new HistoricalStateUnavailableError(atBlock, { ...fields, cause: error });
      }
      if (error instanceof DecodeError) {
        throw new L1EndpointError("nonsense", `${error.subject} ${error.rule}`, { ...fields, cause: error });
      }
      throw error;
    }
  }

  /**
   * Checks the chain id of each endpoint. Throws a WrongChainError for the first that serves another chain, and an
   * L1UnavailableError (or the only endpoint's error) if none answers. If some answer, the others only cause a warning.
   */
  async checkChain(expected: number): Promise<void> {
    for (let round = 0; ; round++) {
      const failures: L1Error[] = [];
      await Promise.all(
        this.#endpoints.map(async (endpoint) => {
          let actual: number;
          try {
            const call = { method: "eth_chainId", params: [], parse: (v: unknown) => quantity(v, "chain id") };
            actual = await this.#ask(endpoint, call);
          } catch (error) {
            if (!(error instanceof L1Error)) throw error;
            failures.push(error);
            return;
          }
          if (actual !== expected) throw new WrongChainError(expected, actual, endpoint.name);
        }),
      );
      if (failures.length < this.#endpoints.length) {
        for (const { message } of failures) this.#logger.warn({ reason: message }, "an L1 endpoint does not answer");
        return;
      }
      this.#signal?.throwIfAborted();
      const wait = this.#retryDelaysMs[round];
      if (wait === undefined || failures.every(isLasting)) throw this.#verdict(failures, "eth_chainId");
      this.#logRetry("eth_chainId", failures);
      await this.#wait(wait);
    }
  }
}
