import { equal } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";
import { checkpointConstants } from "../circuits/block-root.ts";
import { ConstraintError, requireEqual } from "../circuits/layouts/constraint-error.ts";
import type { ProofData } from "../circuits/layouts/proof-data.ts";
import type { BlockConstants, BlockRollup, TxRollup } from "../circuits/layouts/rollups.ts";
import { Snapshot, SpongeBlob } from "../circuits/layouts/values.ts";
import type { BeforeCheckpoint } from "./before-checkpoint.ts";
import type { EpochContext } from "./epoch-context.ts";
import type { Proven } from "./epoch-jobs.ts";
import { mergeHalves } from "./merge-tree.ts";

/** A block whose transactions are being proven. */
interface BlockToClose {
  /** Of its transactions, in order. */
  readonly proofs: readonly Promise<ProofData<TxRollup>>[];
  readonly constants: BlockConstants;
  /** Path of the archive's next leaf before the block. */
  readonly archivePath: Uint8Array;
  /** Set for the first block of a checkpoint. */
  readonly first: { readonly parity: Proven<"PARITY_ROOT">; readonly before: BeforeCheckpoint } | undefined;
  /** What its proof must say. */
  readonly expected: Expected;
  readonly signal: AbortSignal;
}

interface Expected {
  readonly hash: Fr;
  readonly newArchive: Snapshot;
  readonly startSponge: SpongeBlob;
  readonly endSponge: SpongeBlob;
}

/** Hands out the merges of a block's transactions and its block root, each once its children are proven. */
export function proveBlock({ jobs }: EpochContext, block: BlockToClose): Promise<ProofData<BlockRollup>> {
  const { archivePath: newArchivePath, first, expected, signal } = block;
  const halves = mergeHalves(block.proofs, (left, right) =>
    jobs.prove("TX_MERGE_ROLLUP", both(left, right), { signal }),
  );
  const children = Promise.all(halves);
  const options = { signal, check: (output: BlockRollup) => requireBlock(output, expected) };
  if (first === undefined) {
    const type = halves.length === 1 ? "BLOCK_ROOT_SINGLE_TX_ROLLUP" : "BLOCK_ROOT_ROLLUP";
    return jobs.prove(
      type,
      children.then((proofs) => ({ children: proofs, newArchivePath })),
      options,
    );
  }
  const { before, parity } = first;
  const { messageSubtreePath, state } = before;
  if (halves.length === 0) {
    const input = parity.then((proof) => ({
      parity: proof,
      previousArchive: before.archive,
      previousState: state,
      constants: checkpointConstants(block.constants),
      timestamp: block.constants.globalVariables.timestamp,
      messageSubtreePath,
      newArchivePath,
    }));
    return jobs.prove("BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP", input, options);
  }
  const type = halves.length === 1 ? "BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP" : "BLOCK_ROOT_FIRST_ROLLUP";
  const input = Promise.all([parity, children]).then(([proof, proofs]) => ({
    parity: proof,
    children: proofs,
    previousL1ToL2MessageTree: state.l1ToL2MessageTree,
    messageSubtreePath,
    newArchivePath,
  }));
  return jobs.prove(type, input, options);
}

/** Input of a circuit over two proofs. */
export async function both<T>(left: Promise<T>, right: Promise<T>): Promise<{ children: readonly T[] }> {
  return { children: await Promise.all([left, right]) };
}

function requireBlock(output: BlockRollup, { hash, newArchive, startSponge, endSponge }: Expected): void {
  if (!equal(output.blockHeadersHash, hash)) throw new ConstraintError("blockHeadersHash", "must be the block's hash");
  requireEqual(Snapshot, output.newArchive, newArchive, "newArchive", "the archive after the block");
  requireEqual(SpongeBlob, output.startSponge, startSponge, "startSponge", "the sponge before the block");
  requireEqual(SpongeBlob, output.endSponge, endSponge, "endSponge", "the sponge after the block");
}
