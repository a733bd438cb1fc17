import { equal, toHex } from "../../protocol/bytes.ts";
import { ContractRevertError } from "../errors.ts";
import { readAtLatest } from "../latest-block.ts";
import type { RollupReader } from "../types.ts";
import type { EpochProof } from "./epoch-submission.ts";
import type { ProofReader } from "./proof-reader.ts";

/** Why L1 would not take a proof now. `stale`: another chain is on L1 than the one that was proven. */
export interface SubmissionFault {
  readonly kind: "already proven" | "stale" | "wrong";
  readonly reason: string;
}

interface SubmissionChecks {
  readonly reader: Pick<RollupReader, "latestBlock" | "status">;
  readonly proofs: Pick<ProofReader, "publicInputs">;
}

/** Words of the public inputs, for messages (docs/protocol/04-l1-contracts.md#418-epoch-proofs). */
const GROUPS: readonly [first: number, name: string][] = [
  [109, "commitment of the blobs"],
  [105, "evaluation of the blobs"],
  [104, "hash of the blobs' commitments"],
  [99, "constants of the epoch"],
  [35, "fees"],
  [3, "checkpoint hashes"],
  [2, "out hash"],
  [1, "archive after the epoch"],
  [0, "archive before the epoch"],
];

/**
 * Compares a proof with the rollup as of the latest L1 block, before gas is spent on it. `publicInputs` are those that
 * were proven. Throws an L1Error.
 */
export async function submissionFault(
  { reader, proofs }: SubmissionChecks,
  proof: EpochProof,
  publicInputs: readonly Uint8Array[],
): Promise<SubmissionFault | undefined> {
  const refused = `the proof of checkpoints ${proof.start} to ${proof.end} is not submitted:`;
  try {
    return await readAtLatest(
      () => reader.latestBlock(),
      ({ number }) => faultAt({ reader, proofs }, number, { proof, publicInputs, refused }),
    );
  } catch (error) {
    if (!(error instanceof ContractRevertError)) throw error;
    return { kind: "wrong", reason: `${refused} L1 refuses its arguments: ${error.message}` };
  }
}

interface Compared {
  proof: EpochProof;
  publicInputs: readonly Uint8Array[];
  /** Begin of each reason. */
  refused: string;
}

/** As submissionFault. Throws a ContractRevertError if L1 takes no such arguments in the state that it has by then. */
async function faultAt(
  { reader, proofs }: SubmissionChecks,
  at: number,
  { proof, publicInputs, refused }: Compared,
): Promise<SubmissionFault | undefined> {
  const { start, end, previousArchive, endArchive } = proof;
  const [before, after] = await Promise.all([reader.status(start - 1, at), reader.status(end, at)]);
  if (after.provenCheckpointNumber > end) {
    return { kind: "already proven", reason: `${refused} the proven checkpoint is ${after.provenCheckpointNumber}` };
  }
  if (after.pendingCheckpointNumber < end) {
    return { kind: "stale", reason: `${refused} the pending checkpoint is ${after.pendingCheckpointNumber}` };
  }
  if (!equal(before.archiveOfMyCheckpoint, previousArchive)) {
    return { kind: "stale", reason: `${refused} L1 has another archive root after checkpoint ${start - 1}` };
  }
  if (!equal(after.archiveOfMyCheckpoint, endArchive)) {
    return { kind: "stale", reason: `${refused} L1 has another archive root after checkpoint ${end}` };
  }
  const expected = await proofs.publicInputs(proof, at);
  const different = expected.findIndex((word, i) => publicInputs[i] === undefined || !equal(word, publicInputs[i]));
  if (different < 0 && expected.length === publicInputs.length) return undefined;
  const [, name] = GROUPS.find(([first]) => different >= first) ?? [0, "number of public inputs"];
  const [ours, l1] = [publicInputs[different], expected[different]].map((word) => (word ? toHex(word) : "nothing"));
  return { kind: "wrong", reason: `${refused} public input ${different} (${name}) is ${ours}, L1 expects ${l1}` };
}
