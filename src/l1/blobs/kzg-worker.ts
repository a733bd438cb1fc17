import { parentPort } from "node:worker_threads";
import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { checkBlobs } from "./kzg-batch.ts";

export type KzgRequest =
  | { kind: "check"; blobs: Uint8Array[]; commitments: Uint8Array[] }
  | { kind: "commit"; blob: Uint8Array }
  | { kind: "prove"; blob: Uint8Array; commitment: Uint8Array; cells: boolean };

export type KzgAnswer =
  | { results: boolean[] }
  | { commitment: Uint8Array }
  | { proofs: Uint8Array[] }
  | { failure: string };

/** Loading the trusted setup takes seconds and a commitment a tenth of one, so both run in this worker. */
const context = DasContextJs.create({ usePrecomp: false });
const commit = (blob: Uint8Array) => context.blobToKzgCommitment(blob);

/** The proof of a blob, or one for each cell. */
function prove({ blob, commitment, cells }: Extract<KzgRequest, { kind: "prove" }>): Uint8Array[] {
  return cells ? context.computeCellsAndKzgProofs(blob).proofs : [context.computeBlobKzgProof(blob, commitment)];
}

function answerTo(request: KzgRequest): KzgAnswer {
  switch (request.kind) {
    case "check":
      return { results: checkBlobs(commit, request.blobs, request.commitments) };
    case "commit":
      return { commitment: commit(request.blob) };
    case "prove":
      return { proofs: prove(request) };
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
