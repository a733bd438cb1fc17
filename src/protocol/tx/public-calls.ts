import { isZero, toHex } from "../bytes.ts";
import type { PublicCallRequest } from "./accumulated-data.ts";
import type { Tx } from "./tx.ts";

/** A public call that a tx enqueued, with the calldata that the tx carries for it. */
export interface PublicCall {
  request: PublicCallRequest;
  /** n x 32 bytes, the selector first; empty if the tx carries none. */
  calldata: Uint8Array;
}

/**
 * Pairs each request with its calldata, by the hash that the tx claims for the calldata. The hash is not checked here.
 */
export function publicCalls(
  requests: readonly PublicCallRequest[],
  { publicFunctionCalldata }: Pick<Tx, "publicFunctionCalldata">,
): PublicCall[] {
  const byHash = new Map(publicFunctionCalldata.map(({ hash, values }) => [toHex(hash), values]));
  return requests.map((request) => ({
    request,
    calldata: byHash.get(toHex(request.calldataHash)) ?? new Uint8Array(0),
  }));
}

/** Selector of a call, 4 bytes; undefined if the calldata does not begin with one. */
export function calledSelector(calldata: Uint8Array): Uint8Array | undefined {
  return calldata.length >= 32 && isZero(calldata.subarray(0, 28)) ? calldata.subarray(28, 32) : undefined;
}
