import type { ChainReader } from "../../archiver/types.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { WorldStateReader } from "../../world-state/types.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import type { BlockParameter } from "../params/block-parameter.ts";

/** Number of the meant block, undefined for an unknown hash. A number is returned as it is, also beyond the tip. */
export function blockNumberOf(chain: ChainReader, reference: BlockParameter): number | undefined {
  if (reference === "latest") return chain.latestBlockNumber();
  return typeof reference === "number" ? reference : chain.blockNumberByHash(reference);
}

function synced(world: WorldStateReader, block: number): number {
  const { tip } = world.status();
  if (block > tip) {
    throw new ExecutionError(`Queried block ${block} not yet synced by the node (node is synced upto ${tip}).`);
  }
  return block;
}

/**
 * The block whose state a world-state read uses (sheet 02 section 3.3). Block 0 and the genesis hash mean genesis.
 * Throws an ExecutionError for an unknown hash and for a block beyond the tip.
 */
export function stateOf(chain: ChainReader, world: WorldStateReader, reference: BlockParameter): number {
  if (reference === "latest") return world.status().tip;
  const block = blockNumberOf(chain, reference);
  if (block === undefined) {
    throw new ExecutionError(
      `Block hash ${toHex(reference as Uint8Array)} not found when querying world state. If the node API has been ` +
        "queried with anchor block hash possibly a reorg has occurred.",
    );
  }
  return synced(world, block);
}

/** The block whose state is the one before the reference block. Throws as stateOf, with this method's own texts. */
export function stateBefore(chain: ChainReader, world: WorldStateReader, reference: BlockParameter): number {
  const block = blockNumberOf(chain, reference);
  if (block === undefined) throw new ExecutionError(`Block hash ${toHex(reference as Uint8Array)} not found.`);
  if (block === 0) throw new ExecutionError("BlockNumber must be non-negative, got -1");
  return synced(world, block - 1);
}
