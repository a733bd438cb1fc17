import type { Core } from "../../core/core.ts";
import { loadCore } from "../../core/load-core.ts";
import { digestTxs } from "./digest-tx.ts";
import type { DigestedTx, TxDigest } from "./tx-digest.ts";

let core: Core | undefined;

/** Entry of a pool thread. */
export default function digestOnThread(txs: readonly DigestedTx[]): TxDigest[] {
  core ??= loadCore();
  return digestTxs(core, txs);
}
