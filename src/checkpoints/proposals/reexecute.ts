import type { BlockRecord } from "../../archiver/tables/records.ts";
import type { ChainReader } from "../../archiver/types.ts";
import type { BlockState } from "../../execution/block-state.ts";
import type { HashedTx } from "../../execution/executed-tx.ts";
import type { ProcessOptions } from "../../execution/process-txs.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT, headerSnapshot, headerSpongeHash } from "../../protocol/block-header.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import type { BlockProposal } from "../../protocol/consensus/block-proposal.ts";
import { ARCHIVE } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import { CheckpointBuilder } from "../checkpoint-builder.ts";
import type {
  BlockLimits,
  BlockOutcome,
  BuildServices,
  CheckpointLimits,
  CheckpointTerms,
} from "../checkpoint-terms.ts";
import { NO_KZG, termsOfHeader } from "../compose-block-header.ts";
import { EmptyBlockError } from "../errors.ts";
import { type ProposalVerdict, refused } from "./proposal-verdict.ts";
import { storedBlock } from "./stored-block.ts";

export interface ReexecutionServices {
  /** KZG commitments are not needed: no checkpoint is completed. */
  build: Omit<BuildServices, "kzg">;
  chain: Pick<ChainReader, "block" | "blockBody">;
  chainId: number;
  version: number;
  limits: CheckpointLimits;
  /** The rules of block building for each tx, over the state being built. */
  txRules(terms: CheckpointTerms, state: BlockState): ProcessOptions["validate"];
}

/** A proposed block at its place in the chain. */
interface PlacedProposal {
  proposal: Pick<BlockProposal, "header" | "archiveRoot" | "indexWithinCheckpoint">;
  parent: BlockRecord;
  checkpointNumber: number;
  /** The checkpoint's messages from L1. */
  messages: Fr[];
  txs: readonly HashedTx[];
}

const GONE = new Uint8Array(0);

/**
 * Executes a proposed block on the state after its parent and compares the result with the proposal
 * (docs/protocol/10-peers.md#1016-block-proposals). It yields to the event loop between txs.
 */
export async function reexecute(
  services: ReexecutionServices,
  placed: PlacedProposal,
  limits: Pick<BlockLimits, "deadline" | "interrupted">,
): Promise<ProposalVerdict> {
  const { parent } = placed;
  if (!equal(services.chain.block(parent.number)?.hash ?? GONE, parent.hash)) {
    return refused("parent_block_not_found", `block ${parent.number} is not on the chain any more`);
  }
  let builder: CheckpointBuilder | undefined;
  try {
    const { chainId, version, limits: checkpointLimits } = services;
    const terms = termsOfHeader(placed.proposal.header, {
      ...{ checkpointNumber: placed.checkpointNumber, parentBlock: parent.number },
      ...{ chainId, version, limits: checkpointLimits },
    });
    builder = await builderFor(services, placed, terms);
    const { fork } = builder.state;
    if (!equal(fork.snapshot(ARCHIVE).root, headerSnapshot(placed.proposal.header, ARCHIVE).root)) {
      return refused("initial_state_mismatch", `the state after block ${parent.number} has another archive root`);
    }
    const outcome = await builder.buildBlock(placed.txs, {
      mode: "reexecute",
      minValidTxs: placed.txs.length,
      proposedSpongeHash: headerSpongeHash(placed.proposal.header),
      ...limits,
      validate: services.txRules(terms, builder.state),
    });
    return verdictOf(outcome, placed);
  } catch (error) {
    if (error instanceof EmptyBlockError) return refused("invalid_proposal", error.message);
    return refused("unknown_error", error instanceof Error ? error.message : String(error));
  } finally {
    builder?.close();
  }
}

function builderFor(
  { build, chain }: ReexecutionServices,
  { proposal, parent, messages }: PlacedProposal,
  terms: CheckpointTerms,
): Promise<CheckpointBuilder> {
  const services = { ...build, kzg: NO_KZG };
  const { indexWithinCheckpoint: count } = proposal;
  if (count === 0) return CheckpointBuilder.start(services, terms, messages, []);
  const earlier = Array.from({ length: count }, (_, i) => storedBlock(chain, parent.number - count + 1 + i, build));
  return CheckpointBuilder.resume(services, terms, earlier, messages, []);
}

function verdictOf(
  { block, processed, unprocessable, failed, skipped }: BlockOutcome,
  { proposal, txs }: PlacedProposal,
): ProposalVerdict {
  const [bad] = unprocessable;
  if (bad !== undefined) return refused("failed_txs", `tx ${toHex(bad.hash)} failed: ${bad.reason}`);
  const [broken] = failed;
  if (broken !== undefined) return refused("unknown_error", `executing tx ${toHex(broken.hash)}: ${broken.reason}`);
  if (block === undefined) {
    const [left] = skipped;
    const why = left === undefined ? "" : `; tx ${toHex(left.hash)} was left out: ${left.reason}`;
    return refused("timeout", `${processed.length} of ${txs.length} txs were executed${why}`);
  }
  const { header, archiveRoot } = block.record;
  const differing = PARTS.find(({ from, to }) => !equal(header.subarray(from, to), proposal.header.subarray(from, to)));
  if (differing !== undefined) return refused("state_mismatch", `executing the block gives another ${differing.name}`);
  if (!equal(archiveRoot, proposal.archiveRoot)) {
    return refused("state_mismatch", "executing the block gives another archive root");
  }
  return { valid: true, block };
}

/** Parts of a header in the order of its bytes. */
const PARTS = [
  { name: "last archive", from: HEADER_AT.lastArchive, to: HEADER_AT.l1ToL2MessageTree },
  { name: "message tree", from: HEADER_AT.l1ToL2MessageTree, to: HEADER_AT.noteHashTree },
  { name: "note hash tree", from: HEADER_AT.noteHashTree, to: HEADER_AT.nullifierTree },
  { name: "nullifier tree", from: HEADER_AT.nullifierTree, to: HEADER_AT.publicDataTree },
  { name: "public data tree", from: HEADER_AT.publicDataTree, to: HEADER_AT.spongeBlobHash },
  { name: "blob sponge hash", from: HEADER_AT.spongeBlobHash, to: HEADER_AT.chainId },
  { name: "set of global variables", from: HEADER_AT.chainId, to: HEADER_AT.totalFees },
  { name: "sum of fees", from: HEADER_AT.totalFees, to: HEADER_AT.totalManaUsed },
  { name: "sum of mana", from: HEADER_AT.totalManaUsed, to: BLOCK_HEADER_BYTES },
] as const;
