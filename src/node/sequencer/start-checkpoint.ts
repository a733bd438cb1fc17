import { CheckpointBuilder } from "../../checkpoints/checkpoint-builder.ts";
import type { BuildServices, CheckpointTerms } from "../../checkpoints/checkpoint-terms.ts";
import type { ExecutedTx } from "../../execution/executed-tx.ts";
import { blockChecks } from "../../sequencer/block-checks.ts";
import type { CheckpointInProgress } from "../../sequencer/sequencer-parts.ts";
import type { MempoolPart } from "../context/mempool-part.ts";

export interface CheckpointSource {
  readonly mempool: {
    readonly pool: Pick<MempoolPart["pool"], "summary">;
    readonly contexts: MempoolPart["contexts"];
  };
  /** Called with the transactions of each built block. If set, their calls are recorded. */
  readonly built?: ((processed: readonly ExecutedTx[]) => void) | undefined;
}

/** Starts a checkpoint. Its txs come from the pool and are checked against the state being built. */
export async function startCheckpoint(
  services: BuildServices,
  { mempool: { pool, contexts }, built }: CheckpointSource,
  terms: CheckpointTerms,
  ...rest: [messages: Uint8Array[], previousOutHashes: Uint8Array[]]
): Promise<CheckpointInProgress> {
  const builder = await CheckpointBuilder.start(services, terms, ...rest);
  return {
    async buildBlock(txs, limits) {
      if (built === undefined) return builder.buildBlock(txs, limits);
      const outcome = await builder.buildBlock(txs, { ...limits, recordCalls: true });
      if (outcome.block !== undefined) built(outcome.processed);
      return outcome;
    },
    complete: () => builder.complete(),
    close: () => builder.close(),
    validate: blockChecks(contexts, terms, {
      state: builder.state,
      anchorHash: (hash) => pool.summary(hash)?.anchorHash,
    }),
  };
}
