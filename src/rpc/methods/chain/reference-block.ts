import type { ChainReader } from "../../../archiver/types.ts";
import { equal, toHex } from "../../../protocol/bytes.ts";
import type { StateAt } from "../../../world-state/types.ts";
import { type BlockSelector, isArchiveSelector, isWordSelector } from "../../codecs/shared/block-parameter.ts";
import { BlockAheadError, ExecutionError } from "../../jsonrpc/errors.ts";
import type { NodeServices } from "../../ports/node-services.ts";

/** What is needed to find a block. */
export type BlockSource = Pick<NodeServices, "chain" | "identity">;

/**
 * Number of the referenced block, undefined for an unknown hash or archive root. A number is returned unchanged, even
 * beyond the tip.
 */
export function blockNumberOf(source: BlockSource, reference: BlockSelector): number | undefined {
  const { chain } = source;
  if (typeof reference === "number") return reference;
  if (reference instanceof Uint8Array) return chain.blockNumberByHash(reference);
  if (isArchiveSelector(reference)) return numberByArchive(source, reference.archive);
  if (isWordSelector(reference)) {
    const { hashOrArchive } = reference;
    return chain.blockNumberByHash(hashOrArchive) ?? numberByArchive(source, hashOrArchive);
  }
  return tipNumber(chain, reference);
}

/** Whether a block is named by what fixes its contents, and with them the state after it: its hash or archive root. */
export function isByContents(reference: BlockSelector): boolean {
  return typeof reference === "object";
}

function numberByArchive({ chain, identity }: BlockSource, archive: Uint8Array): number | undefined {
  return chain.blockNumberByArchive(archive) ?? (equal(archive, identity.genesisArchiveRoot) ? 0 : undefined);
}

/** Block number of a tip; 0 while it is at genesis. */
export function tipNumber(
  chain: ChainReader,
  tip: "latest" | "proposed" | "checkpointed" | "proven" | "finalized",
): number {
  switch (tip) {
    case "checkpointed":
      return chain.checkpointedBlockNumber();
    case "proven":
      return chain.provenBlockNumber();
    case "finalized":
      return chain.finalizedBlockNumber();
    default:
      return chain.latestBlockNumber();
  }
}

/** What is needed to read the state after a block. */
export type StateSource = BlockSource & Pick<NodeServices, "world">;

function notAhead({ chain, world }: StateSource, block: number): number {
  const { tip } = world.status();
  if (block > tip) throw new BlockAheadError(chain.generation.api.texts.ahead(block, tip));
  return block;
}

function kept(source: StateSource, block: number): number {
  const { oldest } = source.world.status();
  notAhead(source, block);
  if (block > 0 && block < oldest) throw new ExecutionError(source.chain.generation.api.texts.pruned(block, oldest));
  return block;
}

/**
 * Error for a hash or archive root that is not on the chain (docs/protocol/05-rpc.md#514-state-of-a-reference-block).
 */
function notFound({ chain }: BlockSource, reference: BlockSelector): ExecutionError {
  const { texts } = chain.generation.api;
  if (typeof reference !== "object") throw new TypeError("numbers and tips are always found");
  if (isArchiveSelector(reference)) return new ExecutionError(texts.unknownArchive(toHex(reference.archive)));
  const hash = reference instanceof Uint8Array ? reference : reference.hashOrArchive;
  return new ExecutionError(texts.unknownHash(toHex(hash)));
}

/**
 * The block whose state a world-state read uses (docs/protocol/05-rpc.md#514-state-of-a-reference-block). Block 0 and
 * the genesis hash mean genesis. Throws an ExecutionError for an unknown hash, for a block beyond the tip and for one
 * whose state was pruned.
 */
export function stateOf(source: StateSource, reference: BlockSelector): number {
  if (reference === "latest" || reference === "proposed") return source.world.status().tip;
  return kept(source, storedBlockOf(source, reference));
}

/** The block itself, whose state may be pruned. Throws an ExecutionError as stateOf does, but for a pruned state. */
export function storedBlockOf(source: StateSource, reference: BlockSelector): number {
  const block = blockNumberOf(source, reference);
  if (block === undefined) throw notFound(source, reference);
  return notAhead(source, block);
}

/** Like stateOf, but does not look up numbers and the tip: that is left to the reader of states. */
export function blockOf(source: StateSource, reference: BlockSelector): number | "latest" {
  if (typeof reference === "number") return reference;
  return reference === "latest" || reference === "proposed" ? "latest" : stateOf(source, reference);
}

/** The state itself, in fewer reads. Throws like stateOf. */
export function stateAt(source: StateSource, reference: BlockSelector): StateAt {
  const block = blockOf(source, reference);
  try {
    return source.world.at(block);
  } catch (error) {
    if (typeof block === "number") kept(source, block);
    throw error;
  }
}

/**
 * The block before the reference block, undefined for genesis. The reference may be one past the tip. Throws like
 * stateOf; `unknown` makes the method's own error for a hash.
 */
export function stateBefore(
  source: StateSource,
  reference: BlockSelector,
  unknown?: (hash: Uint8Array) => ExecutionError,
): number | undefined {
  const block = blockNumberOf(source, reference);
  if (block === undefined) {
    throw unknown && reference instanceof Uint8Array ? unknown(reference) : notFound(source, reference);
  }
  return block === 0 ? undefined : kept(source, block - 1);
}
