import { parentPort } from "node:worker_threads";
import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { checkBlobs } from "./kzg-batch.ts";

export type KzgRequest =
  | { kind: "check"; blobs: Uint8Array[]; commitments: Uint8Array[] }
  | { kind: "commit"; blob: Uint8Array };

export type KzgAnswer = { results: boolean[] } | { commitment: Uint8Array } | { failure: string };

/** Loading the trusted setup takes seconds, a commitment a tenth of one: both happen here, off the node's thread. */
const context = DasContextJs.create({ usePrecomp: false });
const commit = (blob: Uint8Array) => context.blobToKzgCommitment(blob);

parentPort?.on("message", (request: KzgRequest) => {
  let answer: KzgAnswer;
  try {
    answer =
      request.kind === "check"
        ? { results: checkBlobs(commit, request.blobs, request.commitments) }
        : { commitment: commit(request.blob) };
  } catch (error) {
    answer = { failure: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(answer);
});
