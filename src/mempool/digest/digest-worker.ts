import type { Core } from "../../core/core.ts";
import { loadCore } from "../../core/load-core.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { digestTx } from "./digest-tx.ts";
import type { TxDigest } from "./tx-digest.ts";

let core: Core | undefined;

/** Entry of a pool thread. */
export default function digestOnThread(tx: Tx): TxDigest {
  core ??= loadCore();
  return digestTx(core, tx);
}
