import type { Core } from "../core/core.ts";
import { loadCore } from "../core/load-core.ts";
import { DecodeError } from "../protocol/errors.ts";
import { generationNamed } from "../protocol/generations/known/choose.ts";
import { rebuildCheckpoint } from "./rebuild-checkpoint.ts";
import type { RebuildInput, RebuiltBlock, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";

/**
 * A rebuilt checkpoint as it crosses threads. Txs are views into the bodies and are parsed again on the other side. An
 * error of the contents is sent as data, because errors lose their class on the way.
 */
export type RebuiltPlain =
  | (Omit<RebuiltCheckpoint, "blocks"> & { blocks: Omit<RebuiltBlock, "txs">[] })
  | { subject: string; rule: string };

/** What a thread rebuilds, and the name of its rollup's generation. */
export interface RebuildTask {
  readonly input: RebuildInput;
  readonly generation: string;
}

let core: Core | undefined;

/** Entry point of a worker thread. */
export default function rebuildOnThread({ input, generation }: RebuildTask): RebuiltPlain {
  core ??= loadCore();
  try {
    const rebuilt = rebuildCheckpoint(input, core, generationNamed(generation));
    return { ...rebuilt, blocks: rebuilt.blocks.map(({ txs: _, ...block }) => block) };
  } catch (error) {
    if (error instanceof DecodeError) return { subject: error.subject, rule: error.rule };
    throw error;
  }
}
