import { syncedSlot } from "../archiver/synced-slot.ts";
import { proposerIndex } from "../l1/committee/sampling.ts";
import { ContractRevertError } from "../l1/errors.ts";
import { headerSlotNumber } from "../protocol/block-header.ts";
import { fromHex, toHex } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { epochOfSlot, slotTimestamp } from "../protocol/time.ts";
import type { Committee } from "./attestations.ts";
import { type Invalidation, InvalidationRefusedError } from "./publisher/invalidate-request.ts";
import type { SequencerParts } from "./sequencer-parts.ts";
import { SlotSkipped } from "./skip.ts";

/** A slot that this node may propose for, and the parent of its checkpoint. */
export interface ProposerTurn {
  slot: number;
  checkpointNumber: number;
  /** Last block of the preceding checkpoint. */
  parentBlock: number;
  /** This node's attester that proposes; lower-case 0x text. */
  proposer: string;
  /** 20 bytes. */
  coinbase: Uint8Array;
  /** 32 bytes. */
  feeRecipient: Uint8Array;
  committee: Committee;
  /** Removes the bad checkpoint that L1 has where this one belongs. */
  invalidation: Invalidation | undefined;
}

type TurnParts = Pick<
  SequencerParts,
  "reader" | "chain" | "worldTip" | "sync" | "keys" | "attestations" | "peers" | "publisher" | "now" | "logger"
>;

const ANYONE = new Uint8Array(20);

/**
 * Throws a SlotSkipped unless the node is synced up to the slot
 * (docs/protocol/08-building-and-checkpoints.md#84-one-turn).
 */
function requireSynced({ reader, chain, sync, worldTip }: TurnParts, slot: number): void {
  const synced = syncedSlot(chain, chain.state.processed(), reader.identity.constants);
  const latest = chain.latestBlockNumber();
  if (!sync.initialSyncComplete) throw new SlotSkipped("not synced", { initialSyncComplete: false });
  if (synced === undefined || synced + 1 < slot) throw new SlotSkipped("not synced", { syncedSlot: synced });
  if (worldTip() !== latest) throw new SlotSkipped("not synced", { worldState: worldTip(), block: latest });
}

/**
 * Throws a SlotSkipped unless the chain ends with a checkpoint of an earlier slot. A slot gets one checkpoint, and no
 * checkpoint builds on proposed blocks, which may never reach L1.
 */
function requireSettled({ chain }: Pick<TurnParts, "chain">, slot: number): void {
  const checkpoint = chain.checkpoint(chain.latestCheckpointNumber());
  const before = checkpoint === undefined ? -1 : checkpointSlot(checkpoint.header);
  if (before >= slot) throw new SlotSkipped("slot taken", { checkpoint: checkpoint?.number });
  const settled = chain.checkpointedBlockNumber();
  if (chain.latestBlockNumber() === settled) return;
  const proposed = headerSlotNumber(chain.block(settled + 1)!.header);
  throw new SlotSkipped(proposed >= slot ? "slot taken" : "unsettled blocks", { proposedBlock: settled + 1 });
}

/** Returns the committee of the slot's epoch and the slot's proposer (lower-case 0x text). Throws an L1Error. */
export async function slotProposer(
  { reader }: Pick<TurnParts, "reader">,
  slot: number,
): Promise<{
  epoch: number;
  committee: Committee | undefined;
  escapeHatchOpen: boolean;
  proposer: string | undefined;
}> {
  const epoch = epochOfSlot(slot, reader.identity.constants);
  const { committee, seed, escapeHatchOpen } = await reader.committee(epoch);
  const index = committee && proposerIndex(epoch, slot, seed, committee.length);
  const member = committee?.[index ?? 0];
  return { epoch, committee, escapeHatchOpen, proposer: member && toHex(member) };
}

/**
 * Returns this node's attester that proposes in the slot (docs/protocol/08-building-and-checkpoints.md#85-whose-turn).
 * Throws a SlotSkipped if none does.
 */
async function requireProposer(
  { reader, keys, attestations, peers }: TurnParts,
  slot: number,
  minPeers: number,
): Promise<{ proposer: string; committee: Committee }> {
  const { constants } = reader.identity;
  const own = keys().attesterAddresses();
  if (own.length === 0) throw new SlotSkipped("no keys");
  if (constants.targetCommitteeSize === 0) return { proposer: own[0], committee: [] };
  const { epoch, committee, escapeHatchOpen, proposer } = await slotProposer({ reader }, slot);
  if (escapeHatchOpen) throw new SlotSkipped("escape hatch", { epoch });
  if (committee === undefined || proposer === undefined) throw new SlotSkipped("no committee", { epoch });
  if (!own.includes(proposer)) throw new SlotSkipped("not proposer", { proposer });
  const obstacle = attestations.obstacle(committee);
  if (obstacle !== undefined) throw new SlotSkipped("no attesters", { proposer, obstacle });
  const connected = peers();
  if (connected !== undefined && connected < minPeers && committee.some((member) => !own.includes(toHex(member)))) {
    throw new SlotSkipped("too few peers", { proposer, peers: connected, least: minPeers });
  }
  return { proposer, committee };
}

/**
 * Asks L1 whether it would accept a checkpoint on top of this node's chain
 * (docs/protocol/08-building-and-checkpoints.md#86-consent-of-l1), at the time of the next L1 block or at the start of
 * the slot, whichever is later: a checkpoint is not published before its slot.
 */
async function requireL1Consent(
  { reader, chain }: TurnParts,
  { slot, proposer, committee, invalidation }: Pick<ProposerTurn, "slot" | "proposer" | "committee" | "invalidation">,
): Promise<{ checkpointNumber: number; parentBlock: number }> {
  const { constants, genesisArchiveRoot } = reader.identity;
  const parentBlock = chain.checkpointedBlockNumber();
  const archive = parentBlock === 0 ? genesisArchiveRoot : chain.block(parentBlock)!.archiveRoot;
  const { timestamp } = await reader.latestBlock();
  const next = Math.max(timestamp + constants.ethereumSlotDuration, slotTimestamp(slot, constants));
  const who = committee.length === 0 ? ANYONE : fromHex(proposer);
  const checkpointNumber = chain.latestCheckpointNumber() + 1;
  try {
    const answer = await reader.proposals.canProposeAt(next, archive, who, invalidation?.pending);
    if (answer.slot !== slot) throw new SlotSkipped("refused by L1", { rule: "Slot mismatch", l1Slot: answer.slot });
    if (answer.checkpointNumber !== checkpointNumber) {
      throw new SlotSkipped("refused by L1", { rule: "Block mismatch", l1Checkpoint: answer.checkpointNumber });
    }
  } catch (error) {
    if (!(error instanceof ContractRevertError)) throw error;
    throw new SlotSkipped("refused by L1", { rule: error.rule }, { cause: error });
  }
  return { checkpointNumber, parentBlock };
}

/**
 * The call that removes a bad checkpoint at the tip of L1 in front of this node's own
 * (docs/protocol/11-consensus.md#117-invalidation). Throws a SlotSkipped if L1 would refuse it, since nothing can be
 * built on that checkpoint, or an L1Error.
 */
async function requiredInvalidation({ chain, publisher }: TurnParts, slot: number): Promise<Invalidation | undefined> {
  const invalid = chain.state.invalidProposal();
  if (invalid === undefined) return undefined;
  try {
    return await publisher.invalidation(invalid, slot);
  } catch (error) {
    if (!(error instanceof InvalidationRefusedError)) throw error;
    const facts = { checkpoint: error.checkpointNumber, rule: error.message };
    throw new SlotSkipped("invalidation refused", facts, { cause: error });
  }
}

/** Checks every precondition for building in a slot. Throws a SlotSkipped or an L1Error. */
export async function proposerTurn(
  parts: TurnParts,
  slot: number,
  {
    disabled,
    minPeers,
    enterProposerCheck,
  }: { disabled: readonly string[]; minPeers: number; enterProposerCheck(): void },
): Promise<ProposerTurn> {
  requireSynced(parts, slot);
  enterProposerCheck();
  const keys = parts.keys();
  const enabled = {
    ...parts,
    keys: () => ({
      attesterAddresses: () => keys.attesterAddresses().filter((address) => !disabled.includes(address)),
      coinbaseOf: (attester: string) => keys.coinbaseOf(attester),
      feeRecipientOf: (attester: string) => keys.feeRecipientOf(attester),
    }),
  };
  const { proposer, committee } = await requireProposer(enabled, slot, minPeers);
  requireSettled(parts, slot);
  const invalidation = await requiredInvalidation(parts, slot);
  const place = await requireL1Consent(parts, { slot, proposer, committee, invalidation });
  const coinbase = keys.coinbaseOf(proposer);
  const feeRecipient = keys.feeRecipientOf(proposer);
  if (coinbase === undefined || feeRecipient === undefined) throw new SlotSkipped("no keys", { proposer });
  return {
    ...{ slot, ...place, proposer, committee, invalidation },
    ...{ coinbase: fromHex(coinbase), feeRecipient: fromHex(feeRecipient) },
  };
}
