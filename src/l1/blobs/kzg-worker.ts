import { parentPort, workerData } from "node:worker_threads";
import { BlobCommitments } from "./blob-commitments.ts";
import { commitTo, openBlob, proveBlob } from "./blob-opening.ts";
import { checkBlobs } from "./kzg-batch.ts";
import { type KzgAnswer, type KzgPart, type KzgReply, type KzgRequest, LIBRARY_IS_READY } from "./kzg-messages.ts";
import { SetupPoints } from "./setup-points.ts";

const part: KzgPart = workerData;

/**
 * Takes 2.7 s of CPU time and 35 MiB. Other threads do not even load the native module, so none that has it ends while
 * another one uses it.
 */
async function loadLibrary() {
  const { DasContextJs } = await import("@crate-crypto/node-eth-kzg");
  return DasContextJs.create({ usePrecomp: false });
}

const library = part === "library" ? await loadLibrary() : undefined;
const points = new SetupPoints();
let byPoints = 0;
const commitments = new BlobCommitments(points, (blob) => {
  if (library !== undefined) return library.blobToKzgCommitment(blob);
  byPoints++;
  return commitTo(points, blob);
});

/** The proof of a blob, or one for each cell. */
function prove({ blob, commitment, cells }: Extract<KzgRequest, { kind: "prove" }>): Uint8Array[] {
  if (library !== undefined)
    return cells ? library.computeCellsAndKzgProofs(blob).proofs : [library.computeBlobKzgProof(blob, commitment)];
  if (cells) throw new Error("proofs of cells take the library");
  byPoints++;
  return [proveBlob(points, blob, commitment)];
}

function open({ blob, z }: Extract<KzgRequest, { kind: "open" }>): { y: Uint8Array; proof: Uint8Array } {
  if (library === undefined) return openBlob(points, blob, z);
  const [proof, y] = library.computeKzgProof(blob, z);
  return { y, proof };
}

function answerTo(request: KzgRequest): KzgAnswer {
  switch (request.kind) {
    case "load":
      return { loaded: part };
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
  byPoints = 0;
  let answer: KzgAnswer;
  try {
    answer = answerTo(request);
  } catch (error) {
    answer = { failure: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage({ answer, byPoints } satisfies KzgReply);
});
if (library !== undefined) parentPort?.postMessage(LIBRARY_IS_READY);
