import type { Core } from "../../core/core.ts";
import { loadCore } from "../../core/load-core.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { workerData } from "../../threads/in-worker.ts";
import { AnchorHashes } from "./anchor-hashes.ts";
import { digestParts } from "./digest-tx.ts";
import type { DigestJob, DigestParts } from "./tx-digest.ts";

/** `workerData` of a thread. */
export interface DigestThreadData {
  /** Recorded name. */
  generation: string | undefined;
}

const { contracts } = generationNamed(workerData<DigestThreadData>().generation);
let core: Core | undefined;
const anchors = new AnchorHashes();

/** Entry point of a worker thread. */
export default function digestOnThread(jobs: readonly DigestJob[]): Partial<DigestParts>[] {
  core ??= loadCore();
  return digestParts({ core, contracts, anchors }, jobs);
}
