import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { emptyProof } from "../../../src/protocol/tx/tx.ts";
import * as bytes from "../../../src/protocol/tx/tx-bytes.ts";
import { releaseTx } from "../../../src/rpc/codecs/shared/tx.ts";

/** Forms of v4's transactions, which most recordings hold. */
export const STRIPPED_PROOF: Uint8Array = emptyProof(V4.transactions.proofFields);
export const CHONK_PROOF_BYTES = STRIPPED_PROOF.length;

export function txFromBytes(given: Uint8Array, start = 0): bytes.ClaimedTx {
  return bytes.txFromBytes(given, start, V4.transactions.proofFields);
}

/** Parameter of v4's sendTx. */
export const txParameter = releaseTx(V4.transactions);
