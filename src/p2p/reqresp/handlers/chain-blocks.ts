import type { ChainReader } from "../../../archiver/types.ts";
import type { L2Block } from "../../../protocol/consensus/l2-block.ts";
import { readTxEffects } from "../../../protocol/tx-effect.ts";
import type { StatusMessage } from "../codecs/status-message.ts";
import type { ServedBlocks } from "./block.ts";
import type { BlockTxHashes } from "./block-txs.ts";

/** Blocks of the chain, proposed ones included; genesis is left out. */
export function chainBlocks(
  chain: Pick<ChainReader, "block" | "blockBody" | "blockNumberByArchive">,
): ServedBlocks & BlockTxHashes {
  const block = (number: number): L2Block | undefined => {
    const record = number === 0 ? undefined : chain.block(number);
    const words = record && chain.blockBody(number);
    return words && { ...record, words };
  };
  return {
    block,
    txHashesOf(archive) {
      const number = chain.blockNumberByArchive(archive);
      const words = number === undefined ? undefined : chain.blockBody(number);
      return words && readTxEffects(words).map(({ txHash }) => txHash);
    },
  };
}

/** What a node at the chain's tips says of itself. */
export function chainStatus(version: string, chain: Pick<ChainReader, "tips">): StatusMessage {
  const { proposed, finalized } = chain.tips();
  return {
    version,
    latestBlock: proposed.number,
    latestHash: proposed.hash,
    finalizedBlock: finalized.block.number,
  };
}
