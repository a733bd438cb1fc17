import { prefetched } from "../events/prefetch.ts";
import type { ProposedCheckpoint } from "../l1/types.ts";
import { concat, equal } from "../protocol/bytes.ts";
import { DecodeError } from "../protocol/errors.ts";
import type { AttestationVerdict } from "./attestation-verdict.ts";
import { l1Ranges } from "./l1-ranges.ts";
import { proposedWords } from "./proposed-words.ts";
import type { RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import { type SyncServices, timed } from "./sync-services.ts";

/** A proposal and the data to apply it. */
export type Download =
  /**
   * Its concatenated blobs, fetched or built from proposed blocks, and the checkpoint in them, or why there is none.
   */
  | { kind: "new"; proposal: ProposedCheckpoint; blobs: Uint8Array; rebuilt: RebuiltCheckpoint | DecodeError }
  /** Already stored with the same archive; only its L1 block may have changed. */
  | { kind: "known"; proposal: ProposedCheckpoint }
  /** To be skipped as if it did not exist (docs/protocol/04-l1-contracts.md#422-invalid-attestations). */
  | { kind: "invalid"; proposal: ProposedCheckpoint; verdict: Extract<AttestationVerdict, { valid: false }> };

/** Downloads the proposals of L1 blocks `from` .. `to` in L1 order, a bounded number of them ahead of the consumer. */
export function downloadCheckpoints(services: SyncServices, from: number, to: number): AsyncGenerator<Download, void> {
  return prefetched(
    proposals(services, from, to),
    (proposal) => download(services, proposal),
    services.options.prefetch,
  );
}

async function* proposals(
  { reader, options, times, interruption }: SyncServices,
  from: number,
  to: number,
): AsyncGenerator<ProposedCheckpoint, void> {
  for (const range of l1Ranges(from, to, options.batchSize, reader.identity.constants)) {
    interruption.signal.throwIfAborted();
    const found = await timed(times, "l1Fetch", () => reader.checkpoints(range.from, range.to));
    yield* found.sort((a, b) => a.l1.number - b.l1.number);
  }
}

async function download(services: SyncServices, proposal: ProposedCheckpoint): Promise<Download> {
  const { chain, blobs, times, initialSync, interruption } = services;
  const { signal } = interruption;
  const known = chain.checkpoint(proposal.checkpointNumber);
  if (known !== undefined && equal(known.archiveRoot, proposal.archiveRoot)) return { kind: "known", proposal };
  const verdict = await timed(times, "l1Fetch", () => services.validateAttestations(proposal));
  if (!verdict.valid) return { kind: "invalid", proposal, verdict };
  const fetched = () =>
    blobs.fetch(proposal.l1, proposal.versionedBlobHashes, { historical: !initialSync.complete, signal });
  const joined = proposedWords(chain, proposal) ?? whole(await timed(times, "blobFetch", fetched));
  return { kind: "new", proposal, blobs: joined, rebuilt: await rebuildProposal(services, proposal, joined) };
}

/** Blobs back to back. Most checkpoints have one, which is not copied; a Buffer's `slice` would not copy either. */
function whole(blobs: Uint8Array[]): Uint8Array {
  if (blobs.length !== 1) return concat(...blobs);
  const [{ buffer, byteOffset, byteLength }] = blobs;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** The checkpoint in a proposal's blobs, or the rule that they break. */
export async function rebuildProposal(
  { reader, rebuild, times }: SyncServices,
  { checkpointNumber, header, archiveRoot, versionedBlobHashes }: ProposedCheckpoint,
  blobs: Uint8Array,
): Promise<RebuiltCheckpoint | DecodeError> {
  const { l1ChainId, rollupVersion, constants } = reader.identity;
  const { rollupManaLimit } = constants;
  const proposal = { checkpointNumber, header, archiveRoot, versionedBlobHashes };
  try {
    return await timed(times, "rebuild", () =>
      rebuild({ ...proposal, blobs, l1ChainId, rollupVersion, rollupManaLimit }),
    );
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}
