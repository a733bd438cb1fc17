import { CheckpointBuilder } from "../../src/checkpoints/checkpoint-builder.ts";
import type { CompletedCheckpoint, ProposedBlock } from "../../src/checkpoints/checkpoint-terms.ts";
import { loadCore } from "../../src/core/load-core.ts";
import type { HashedTx } from "../../src/execution/executed-tx.ts";
import { Siloing } from "../../src/execution/siloing.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import type { Kzg } from "../../src/l1/blobs/kzg.ts";
import { concat } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import {
  type BlockProposal,
  blockProposalPayload,
  encodeBlockProposal,
} from "../../src/protocol/consensus/block-proposal.ts";
import {
  type CheckpointProposal,
  checkpointProposalPayload,
  encodeCheckpointProposal,
} from "../../src/protocol/consensus/checkpoint-proposal.ts";
import { signedBytes } from "../../src/protocol/consensus/signed-integer.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { slotTimestamp } from "../../src/protocol/time.ts";
import { V4_ROLLUP } from "../../test/world/protocol/message-rollup.ts";
import { type CommitteeL1, keyOf } from "./committee-l1.ts";
import { networkGenesis, signed } from "./gossip-messages.ts";

const core = loadCore();
const siloing = new Siloing(core, V4);
const vm = new Vm(V4);

/** The messages of a slot's proposer, in the order of sending, and what the committee attests to. */
export interface SlotProposals {
  /** Payloads of topic block_proposal. */
  blocks: Uint8Array[];
  /** Payload of topic checkpoint_proposal; it brings the last block, if that is not among the others. */
  checkpoint: Uint8Array;
  proposal: CheckpointProposal;
}

/**
 * Proposes the first checkpoint of the network without blocks, with the txs of each block. The last block is sent with
 * the checkpoint, unless it is the only one.
 */
export async function slotProposals(
  l1: CommitteeL1,
  kzg: Pick<Kzg, "commitment">,
  slot: number,
  txsOfBlocks: readonly (readonly HashedTx[])[],
): Promise<SlotProposals> {
  const { proposer } = await l1.committee(slot);
  if (proposer === undefined) throw new Error(`slot ${slot} has no proposer`);
  const key = keyOf(l1, proposer);
  const checkpoint = await build(l1, kzg, slot, txsOfBlocks);
  const proposals = await Promise.all(checkpoint.blocks.map((block) => signedBlock(key, checkpoint, block)));
  const lastBlock = proposals.length > 1 ? proposals.pop() : undefined;
  const payload = {
    header: checkpoint.header,
    archive: checkpoint.archiveRoot,
    feeAssetPriceModifier: signedBytes(0n),
  };
  const proposal = { ...payload, signature: await signed(key, checkpointProposalPayload(payload, V4_ROLLUP)) };
  return {
    blocks: proposals.map((each) => encodeBlockProposal(each, V4_ROLLUP)),
    checkpoint: encodeCheckpointProposal(proposal, V4_ROLLUP, lastBlock),
    proposal,
  };
}

async function build(
  { identity }: CommitteeL1,
  kzg: Pick<Kzg, "commitment">,
  slot: number,
  txsOfBlocks: readonly (readonly HashedTx[])[],
): Promise<CompletedCheckpoint> {
  const { constants, l1ChainId, rollupVersion } = identity;
  const { fork } = networkGenesis();
  const contracts = { contractClass: () => undefined, contractInstance: () => undefined };
  const terms = {
    checkpointNumber: 1,
    slot,
    timestamp: slotTimestamp(slot, constants),
    chainId: l1ChainId,
    version: rollupVersion,
    coinbase: new Uint8Array(20).fill(1),
    feeRecipient: fr(1),
    gasFees: { feePerDaGas: 0n, feePerL2Gas: 1n },
    limits: { rollupManaLimit: constants.rollupManaLimit },
  };
  const services = { core, generation: V4, world: { fork: () => fork }, contracts, siloing, vm, kzg };
  const builder = await CheckpointBuilder.start(services, terms, [], []);
  for (const txs of txsOfBlocks) {
    const { block } = await builder.buildBlock(txs, { minValidTxs: txs.length });
    if (block === undefined) throw new Error("a block could not be built");
  }
  return builder.complete();
}

async function signedBlock(
  key: Uint8Array,
  { header }: CompletedCheckpoint,
  { record, txs }: ProposedBlock,
): Promise<BlockProposal> {
  const unsigned = {
    header: record.header,
    indexWithinCheckpoint: record.indexWithinCheckpoint,
    inHash: header.subarray(CHECKPOINT_AT.inHash, CHECKPOINT_AT.inHash + 32),
    archiveRoot: record.archiveRoot,
    txHashes: concat(...txs.map(({ txHash }) => txHash)),
  };
  return { ...unsigned, signature: await signed(key, blockProposalPayload(unsigned, V4_ROLLUP)), signedTxs: undefined };
}
