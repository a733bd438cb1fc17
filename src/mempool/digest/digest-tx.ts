import type { Core } from "../../core/core.ts";
import { blockHash } from "../../core/derive/block-hash.ts";
import { txHash } from "../../core/derive/tx-hash.ts";
import { BLOCK_HEADER_BYTES } from "../../protocol/block-header.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { isForPublic, publicAccumulatedData } from "../../protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { REASON } from "../validation/reasons.ts";
import { calldataFault, classLogFault } from "./data-fault.ts";
import { accumulatedParts, contractsHold, instanceFault } from "./published-contracts.ts";
import type { TxDigest } from "./tx-digest.ts";

/**
 * Hashes a tx and whatever it commits to: some 10 to 30 ms, 150 ms for the largest calldata. Never throws for a tx that passed
 * decoding: one whose parts cannot be read is faulty.
 */
export function digestTx(core: Core, tx: Tx): TxDigest {
  const { data } = tx;
  const anchorHeader = data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.anchorHeader + BLOCK_HEADER_BYTES);
  const hashes = { hash: txHash(core, data), anchorHash: blockHash(core, anchorHeader) };
  try {
    const parts = accumulatedParts(data);
    return {
      ...hashes,
      dataFault: callsFault(core, tx) ?? classLogFault(core, parts, tx),
      instanceFault: instanceFault(core, parts),
      contractsHold: contractsHold(core, parts, tx),
    };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { ...hashes, dataFault: REASON.unexpected, instanceFault: undefined, contractsHold: false };
  }
}

function callsFault(core: Core, tx: Tx): string | undefined {
  if (!isForPublic(tx.data)) return calldataFault(core, [], tx);
  const { setupCalls, appCalls, teardownCall } = publicAccumulatedData(tx.data);
  const requests = [...setupCalls, ...appCalls, ...(teardownCall === undefined ? [] : [teardownCall])];
  return calldataFault(core, requests, tx);
}
