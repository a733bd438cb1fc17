import { useEffect, useState } from "preact/hooks";
import { call, useCall } from "./rpc.js";

/** Each transaction adds as many leaves to the note hash tree. */
const NOTE_HASHES_PER_TX = 64;

const header = (block) => block.header.globalVariables;
const noteHashes = (block) => block.header.state.partial.noteHashTree.nextAvailableLeafIndex;

/** The facts of a block that lists show. `before` is the block before it, undefined for the first one. */
export function summary(block, before) {
  const { slotNumber, timestamp, coinbase } = header(block);
  return {
    number: block.number,
    hash: block.hash,
    checkpoint: block.checkpointNumber,
    slot: Number(slotNumber),
    timestamp: Number(timestamp),
    coinbase,
    txs: (noteHashes(block) - (before === undefined ? 0 : noteHashes(before))) / NOTE_HASHES_PER_TX,
    mana: Number(block.header.totalManaUsed),
    fees: BigInt(block.header.totalFees),
  };
}

/** Summaries of the blocks from..to, both included, newest first. Rejects when they cannot be read. */
async function summaries(from, to) {
  const first = Math.max(1, from - 1);
  const [{ value, error }] = await call(["svc_getBlocks", first, to - first + 1]);
  if (error) throw error;
  return value
    .map((block, i) => summary(block, value[i - 1]))
    .filter(({ number }) => number >= from)
    .reverse();
}

/**
 * The blocks from..to, newest first, read again only where they are new: a list that follows the tip asks for each
 * block once. `tipHash` changes with the chain, and a block that is not the parent of its successor any more shows up
 * as another hash at the tip.
 */
export function useBlocks(from, to, tipHash) {
  const [known, setKnown] = useState(/** @type {{ blocks: any[], error?: unknown }} */ ({ blocks: [] }));
  useEffect(() => {
    let wanted = true;
    if (to < 1 || tipHash === undefined) return undefined;
    const { blocks } = known;
    const [newest] = blocks;
    const isNext = newest !== undefined && newest.number < to && blocks.at(-1).number <= from;
    const since = isNext ? Math.max(from, newest.number) : from;
    summaries(since, to).then(
      (added) => {
        if (!wanted) return;
        const again = added.find(({ number }) => number === newest?.number);
        // Another block stands where the newest known one was: the chain was unwound.
        if (isNext && again !== undefined && again.hash !== newest.hash) {
          return summaries(from, to).then((all) => wanted && setKnown({ blocks: all, error: undefined }));
        }
        const rest = isNext ? blocks.filter(({ number }) => number < since && number >= from) : [];
        setKnown({ blocks: [...added, ...rest], error: undefined });
      },
      (error) => wanted && setKnown({ blocks, error }),
    );
    return () => {
      wanted = false;
    };
  }, [from, to, tipHash]);
  return known;
}

/** The tips by name: `{ number, hash, checkpoint }`. */
export function useTips() {
  const { value } = useCall("svc_getChainTips");
  if (!value) return undefined;
  const settled = ({ block, checkpoint }) => ({ ...block, checkpoint: checkpoint.number });
  return {
    proposed: value.proposed,
    checkpointed: settled(value.checkpointed),
    proven: settled(value.proven),
    finalized: settled(value.finalized),
  };
}

/** The furthest tip that covers a block. */
export function stageOf(number, tips) {
  if (tips === undefined) return "";
  if (number <= tips.finalized.number) return "finalized";
  if (number <= tips.proven.number) return "proven";
  return number <= tips.checkpointed.number ? "checkpointed" : "proposed";
}
