import type { ChainReadsOptions } from "../../../archiver/chain-reads.ts";
import type { CheckpointRecord } from "../../../archiver/tables/records.ts";
import type { Core } from "../../../core/core.ts";
import type { Kzg } from "../../../l1/blobs/kzg.ts";
import { fromHex, toHex } from "../../../protocol/bytes.ts";
import { EpochProver } from "../../../prover/epoch/epoch-prover.ts";
import type { EpochProof } from "../../../prover/epoch/epoch-types.ts";
import type { JobRunner } from "../../../prover/epoch/job-runner.ts";
import { CheckpointPreparation } from "../../../prover/node/checkpoint-preparation.ts";
import { ProvingRefusedError } from "../../../prover/node/errors.ts";
import { ReexecutionPool } from "../../../prover/node/reexecution-pool.ts";
import type { Logger } from "../../../telemetry/logger.ts";
import type { OpenedEpoch } from "./open.ts";

interface ProveAgainServices {
  readonly core: Core;
  readonly kzg: Pick<Kzg, "open">;
  readonly runner: JobRunner;
  readonly logger: Logger;
}

/** Proves a failed epoch again, without L1. Rejects with the reason if it fails again. */
export async function proveAgain(
  opened: OpenedEpoch,
  { core, kzg, runner, logger }: ProveAgainServices,
  signal: AbortSignal,
): Promise<EpochProof> {
  const { facts, chain, world, store, txs, publicData } = opened;
  const { epoch, l1ChainId: chainId, rollupVersion: version, epochDuration } = facts;
  const proverId = fromHex(facts.proverId);
  const reads: ChainReadsOptions = { path: store.path, commits: store.commits, epochDuration, publicData };
  const reexecution = new ReexecutionPool({ chain: reads, proverId, lowPriority: false }, { threads: 1 });
  const commitments = new Map(facts.checkpoints.map((each) => [each.number, each.commitments.map(fromHex)]));
  const preparation = new CheckpointPreparation({
    ...{ chain, world },
    txs: {
      async get({ hashes }) {
        const found = hashes.flatMap((hash) => txs.get(toHex(hash)) ?? []);
        return { txs: found, missing: hashes.filter((hash) => !txs.has(toHex(hash))) };
      },
    },
    txTimeoutMs: 60_000,
    posted: { read: async ({ number }) => ({ commitments: commitments.get(number) ?? [] }) },
    execute: reexecution.execute,
  });
  const { generation } = chain;
  const vkTreeRoot = fromHex(generation.contracts.vkTreeRoot);
  const protocolContractsHash = fromHex(generation.contracts.protocolContractsHash);
  const terms = { epoch, chainId, version, vkTreeRoot, protocolContractsHash, proverId };
  const proof = new EpochProver({ core, generation, runner, kzg }, terms);
  const either = AbortSignal.any([signal, proof.signal]);
  try {
    for (const { number } of facts.checkpoints) {
      const checkpoint = chain.checkpoint(number) as CheckpointRecord;
      await preparation.prepare(proof, epoch, checkpoint, either);
      logger.info({ epoch, checkpoint: number }, "checkpoint {checkpoint} of epoch {epoch} is prepared for proving");
    }
    return await proof.prove();
  } catch (error) {
    throw either.aborted ? either.reason : error;
  } finally {
    proof.abort(new ProvingRefusedError(`proving epoch ${epoch} has ended`));
    await reexecution.close();
  }
}
