import { applyInParts, cutIntoParts } from "../world-state/apply-in-parts.ts";
import type { BlockEffects } from "../world-state/types.ts";
import { messagesOfCheckpoint } from "./message-chain.ts";
import type { RebuiltBlock } from "./rebuilt-checkpoint.ts";
import { settleWorldState } from "./sync-finality.ts";
import type { ApplyServices } from "./sync-services.ts";

/** Most blocks, and most bytes of tx words, that the replay applies together. */
const COMMIT = { blocks: 64, bytes: 2 * 1024 * 1024 };

/**
 * Applies stored blocks that the world state does not have yet, from their stored bodies, without reading L1 or blobs.
 * Runs inside ApplyServices.exclusive. Every commit is a whole number of blocks, so that the next call continues an
 * interrupted replay. Throws the reason of an interruption, or StateMismatchError when the stored blocks do not match
 * their headers.
 */
export async function replayWorldState(services: ApplyServices): Promise<void> {
  const { chain, worldState, store, logger } = services;
  const first = worldState.status().tip + 1;
  const last = chain.latestBlockNumber();
  if (first > last) return;
  logger.info({ first, last }, "replaying stored blocks into the world state");
  while (worldState.status().tip < last) {
    services.interruption.signal.throwIfAborted();
    const blocks = nextBlocks(services, worldState.status().tip + 1, last).map((block) => ({ effects: [block] }));
    await applyInParts(worldState, cutIntoParts(blocks), (_, prepared) => {
      store.transaction(() => {
        if (prepared !== undefined) worldState.write(prepared);
        settleWorldState(services);
      });
    });
  }
  logger.info({ block: last }, "the world state has every stored block again");
}

function nextBlocks(services: ApplyServices, first: number, last: number): BlockEffects[] {
  const effects: BlockEffects[] = [];
  let bytes = 0;
  for (let number = first; number <= last && effects.length < COMMIT.blocks && bytes < COMMIT.bytes; number++) {
    effects.push(storedEffects(services, number));
    bytes += services.chain.blockBody(number)!.length;
  }
  return effects;
}

function storedEffects({ chain }: ApplyServices, number: number): BlockEffects {
  const record = chain.block(number)!;
  const messages =
    record.indexWithinCheckpoint === 0 ? messagesOfCheckpoint(chain.messages, record.checkpointNumber) : [];
  return blockEffects({ record, txs: chain.txEffects(number) }, messages);
}

/** Effects of a block on the trees; `messages` are those of its checkpoint. */
export function blockEffects(
  { record, txs }: Pick<RebuiltBlock, "record" | "txs">,
  messages: Uint8Array[],
): BlockEffects {
  const { header, hash, archiveRoot, indexWithinCheckpoint } = record;
  const l1ToL2Messages = indexWithinCheckpoint === 0 ? messages : undefined;
  return { header, blockHash: hash, archiveRoot, txs, l1ToL2Messages };
}
