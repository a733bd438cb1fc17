import type { Core } from "../../core/core.ts";
import { loadCore } from "../../core/load-core.ts";
import { AnchorHashes } from "./anchor-hashes.ts";
import { digestParts } from "./digest-tx.ts";
import type { DigestJob, DigestParts } from "./tx-digest.ts";

let core: Core | undefined;
const anchors = new AnchorHashes();

/** Entry point of a worker thread. */
export default function digestOnThread(jobs: readonly DigestJob[]): Partial<DigestParts>[] {
  core ??= loadCore();
  return digestParts(core, jobs, anchors);
}
