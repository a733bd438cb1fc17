import type { SourcedBlobFetcher } from "../../l1/blobs/blob-fetcher.ts";
import { NoBlobSourceReachableError } from "../../l1/blobs/errors.ts";
import { L1Error } from "../../l1/errors.ts";
import type { ConnectedRollup, ProposedCheckpoint } from "../../l1/types.ts";
import { type Finding, fail, failOf, ok, skip, warn } from "./finding.ts";

/** Queries for logs until the search for a checkpoint is given up. */
const MAX_QUERIES = 40;

/** The first checkpoint that the sync still has to read; undefined when there is none near. */
async function firstCheckpoint(
  reader: Pick<ConnectedRollup, "checkpoints">,
  { from, to, range }: { from: number; to: number; range: number },
): Promise<ProposedCheckpoint | undefined> {
  for (let at = from, query = 0; at <= to && query < MAX_QUERIES; at += range, query++) {
    const [first] = await reader.checkpoints(at, Math.min(at + range - 1, to));
    if (first !== undefined) return first;
  }
  return undefined;
}

/** Whether a start would find a source; its error otherwise. */
async function unreachable(blobs: SourcedBlobFetcher): Promise<NoBlobSourceReachableError | undefined> {
  try {
    await blobs.checkSources();
    return undefined;
  } catch (error) {
    if (error instanceof NoBlobSourceReachableError) return error;
    throw error;
  }
}

interface BlobNeeds {
  reader: Pick<ConnectedRollup, "checkpoints">;
  from: number;
  latest: number;
  range: number;
  /** Whether a start goes on without any source: one is made by it, or none is needed. */
  startsWithout: boolean;
}

/** Whether the sources have blobs of the age that the sync begins with. */
export async function checkBlobs(
  blobs: SourcedBlobFetcher,
  { reader, from, latest, range, startsWithout }: BlobNeeds,
): Promise<Finding[]> {
  const remedy =
    "give a source that keeps blobs: BLOB_FILE_STORE_URLS of the network, BLOB_ARCHIVE_API_URL, or a beacon node " +
    "(L1_CONSENSUS_HOST_URLS) that keeps blobs since then";
  if (blobs.sourceNames.length === 0) return [fail("blobs", "no source of blobs is configured", remedy)];
  const none = startsWithout ? undefined : await unreachable(blobs);
  if (none !== undefined) return [failOf("blobs", none)];
  let oldest: ProposedCheckpoint | undefined;
  try {
    oldest = await firstCheckpoint(reader, { from, to: latest, range });
  } catch (error) {
    if (!(error instanceof L1Error)) throw error;
    return [warn("blobs", `L1 does not tell which blobs the sync needs: ${error.rule}`, "see the lines about L1")];
  }
  if (oldest === undefined) {
    const sources = blobs.sourceNames.join(", ");
    return [
      skip("blobs", `no checkpoint found in ${range * MAX_QUERIES} L1 blocks from ${from} on; sources: ${sources}`),
    ];
  }
  const { l1, versionedBlobHashes } = oldest;
  const days = ((Date.now() / 1000 - l1.timestamp) / 86_400).toFixed(1);
  const count = versionedBlobHashes.length === 1 ? "the blob" : `the ${versionedBlobHashes.length} blobs`;
  const what = `${count} of L1 block ${l1.number} (${days} days old), the next that the sync needs`;
  const answers = await blobs.probe(l1, versionedBlobHashes);
  const complete = answers.some(({ missing }) => missing === undefined);
  return answers.map(({ source, missing }) => {
    if (missing === undefined) return ok("blobs", `${source} has ${what}`);
    const text = `${source} does not have ${what}: ${missing}`;
    return complete
      ? warn("blobs", text, "another source has them; the sync asks one after the other")
      : fail("blobs", text, remedy);
  });
}
