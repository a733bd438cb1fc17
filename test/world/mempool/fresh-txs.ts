import type { Core } from "../../../src/core/core.ts";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { bigUintBytes, concat, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { JsonWriter } from "../../../src/rpc/codecs/json/json-writer.ts";
import { encodeTx } from "../../../src/rpc/codecs/shared/tx.ts";
import type { RecordedTx } from "../protocol/recorded-txs.ts";
import { seeded } from "./pool-txs.ts";

export interface FreshTxPlan {
  /** The tx's only nullifier. */
  nullifier: string;
  /** Per L2 gas. */
  priorityFee?: bigint;
  /** Per L2 gas; covers the network's price by default. */
  maxFee?: bigint;
  feePayer?: Uint8Array;
  expiration?: bigint;
}

const NULLIFIERS_AT = TX_DATA_AT.accumulated + 2_048;
const REVERTIBLE_NULLIFIERS_AT = NULLIFIERS_AT + 40_964;

/** A copy of a recorded tx with a fresh nullifier. Valid where proofs are not checked. */
export function freshTx({ tx }: RecordedTx, plan: FreshTxPlan): Tx {
  const { nullifier, priorityFee = 0n, maxFee = 10n ** 12n, feePayer, expiration = 2n ** 63n } = plan;
  const data = new Uint8Array(tx.data);
  data.fill(0, NULLIFIERS_AT, NULLIFIERS_AT + 64 * 32);
  if (data[TX_DATA_AT.forPublic] !== 0) data.fill(0, REVERTIBLE_NULLIFIERS_AT, REVERTIBLE_NULLIFIERS_AT + 64 * 32);
  data.set(seeded(nullifier), NULLIFIERS_AT);
  writeU32(data, TX_DATA_AT.gasLimits, 100_000);
  writeU32(data, TX_DATA_AT.gasLimits + 4, data[TX_DATA_AT.forPublic] === 0 ? 440_000 : 6_000_000);
  data.set(concat(new Uint8Array(16), bigUintBytes(maxFee, 16)), TX_DATA_AT.maxFeesPerGas);
  data.set(concat(new Uint8Array(16), bigUintBytes(priorityFee, 16)), TX_DATA_AT.maxPriorityFeesPerGas);
  if (feePayer !== undefined) data.set(feePayer, TX_DATA_AT.feePayer);
  data.set(bigUintBytes(expiration, 8), TX_DATA_AT.expirationTimestamp);
  return { ...tx, data };
}

/** The tx in the JSON form that clients send. */
export function txJson(core: Core, tx: Tx): { hash: string; json: Record<string, unknown> } {
  const hash = txHash(core, tx.data);
  const out = new JsonWriter();
  encodeTx(out, { hash, tx, withProof: true });
  return { hash: toHex(hash), json: JSON.parse(Buffer.from(out.take()).toString("utf8")) };
}
