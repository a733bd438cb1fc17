import { isZero, toHex } from "../bytes.ts";
import type { PublicCallRequest } from "./accumulated-data.ts";
import type { Tx } from "./tx.ts";

/** A call that a tx asks for with the calldata that the tx brings for it. */
export interface PublicCall {
  request: PublicCallRequest;
  /** n x 32 bytes, the selector first; empty when the tx brings none. */
  calldata: Uint8Array;
}

/** The calldata of each request, found by the hash that the tx claims for it; whether it is the right one is to be checked. */
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

/** Selector of a call, 4 bytes; undefined where the calldata does not begin with one. */
export function calledSelector(calldata: Uint8Array): Uint8Array | undefined {
  return calldata.length >= 32 && isZero(calldata.subarray(0, 28)) ? calldata.subarray(28, 32) : undefined;
}
