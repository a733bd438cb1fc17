import { parentPort } from "node:worker_threads";
import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { CoreNotBuiltError } from "../../core/load-core.ts";
import { BlobCommitments } from "./blob-commitments.ts";
import { openBlob } from "./blob-opening.ts";
import { type Commit, checkBlobs } from "./kzg-batch.ts";
import { SetupPoints } from "./setup-points.ts";

/** What to load before it is needed: the library with its trusted setup, or our own points of it. */
export type KzgPart = "library" | "points";

export type KzgRequest =
  | { kind: "load"; part: KzgPart }
  | { kind: "check"; blobs: Uint8Array[]; commitments: Uint8Array[] }
  | { kind: "commit"; blob: Uint8Array }
  | { kind: "prove"; blob: Uint8Array; commitment: Uint8Array; cells: boolean }
  | { kind: "open"; blob: Uint8Array; z: Uint8Array };

export type KzgAnswer =
  | { loaded: KzgPart }
  | { results: boolean[] }
  | { commitment: Uint8Array }
  | { proofs: Uint8Array[] }
  | { y: Uint8Array; proof: Uint8Array }
  | { failure: string };

/**
 * Loading the library's trusted setup takes seconds and 35 MiB, and a full commitment a tenth of a second, so both run
 * in this worker, and the first only once the library is needed.
 */
let loaded: DasContextJs | undefined;
const library = (): DasContextJs => {
  loaded ??= DasContextJs.create({ usePrecomp: false });
  return loaded;
};
/** Undefined where the WebAssembly is not built: the library then computes everything. */
const points = setupPoints();
const commitments = blobCommitments((blob) => library().blobToKzgCommitment(blob));

function setupPoints(): SetupPoints | undefined {
  try {
    return new SetupPoints();
  } catch (error) {
    if (!(error instanceof CoreNotBuiltError)) throw error;
    return undefined;
  }
}

function blobCommitments(full: Commit): Pick<BlobCommitments, "commit" | "commitGrowing"> {
  return points === undefined ? { commit: full, commitGrowing: full } : new BlobCommitments(points, full);
}

function load(part: KzgPart): void {
  if (part === "points" && points !== undefined) points.decompress();
  else library();
}

/** The proof of a blob, or one for each cell. */
function prove({ blob, commitment, cells }: Extract<KzgRequest, { kind: "prove" }>): Uint8Array[] {
  return cells ? library().computeCellsAndKzgProofs(blob).proofs : [library().computeBlobKzgProof(blob, commitment)];
}

/** The library is faster, but not worth its memory for the one opening of an epoch. */
function open({ blob, z }: Extract<KzgRequest, { kind: "open" }>): { y: Uint8Array; proof: Uint8Array } {
  if (loaded === undefined && points !== undefined) return openBlob(points, blob, z);
  const [proof, y] = library().computeKzgProof(blob, z);
  return { y, proof };
}

function answerTo(request: KzgRequest): KzgAnswer {
  switch (request.kind) {
    case "load":
      load(request.part);
      return { loaded: request.part };
    case "check":
      return { results: checkBlobs((blob) => commitments.commit(blob), request.blobs, request.commitments) };
    case "commit":
      return { commitment: commitments.commitGrowing(request.blob) };
    case "prove":
      return { proofs: prove(request) };
    case "open":
      return open(request);
  }
}

parentPort?.on("message", (request: KzgRequest) => {
  let answer: KzgAnswer;
  try {
    answer = answerTo(request);
  } catch (error) {
    answer = { failure: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(answer);
});
