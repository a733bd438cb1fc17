import { BLOCK_HEADER_BYTES, type BlockHeader } from "../block-header.ts";
import { bigUintBytes, writeU32 } from "../bytes.ts";
import type { GasFees, TxGas } from "../fees/gas-fees.ts";
import type { Fr } from "../field.ts";
import { isForPublic, privateAccumulatedData, publicAccumulatedData } from "./accumulated-data.ts";
import { TX_DATA_AT } from "./kernel-output.ts";
import type { Tx } from "./tx.ts";

/**
 * Derives new transactions from recorded ones. The proof of the result is not valid, so only a network without proofs
 * accepts it. Everything else that nodes check can be made valid
 * (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons). Offsets are those of kernel-output.ts.
 */

/** Parts of a tx that depend on the network and the time. Omitted parts stay as recorded. */
export interface TxTerms {
  /** Header of a block in the chain's archive. */
  anchor?: BlockHeader;
  chainId?: Fr;
  version?: Fr;
  gasLimits?: TxGas;
  /** Gas used by the private part. */
  gasUsed?: TxGas;
  maxFeesPerGas?: GasFees;
  maxPriorityFeesPerGas?: GasFees;
  /** Seconds. */
  expirationTimestamp?: bigint;
}

/** A copy of the tx with the given terms; its hash differs. Throws a RangeError for an anchor of wrong length. */
export function withTerms(tx: Tx, terms: TxTerms): Tx {
  const { anchor, chainId, version, gasLimits, gasUsed, maxFeesPerGas, maxPriorityFeesPerGas, expirationTimestamp } =
    terms;
  const data = new Uint8Array(tx.data);
  if (anchor !== undefined) {
    if (anchor.length !== BLOCK_HEADER_BYTES) {
      throw new RangeError(`a block header has ${BLOCK_HEADER_BYTES} bytes, got ${anchor.length}`);
    }
    data.set(anchor, TX_DATA_AT.anchorHeader);
  }
  if (chainId !== undefined) data.set(chainId, TX_DATA_AT.chainId);
  if (version !== undefined) data.set(version, TX_DATA_AT.version);
  if (gasLimits !== undefined) writeGas(data, TX_DATA_AT.gasLimits, gasLimits);
  if (gasUsed !== undefined) writeGas(data, TX_DATA_AT.gasUsed, gasUsed);
  if (maxFeesPerGas !== undefined) writeFees(data, TX_DATA_AT.maxFeesPerGas, maxFeesPerGas);
  if (maxPriorityFeesPerGas !== undefined) writeFees(data, TX_DATA_AT.maxPriorityFeesPerGas, maxPriorityFeesPerGas);
  if (expirationTimestamp !== undefined) data.set(bigUintBytes(expirationTimestamp, 8), TX_DATA_AT.expirationTimestamp);
  return { ...tx, data };
}

function writeGas(data: Uint8Array, at: number, { daGas, l2Gas }: TxGas): void {
  writeU32(data, at, daGas);
  writeU32(data, at + 4, l2Gas);
}

function writeFees(data: Uint8Array, at: number, { feePerDaGas, feePerL2Gas }: GasFees): void {
  data.set(bigUintBytes(feePerDaGas, 16), at);
  data.set(bigUintBytes(feePerL2Gas, 16), at + 16);
}

/**
 * A copy of the tx whose nullifiers, note hashes and first fields (tags) of private logs are successive values of
 * `next`, so that it does not conflict with the recorded one. Not for a tx that publishes classes or instances, because
 * the network interprets its nullifiers and logs.
 */
export function withFreshEffects(tx: Tx, next: () => Fr): Tx {
  const data = new Uint8Array(tx.data);
  const parts = accumulations(data);
  for (const { nullifiers, noteHashes, privateLogs } of parts) {
    for (const nullifier of nullifiers) nullifier.set(next());
    for (const noteHash of noteHashes) noteHash.set(next());
    for (const log of privateLogs) log.set(next());
  }
  return { ...tx, data };
}

/** Views into `data`. */
function accumulations(data: Uint8Array) {
  if (!isForPublic(data)) return [privateAccumulatedData(data)];
  const { nonRevertible, revertible } = publicAccumulatedData(data);
  return [nonRevertible, revertible];
}

/**
 * A copy of the tx in which `change` replaces the calldata of each public call (n x 32 bytes, the selector first).
 * `hash` computes the hash of public calldata (core/derive/call-hashes.ts). Calls are numbered in the order setup, app,
 * teardown. Throws a RangeError unless the tx has one calldata for each call.
 */
export function withCalldata(
  tx: Tx,
  change: (calldata: Uint8Array, call: number) => Uint8Array,
  hash: (calldata: Uint8Array) => Fr,
): Tx {
  const data = new Uint8Array(tx.data);
  const requests = callRequests(data);
  if (requests.length !== tx.publicFunctionCalldata.length) {
    throw new RangeError(`the tx has ${tx.publicFunctionCalldata.length} calldata for ${requests.length} calls`);
  }
  const publicFunctionCalldata = tx.publicFunctionCalldata.map(({ values }, call) => {
    const changed = change(new Uint8Array(values), call);
    const calldataHash = hash(changed);
    requests[call].calldataHash.set(calldataHash);
    return { values: changed, hash: calldataHash };
  });
  return { ...tx, data, publicFunctionCalldata };
}

function callRequests(data: Uint8Array) {
  if (!isForPublic(data)) return [];
  const { setupCalls, appCalls, teardownCall } = publicAccumulatedData(data);
  return [...setupCalls, ...appCalls, ...(teardownCall === undefined ? [] : [teardownCall])];
}
