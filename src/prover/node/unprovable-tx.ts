import type { ChainStore } from "../../archiver/chain-store.ts";
import type { CheckpointRecord } from "../../archiver/tables/records.ts";
import { toHex } from "../../protocol/bytes.ts";
import { REVERTED } from "../../protocol/revert-code.ts";

/**
 * Why the circuits cannot prove a checkpoint: a proposer before release 4.3 put the revert code 2 or 3 of a transaction
 * whose teardown reverted into the blob, and the circuits know only 0 and 1
 * (docs/protocol/13-proving.md#138-inputs-of-the-public-vm).
 */
export function unprovableTx(
  chain: Pick<ChainStore, "txEffects">,
  { startBlock, blockCount }: CheckpointRecord,
): string | undefined {
  for (let block = startBlock; block < startBlock + blockCount; block++) {
    const found = chain.txEffects(block).find(({ revertCode }) => revertCode > REVERTED);
    if (found === undefined) continue;
    const { txHash, revertCode } = found;
    return `tx ${toHex(txHash)} of block ${block} has revert code ${revertCode}, and the circuits know only 0 and 1`;
  }
  return undefined;
}
