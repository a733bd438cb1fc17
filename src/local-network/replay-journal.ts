import type { NodeLogger } from "../process/logging/logging.ts";
import { fromHex } from "../protocol/bytes.ts";
import type { DevelopmentL1, FullL1Block } from "./development-l1.ts";
import { readJournal, type SetWord } from "./l1-journal.ts";

/** A replayed block of L1 differs from the journal. */
class ReplayError extends Error {
  readonly block: number;

  constructor(block: number, rule: string) {
    super(`L1 block ${block}: ${rule}`);
    this.name = "ReplayError";
    this.block = block;
  }
}

type ReplayedL1 = Pick<DevelopmentL1, "latestFull" | "setClock" | "setMining" | "setStorage" | "sendRaw" | "mineAt">;

/**
 * Brings a development L1 that was started from a copy of its state to where it was, by its journal: the same
 * transactions in blocks of the same numbers and times. Blocks get other hashes, since an anvil draws their randomness.
 * Where a block cannot be made again, as after state that somebody else set by hand, it ends there with a warning.
 * Mining is off afterwards if anything was replayed. Returns whether all of it was replayed. Throws an L1Error when L1
 * does not answer at all.
 */
export async function replayJournal(l1: ReplayedL1, folder: string, log: NodeLogger): Promise<boolean> {
  const start = await l1.latestFull();
  let head = start;
  let begun = false;
  let complete = true;
  const replayWord = async ({ at, address, slot, word }: SetWord): Promise<void> => {
    if (at === head.number) await l1.setStorage(address, fromHex(slot), fromHex(word));
  };
  const replayBlock = async (block: FullL1Block): Promise<void> => {
    if (block.number !== head.number + 1) throw new ReplayError(block.number, `does not follow block ${head.number}`);
    if (head === start && block.parentHash !== start.hash) throw new ReplayError(block.number, "is of another chain");
    for (const raw of block.transactions) await l1.sendRaw(raw);
    await l1.mineAt(block.timestamp);
    head = await l1.latestFull();
    const { length } = head.transactions;
    if (length !== block.transactions.length) {
      throw new ReplayError(block.number, `has ${length} transactions instead of ${block.transactions.length}`);
    }
  };
  try {
    for await (const { block, word } of readJournal(folder)) {
      if ((block?.number ?? word?.at ?? 0) < (block === undefined ? head.number : head.number + 1)) continue;
      if (!begun) {
        begun = true;
        await l1.setClock(head.timestamp);
        await l1.setMining(false);
      }
      if (block === undefined) await replayWord(word);
      else await replayBlock(block);
    }
  } catch (error) {
    complete = false;
    log.warn(
      { err: error, block: head.number },
      "L1 could not be restored completely: its blocks after this one are lost",
    );
  }
  const blocks = head.number - start.number;
  if (blocks > 0) log.info({ blocks, block: head.number }, "restored L1 from its last copy and its journal");
  return complete;
}
