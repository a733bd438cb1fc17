import { Piscina } from "piscina";
import type { Core } from "../core/core.ts";
import { DecodeError } from "../protocol/errors.ts";
import { readTxEffects } from "../protocol/tx-effect.ts";
import { rebuildCheckpoint } from "./rebuild-checkpoint.ts";
import type { RebuiltPlain } from "./rebuild-worker.ts";
import type { RebuildInput, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";

/** Where rebuilding runs: the result is the same. Rejects with what rebuildCheckpoint throws. */
export type Rebuild = (input: RebuildInput) => Promise<RebuiltCheckpoint>;

export function rebuildInThread(core: Core): Rebuild {
  return async (input) => rebuildCheckpoint(input, core);
}

/** Rebuilding on threads of their own. Small checkpoints cost more to send than to rebuild: measure before choosing it. */
export class RebuildPool {
  readonly #threads: Piscina<RebuildInput, RebuiltPlain>;

  constructor(threads: number) {
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#threads = new Piscina({
      filename: new URL(`./rebuild-worker.${extension}`, import.meta.url).href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 10_000,
    });
  }

  readonly rebuild: Rebuild = async (input) => {
    const plain = await this.#threads.run(input);
    if ("rule" in plain) throw new DecodeError(plain.subject, plain.rule);
    return { ...plain, blocks: plain.blocks.map((block) => ({ ...block, txs: readTxEffects(block.body) })) };
  };

  close(): Promise<void> {
    return this.#threads.destroy();
  }
}
