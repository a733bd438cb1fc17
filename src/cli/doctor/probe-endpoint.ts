import { L1EndpointError, L1Error, L1RpcError } from "../../l1/errors.ts";
import { block as parseBlock, quantity } from "../../l1/rpc/answers.ts";
import { JsonRpcEndpoint } from "../../l1/rpc/endpoint.ts";
import type { L1Block } from "../../l1/types.ts";
import { DecodeError } from "../../protocol/errors.ts";

const RATE_LIMITED = /rate|too many requests|limit exceeded|capacity|throttl/i;

/** What a single endpoint answers, one call after the other and without retries. */
export class EndpointProbe {
  readonly name: string;
  readonly #endpoint: JsonRpcEndpoint;
  /** Calls that were refused because there were too many. */
  refusals = 0;
  calls = 0;

  constructor(url: string, timeoutMs: number) {
    // One call for each HTTP request, so that each counts.
    this.#endpoint = new JsonRpcEndpoint(url, { timeoutMs, batchSize: 1 });
    this.name = this.#endpoint.name;
  }

  /** Throws an L1Error or a DecodeError. */
  async call<T>(method: string, params: readonly unknown[], parse: (value: unknown) => T): Promise<T> {
    this.calls++;
    try {
      return parse(await this.#endpoint.call(method, params));
    } catch (error) {
      if (isRateLimit(error)) this.refusals++;
      throw error;
    }
  }

  chainId(): Promise<number> {
    return this.call("eth_chainId", [], (value) => quantity(value, "chain id"));
  }

  block(tag: string): Promise<L1Block | undefined> {
    return this.call("eth_getBlockByNumber", [tag, false], parseBlock);
  }
}

export function isRateLimit(error: unknown): boolean {
  if (error instanceof L1EndpointError) return /status 429/.test(error.rule);
  return error instanceof L1RpcError && (error.code === -32005 || RATE_LIMITED.test(error.rpcMessage));
}

/** The rule of an error of an endpoint; anything else is thrown on. */
export function ruleOf(error: unknown): string {
  if (error instanceof L1Error || error instanceof DecodeError) return error.rule;
  throw error;
}

export const hex = (number: number): string => `0x${Math.max(number, 0).toString(16)}`;
