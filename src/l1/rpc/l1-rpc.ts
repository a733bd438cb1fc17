import { setTimeout as sleep } from "node:timers/promises";
import { EndpointBook, type EndpointService } from "../../endpoints/endpoint-book.ts";
import type { EndpointHealth } from "../../endpoints/endpoint-health.ts";
import { AllEndpointsFailed, hedgedCall } from "../../endpoints/hedged-call.ts";
import { redactUrl } from "../../http/redact.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { type Logger, silentLogger } from "../../telemetry/logger.ts";
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
import { JsonRpcEndpoint, OVERTAKEN } from "./endpoint.ts";
import { type L1CallCounts, type L1CallOutcome, outcomeOf } from "./l1-call-counts.ts";
import { ServedChain } from "./served-chain.ts";

interface L1Call<T> {
  method: string;
  params: readonly unknown[];
  /** Checks the result and gives it a type. Throws a DecodeError, which counts against the endpoint that answered. */
  parse(result: unknown): T;
  /** Contract function that is called, for error messages. */
  about?: string;
  /** Number of the block whose state is read, if the call is pinned to one. */
  atBlock?: number;
  /**
   * Number of a block without which the answer would be incomplete and not an error, as for logs. An endpoint that is
   * behind is not asked.
   */
  needsBlock?: number;
}

export interface L1RpcOptions {
  /** In order of preference; those that fail are asked last. */
  urls: readonly string[];
  /** The chain that the endpoints must be on: each is asked for its chain id before its first other call. */
  chainId?: number;
  /** What the endpoints are for. */
  service?: EndpointService;
  /** The health of endpoints, shared with their other users. */
  endpoints?: EndpointBook;
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

const METHOD_MISSING = -32601;
const INVALID_PARAMS = -32602;

/** Whether the error is caused by the call, so that retrying at the same endpoint is useless. */
function isLasting(error: L1Error): boolean {
  return (
    error instanceof HistoricalStateUnavailableError ||
    error instanceof WrongChainError ||
    (error instanceof L1RpcError && (error.code === METHOD_MISSING || error.code === INVALID_PARAMS))
  );
}

/** Whether the endpoint would fail other calls too. */
function isOutage(error: unknown): boolean {
  if (error instanceof L1RpcError) return outcomeOf(error) === "rate-limited";
  if (error instanceof WrongChainError) return true;
  return error instanceof L1EndpointError && error.kind !== "behind" && !(error.cause instanceof DecodeError);
}

/**
 * Methods that may be asked of two endpoints at once: reads, and the sending of a signed transaction, which has the
 * same effect at both. What changes a development chain goes to one endpoint after the other.
 */
const HEDGED_METHODS = /^(eth|debug|trace|net|web3)_/;
const NEVER_MS = 2 ** 31 - 1;

/** How long questions to all endpoints wait for the others once one has answered. */
const OTHERS_MS = 1_500;
const PROBE_MS = 2_000;

/** One endpoint of an L1Rpc. */
interface L1Endpoint {
  readonly health: EndpointHealth;
  readonly rpc: JsonRpcEndpoint;
  /** The latest block that it has shown. */
  head: number;
  readonly chain: ServedChain;
}

const CHAIN_ID = { method: "eth_chainId", params: [], parse: (v: unknown) => quantity(v, "chain id") };
const blockNumber = { method: "eth_blockNumber", params: [], parse: (v: unknown) => quantity(v, "block number") };

/**
 * JSON-RPC to L1 over several endpoints, by the policy of src/endpoints: the first one that answers is asked; a silent
 * one costs its call a second or two, and is then asked last until it answers probes again. One that serves another
 * chain than the configured one is not asked, which is an error in the log, until a probe finds it on the right chain.
 */
export class L1Rpc {
  /** Redacted. */
  readonly urls: readonly string[];
  /** In order of preference. */
  #endpoints: readonly L1Endpoint[];
  readonly #retryDelaysMs: readonly number[];
  readonly #signal: AbortSignal | undefined;
  readonly #calls: L1CallCounts | undefined;
  readonly #logger: Logger;
  #chainId: number | undefined;

  constructor({
    urls,
    chainId,
    service = "l1",
    timeoutMs = 20_000,
    retryDelaysMs = [200, 1000, 3000],
    batchSize = 50,
    signal,
    calls,
    logger,
    endpoints,
  }: L1RpcOptions) {
    if (urls.length === 0) throw new L1ConfigurationError("at least one L1 RPC URL is required");
    for (const url of urls) {
      if (!/^https?:$/.test(URL.parse(url)?.protocol ?? "")) {
        throw new L1ConfigurationError(`an L1 RPC URL must be http:// or https://, got ${redactUrl(url)}`);
      }
    }
    const book = endpoints ?? new EndpointBook({ logger });
    if (endpoints === undefined) signal?.addEventListener("abort", () => book.close(), { once: true });
    this.#endpoints = urls.map((url) => {
      // A probe must not share a batch with other calls.
      const probed = new JsonRpcEndpoint(url, { timeoutMs: PROBE_MS, batchSize: 1 });
      const probe = async (ended: AbortSignal) => {
        blockNumber.parse(await probed.call(blockNumber.method, [], ended));
        if (this.#chainId === undefined) return;
        // Whoever mends an endpoint may have it serve another chain.
        const served = CHAIN_ID.parse(await probed.call(CHAIN_ID.method, [], ended));
        endpoint.chain.found(served, this.#chainId);
      };
      const rpc = new JsonRpcEndpoint(url, { timeoutMs, batchSize, signal });
      const endpoint: L1Endpoint = {
        health: book.of(service, url, probe),
        rpc,
        head: -1,
        chain: new ServedChain({
          name: rpc.name,
          ask: () => this.#send(endpoint, CHAIN_ID, new AbortController().signal),
          // The error of a call to the only endpoint says it.
          logger: urls.length > 1 ? logger : silentLogger,
        }),
      };
      return endpoint;
    });
    this.urls = this.#endpoints.map(({ rpc }) => rpc.name);
    this.#chainId = chainId;
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
    const { method } = call;
    for (let round = 0; ; round++) {
      this.#signal?.throwIfAborted();
      let failures: L1Error[];
      try {
        return await hedgedCall(this.#endpoints, (endpoint, signal) => this.#ask(endpoint, call, signal), {
          kind: method,
          ...(!HEDGED_METHODS.test(method) && { hedgeMs: NEVER_MS }),
          isOutage,
          isFinal: (error) => !(error instanceof L1Error) || isRevert(error),
          signal: this.#signal,
        });
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (!(error instanceof AllEndpointsFailed)) throw error;
        failures = error.failures.map((failure) => failure.error as L1Error);
      }
      const wait = this.#retryDelaysMs[round];
      if (wait === undefined || failures.every(isLasting)) throw this.#verdict(failures, method);
      this.#logRetry(method, failures);
      await this.#wait(wait);
    }
  }

  /**
   * Asks every endpoint once, at the same time. Returns the answers with the redacted URL of each endpoint; those that
   * fail, or do not answer soon after another one, are left out.
   */
  async requestEach<T>(call: L1Call<T>): Promise<{ url: string; answer: T }[]> {
    this.#signal?.throwIfAborted();
    const over = new AbortController();
    let limit: NodeJS.Timeout | undefined;
    const answers = this.#endpoints.map(async (endpoint) => {
      try {
        const answer = await this.#ask(endpoint, call, over.signal);
        limit ??= setTimeout(() => over.abort(), OTHERS_MS);
        return [{ url: endpoint.rpc.name, answer }];
      } catch (error) {
        if (!(error instanceof L1Error)) throw error;
        return [];
      }
    });
    try {
      return (await Promise.all(answers)).flat();
    } finally {
      clearTimeout(limit);
    }
  }

  /** Prefers the other endpoints to those with these redacted URLs from now on, where there are others. */
  preferOthers(urls: readonly string[]): void {
    const isOther = ({ rpc }: L1Endpoint): boolean => !urls.includes(rpc.name);
    this.#endpoints = [...this.#endpoints.filter(isOther), ...this.#endpoints.filter((each) => !isOther(each))];
  }

  #logRetry(method: string, failures: L1Error[]): void {
    this.#logger.debug({ method, failures: failures.map(({ message }) => message) }, "L1 call failed, trying again");
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

  async #ask<T>(endpoint: L1Endpoint, call: L1Call<T>, signal: AbortSignal): Promise<T> {
    if (this.#chainId !== undefined) await unlessAborted(endpoint.chain.expect(this.#chainId), signal);
    const { needsBlock } = call;
    if (needsBlock !== undefined && this.#endpoints.length > 1 && endpoint.head < needsBlock) {
      await this.#send(endpoint, blockNumber, signal);
      if (endpoint.head < needsBlock) {
        const rule = `the endpoint is at block ${endpoint.head}, block ${needsBlock} is needed`;
        throw new L1EndpointError("behind", rule, { url: endpoint.rpc.name, method: call.method });
      }
    }
    return this.#send(endpoint, call, signal);
  }

  async #send<T>(endpoint: L1Endpoint, call: L1Call<T>, signal: AbortSignal): Promise<T> {
    const { method, params, parse, about, atBlock } = call;
    const { name } = endpoint.rpc;
    const fields = { url: name, method: about ? `${method} ${about}` : method };
    const started = performance.now();
    const ended = (outcome: L1CallOutcome) => this.#calls?.record(name, outcome, performance.now() - started);
    try {
      const answer = await endpoint.rpc.call(method, params, signal);
      const result = parse(answer);
      noteHead(endpoint, call, answer);
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
   * Checks the chain id of each endpoint. Throws a WrongChainError if all that answer serve another chain, and an
   * L1UnavailableError (or the only endpoint's error) if none answers. An endpoint that does not answer soon after
   * another one is checked before its first call.
   */
  async checkChain(expected: number): Promise<void> {
    this.#chainId = expected;
    for (let round = 0; ; round++) {
      const failures: L1Error[] = [];
      const answered = Promise.withResolvers<void>();
      const checks = this.#endpoints.map(async (endpoint) => {
        try {
          await endpoint.chain.expect(expected);
          answered.resolve();
        } catch (error) {
          if (!(error instanceof L1Error)) throw error;
          if (isOutage(error) && !error.fatal) endpoint.health.failed(error.message);
          failures.push(error);
        }
      });
      const all = Promise.all(checks);
      all.catch(() => undefined);
      const over = new AbortController();
      const soon = answered.promise.then(() => sleep(OTHERS_MS, "soon" as const, { signal: over.signal }));
      soon.catch(() => undefined);
      const first = await Promise.race([all, soon]).finally(() => over.abort());
      if (failures.length < this.#endpoints.length) {
        if (first === "soon") for (const { health, chain } of this.#endpoints) if (!chain.isKnown) health.late();
        return;
      }
      this.#signal?.throwIfAborted();
      const wait = this.#retryDelaysMs[round];
      if (wait === undefined || failures.every(isLasting)) {
        throw failures.find((error) => error instanceof WrongChainError) ?? this.#verdict(failures, CHAIN_ID.method);
      }
      this.#logRetry(CHAIN_ID.method, failures);
      await this.#wait(wait);
    }
  }
}

/** Rejects as a call does whose answer is no longer waited for. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = () => reject(new L1EndpointError("timeout", OVERTAKEN, {}));
    if (signal.aborted) aborted();
    signal.addEventListener("abort", aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}

/** Remembers the latest block that an endpoint has. It may go back, as a development chain does. */
function noteHead(endpoint: L1Endpoint, { method, params }: L1Call<unknown>, answer: unknown): void {
  if (method === "eth_blockNumber") endpoint.head = Number(answer);
  else if (method === "eth_getBlockByNumber" && params[0] === "latest" && typeof answer === "object") {
    const { number } = (answer ?? {}) as { number?: unknown };
    if (typeof number === "string") endpoint.head = Number(number);
  }
}
