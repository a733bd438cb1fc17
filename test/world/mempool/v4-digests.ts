import type { Core } from "../../../src/core/core.ts";
import * as digest from "../../../src/mempool/digest/digest-tx.ts";
import type { DigestedTx, TxDigest } from "../../../src/mempool/digest/tx-digest.ts";
import * as facts from "../../../src/mempool/digest/tx-facts.ts";
import { rpcChecks } from "../../../src/mempool/validation/check-groups.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";

/** Digests, facts and checks of v4's transactions. */
export function digestTx(core: Core, tx: DigestedTx): TxDigest {
  return digest.digestTx(core, tx, V4.contracts);
}

export function txFacts(tx: Tx, own: TxDigest, claimedHash?: Uint8Array): facts.TxFacts {
  return facts.txFacts(tx, own, V4.contracts, claimedHash);
}

export const RPC_CHECKS = rpcChecks(V4.transactions, { isSimulation: false, skipFeeEnforcement: false });
export const RPC_CHECKS_WITHOUT_FEES = rpcChecks(V4.transactions, { isSimulation: false, skipFeeEnforcement: true });
