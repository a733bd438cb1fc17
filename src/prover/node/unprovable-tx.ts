import type { ChainStore } from "../../archiver/chain-store.ts";
import type { CheckpointRecord } from "../../archiver/types.ts";
import { PROVABLE_REVERT_CODE } from "../../execution/process-txs.ts";
import { toHex } from "../../protocol/bytes.ts";

/**
 * Why the circuits cannot prove a checkpoint: a transaction whose teardown reverted has a revert code of 2 or 3 in the
 * blob, which no circuit puts there (docs/protocol/13-proving.md#138-inputs-of-the-public-vm).
 */
export function unprovableTx(
  chain: Pick<ChainStore, "txEffects">,
  { startBlock, blockCount }: CheckpointRecord,
): string | undefined {
  for (let block = startBlock; block < startBlock + blockCount; block++) {
    const found = chain.txEffects(block).find(({ revertCode }) => revertCode > PROVABLE_REVERT_CODE);
    if (found === undefined) continue;
    const { txHash, revertCode } = found;
    return `tx ${toHex(txHash)} of block ${block} has revert code ${revertCode}, and the circuits know only 0 and 1`;
  }
  return undefined;
}
