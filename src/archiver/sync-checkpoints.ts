import type { L1Block, RollupReader } from "../l1/types.ts";
import { equal } from "../protocol/bytes.ts";
import { CheckpointApplier } from "./apply-checkpoints.ts";
import { downloadCheckpoints } from "./download-checkpoints.ts";
import { InconsistentL1Error, NonSequentialCheckpointError } from "./errors.ts";
import { confirmProvenGone } from "./proven-stands.ts";
import { applyProven, type StatusAtL1 } from "./sync-finality.ts";
import type { SyncServices } from "./sync-services.ts";
import { timed } from "./sync-services.ts";
import type { InvalidProposal } from "./tables/invalid-proposal.ts";
import { checkSyncPoint, publicationOf, readingPointOf, syncPointOf, unwindChain, unwindToL1 } from "./unwind-chain.ts";

/**
 * Syncs the stored checkpoints with L1 at block `current` (docs/protocol/04-l1-contracts.md#417-chain-tips and
 * docs/protocol/04-l1-contracts.md#427-one-iteration). Returns the number of L1's pending checkpoint.
 */
export async function syncCheckpoints(services: SyncServices, current: L1Block): Promise<number | undefined> {
  const { chain, reader, store } = services;
  // An endpoint behind the sync point cannot distinguish a reorg from its own lag.
  if (current.number <= (await checkSyncPoint(services)).number) return undefined;
  const latest = chain.latestCheckpointNumber();
  const status = { ...(await reader.status(latest, current.number)), l1: current };
  services.emit("pendingCheckpoint", status.pendingCheckpointNumber);
  if (latest === 0 && status.pendingCheckpointNumber === 0) {
    store.transaction(() => chain.state.putSyncPoint("checkpoint-sync", current));
    return 0;
  }
  if (status.provenCheckpointNumber < chain.provenCheckpointNumber()) {
    // An endpoint behind the proof cannot distinguish a reorg from its own lag.
    if (current.number < (chain.provenL1Block.of(chain.provenCheckpointNumber())?.number ?? 0)) return undefined;
    await confirmProvenGone(services, current);
  }
  if (latest > 0 && !equal(status.archiveOfMyCheckpoint, chain.checkpoint(latest)!.archiveRoot)) {
    await unwindToL1(services, current);
  }
  const proven = store.transaction(() => applyProven(services, status));
  if (proven !== undefined) services.emit("proven", proven);
  await forgetReplacedInvalid(services);
  const upToDate = equal(status.pendingArchive, latestArchive(services)) && !isBehindStored(services);
  const lastRead = upToDate ? undefined : await download(services, status, current);
  const prunable = await pruneUnproven(services, status, current);
  if (upToDate || prunable) return status.pendingCheckpointNumber;
  if (chain.state.invalidProposal() !== undefined) {
    if (lastRead !== undefined && !isBehindStored(services))
      store.transaction(() => chain.state.putSyncPoint("checkpoint-sync", lastRead));
  } else if (chain.latestCheckpointNumber() < status.pendingCheckpointNumber) {
    readAgain(services, status);
  }
  return status.pendingCheckpointNumber;
}

function latestArchive({ chain, reader }: SyncServices): Uint8Array {
  return chain.checkpoint(chain.latestCheckpointNumber())?.archiveRoot ?? reader.identity.genesisArchiveRoot;
}

/**
 * Whether the sync point is before stored checkpoints. After L1 moved them to other blocks it stays there until they
 * have been read again.
 */
function isBehindStored(services: SyncServices): boolean {
  return syncPointOf(services).number < publicationOf(services, services.chain.latestCheckpointNumber()).number;
}

/** Downloads and applies the proposals after the sync point. Returns the L1 block of the last proposal read. */
async function download(services: SyncServices, status: StatusAtL1, current: L1Block): Promise<L1Block | undefined> {
  const { chain, store, times } = services;
  const from = syncPointOf(services).number + 1;
  const applier = new CheckpointApplier(services, status);
  const downloads = downloadCheckpoints(services, from, current.number);
  let last: L1Block | undefined;
  try {
    for (;;) {
      const next = await timed(times, "waiting", () => downloads.next());
      if (next.done) break;
      services.interruption.signal.throwIfAborted();
      last = next.value.proposal.l1;
      await applier.add(next.value);
    }
    await applier.flush();
    return last;
  } catch (error) {
    // Keep what was complete before the failure. An error of this flush replaces the first one.
    await applier.flush();
    if (error instanceof NonSequentialCheckpointError) {
      const position = readingPointOf(services, chain.latestCheckpointNumber());
      store.transaction(() => chain.state.putSyncPoint("checkpoint-sync", position));
    }
    throw error;
  } finally {
    await downloads.return();
  }
}

/**
 * Forgets the recorded invalid checkpoint once L1 has another archive, or none, for its number: the pending chain is
 * then valid again. If L1 names another committee than the one used for the verdict, the checkpoint is validated again.
 */
async function forgetReplacedInvalid(services: SyncServices): Promise<void> {
  const { chain, reader, store } = services;
  const invalid = chain.state.invalidProposal();
  if (invalid === undefined) return;
  const stands = equal(await reader.archiveAt(invalid.checkpointNumber), invalid.archiveRoot);
  if (stands && (await sameCommittee(reader, invalid))) return;
  store.transaction(() => {
    chain.state.putInvalidProposal(undefined);
    chain.state.putSyncPoint("checkpoint-sync", readingPointOf(services, chain.latestCheckpointNumber()));
  });
}

async function sameCommittee(reader: RollupReader, { epoch, committee }: InvalidProposal): Promise<boolean> {
  const { committee: members = [], escapeHatchOpen } = await reader.committee(epoch, true);
  return (
    !escapeHatchOpen && members.length === committee.length && members.every((member, i) => equal(member, committee[i]))
  );
}

/**
 * Removes the unproven checkpoints if L1 would drop them with the next proposal
 * (docs/protocol/04-l1-contracts.md#419-pruning). The sync point stays, so that they are not read again. Returns
 * whether L1 is in that situation.
 */
async function pruneUnproven(services: SyncServices, status: StatusAtL1, current: L1Block): Promise<boolean> {
  const { chain, reader } = services;
  if (status.pendingCheckpointNumber === status.provenCheckpointNumber) return false;
  const { ethereumSlotDuration } = reader.identity.constants;
  if (!(await reader.canPruneAtTime(current.timestamp + ethereumSlotDuration, current.number))) return false;
  const proven = chain.provenCheckpointNumber();
  if (proven === status.provenCheckpointNumber && chain.latestCheckpointNumber() > proven) {
    unwindChain(services, proven, "unproven");
  }
  return true;
}

/** L1 has checkpoints that reading after the sync point did not return: they appeared before it. */
function readAgain(services: SyncServices, status: StatusAtL1): never {
  const { chain, store } = services;
  const latest = chain.latestCheckpointNumber();
  const position = readingPointOf(services, latest);
  store.transaction(() => chain.state.putSyncPoint("checkpoint-sync", position));
  throw new InconsistentL1Error("L1 holds checkpoints that its logs did not show", {
    latest,
    pending: status.pendingCheckpointNumber,
    continueAt: position.number,
  });
}
