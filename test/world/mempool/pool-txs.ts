import { createHash } from "node:crypto";
import type { TxDigest } from "../../../src/mempool/digest/tx-digest.ts";
import type { TxFacts, TxSummary } from "../../../src/mempool/digest/tx-facts.ts";
import { type PoolEntry, poolEntry } from "../../../src/mempool/pool/pool-entry.ts";
import { bigUintBytes, concat, writeU32 } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { PRIVATE_LAYOUT, PUBLIC_LAYOUT, TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { STRIPPED_PROOF } from "../protocol/v4-txs.ts";
import { txFacts } from "./v4-digests.ts";

/** A field element determined by the text alone. */
export function seeded(text: string): Uint8Array {
  const bytes = new Uint8Array(createHash("sha256").update(text).digest());
  bytes[0] = 0;
  return bytes;
}

export interface PoolTxPlan {
  hash: Uint8Array;
  fee?: bigint;
  nullifiers?: Uint8Array[];
  payer?: Uint8Array;
  /** Fee limit in thousands, because one unit of L2 gas costs at most a thousand. */
  limitThousands?: number;
  claim?: bigint;
  expiration?: bigint;
  anchorHash?: Uint8Array;
}

/** Max fee per L2 gas of a planned tx, unless its priority fee is higher. */
const MAX_FEE = 1_000n;
const INCREASE_BALANCE = 0xe7f045ffn;

/** A tx of which the pool reads the planned values, from its bytes too. Its hash is the given one. */
export function poolTx(plan: PoolTxPlan): TxFacts {
  const { fee = 0n, nullifiers = [], payer = fr(77), limitThousands = 1, claim = 0n, expiration = 1_000_000n } = plan;
  const data = new Uint8Array((claim > 0n ? PUBLIC_LAYOUT : PRIVATE_LAYOUT).bytes);
  data[0] = claim > 0n ? 1 : 0;
  const most = fee > MAX_FEE ? fee : MAX_FEE;
  writeU32(data, TX_DATA_AT.gasLimits + 4, limitThousands);
  data.set(bigUintBytes(most, 16), TX_DATA_AT.maxFeesPerGas + 16);
  data.set(bigUintBytes(fee, 16), TX_DATA_AT.maxPriorityFeesPerGas + 16);
  data.set(payer, TX_DATA_AT.feePayer);
  data.set(bigUintBytes(expiration, 8), TX_DATA_AT.expirationTimestamp);
  nullifiers.forEach((nullifier, i) => {
    data.set(nullifier, TX_DATA_AT.accumulated + 2_048 + i * 32);
  });
  const claimed = { values: concat(fr(INCREASE_BALANCE), payer, fr(claim)), hash: fr(1) };
  if (claim > 0n) {
    data.set(concat(fr(5), fr(5), Uint8Array.of(0), claimed.hash), TX_DATA_AT.accumulated + 37_860);
  }
  const tx = {
    data,
    chonkProof: STRIPPED_PROOF,
    contractClassLogFields: [],
    publicFunctionCalldata: claim > 0n ? [claimed] : [],
  };
  const digest: TxDigest = {
    hash: plan.hash,
    anchorHash: plan.anchorHash ?? fr(1),
    dataFault: undefined,
    instanceFault: undefined,
    contractsReadable: true,
  };
  return txFacts(tx, digest);
}

/** An entry that is in no pool yet; values that are not given are arbitrary. */
export function entry(parts: Partial<TxSummary> & { hash: Uint8Array }): PoolEntry {
  const summary: TxSummary = {
    anchorHash: fr(1),
    forPublic: false,
    gasLimits: { daGas: 0, l2Gas: 0 },
    maxFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: 0n },
    maxPriorityFeesPerGas: { feePerDaGas: 0n, feePerL2Gas: 0n },
    priorityFee: 0n,
    feePayer: fr(77),
    feeLimit: 0n,
    claim: 0n,
    nullifiers: [],
    expiration: 0n,
    ...parts,
  };
  return poolEntry(summary, { bytes: 1, receivedAt: 0, minedIn: undefined });
}
