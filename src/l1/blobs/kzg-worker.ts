import { parentPort } from "node:worker_threads";
import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { CoreNotBuiltError } from "../../core/load-core.ts";
import { BlobCommitments } from "./blob-commitments.ts";
import { type Commit, checkBlobs } from "./kzg-batch.ts";
import { SetupPoints } from "./setup-points.ts";

export type KzgRequest =
  | { kind: "check"; blobs: Uint8Array[]; commitments: Uint8Array[] }
  | { kind: "commit"; blob: Uint8Array }
  | { kind: "prove"; blob: Uint8Array; commitment: Uint8Array; cells: boolean }
  | { kind: "open"; blob: Uint8Array; z: Uint8Array };

export type KzgAnswer =
  | { results: boolean[] }
  | { commitment: Uint8Array }
  | { proofs: Uint8Array[] }
  | { y: Uint8Array; proof: Uint8Array }
  | { failure: string };

/** Loading the trusted setup takes seconds and a full commitment a tenth of one, so both run in this worker. */
const context = DasContextJs.create({ usePrecomp: false });
const commitments = blobCommitments((blob) => context.blobToKzgCommitment(blob));

/** Where the WebAssembly is not built, the library computes all commitments. */
function blobCommitments(full: Commit): Pick<BlobCommitments, "commit" | "commitGrowing"> {
  try {
    return new BlobCommitments(new SetupPoints(), full);
  } catch (error) {
    if (!(error instanceof CoreNotBuiltError)) throw error;
    return { commit: full, commitGrowing: full };
  }
}

/** The proof of a blob, or one for each cell. */
function prove({ blob, commitment, cells }: Extract<KzgRequest, { kind: "prove" }>): Uint8Array[] {
  return cells ? context.computeCellsAndKzgProofs(blob).proofs : [context.computeBlobKzgProof(blob, commitment)];
}

function answerTo(request: KzgRequest): KzgAnswer {
  switch (request.kind) {
    case "check":
      return { results: checkBlobs((blob) => commitments.commit(blob), request.blobs, request.commitments) };
    case "commit":
      return { commitment: commitments.commitGrowing(request.blob) };
    case "prove":
      return { proofs: prove(request) };
    case "open": {
      const [proof, y] = context.computeKzgProof(request.blob, request.z);
      return { y, proof };
    }
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
