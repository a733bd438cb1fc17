import { tmpdir } from "node:os";
import { ConfigurationError } from "../../../config/errors.ts";
import type { PartValues } from "../../../config/part-values.ts";
import { loadCore } from "../../../core/load-core.ts";
import { Kzg } from "../../../l1/blobs/kzg.ts";
import type { LoggerFor } from "../../../process/logging/logging.ts";
import { Teardown } from "../../../process/teardown.ts";
import { toHex } from "../../../protocol/bytes.ts";
import { ObjectStoreError } from "../../../storage/objects/errors.ts";
import { openObjectReader } from "../../../storage/objects/open-store.ts";
import { Metrics } from "../../../telemetry/metrics/metrics.ts";
import { objectStoreAccess } from "../../settings/object-access.ts";
import { checkProver } from "../check-prover.ts";
import { startProvingJobs } from "../proving-jobs.ts";
import { FailedEpochError } from "./failed-epoch.ts";
import { openFailedEpoch } from "./open.ts";
import { proveAgain } from "./prove-again.ts";

/** What `svc prove-failed-epoch` prints. */
export interface ProvenAgain {
  readonly epoch: number;
  /** Numbers of the first and the last checkpoint. */
  readonly start: number;
  readonly end: number;
  /** Why it could not be proven before. */
  readonly failedBefore: string;
  readonly endArchive: string;
  readonly outHash: string;
  readonly seconds: number;
}

/**
 * Downloads a failed epoch from its folder in the configured store and proves it, without submitting the proof. Rejects
 * with an OperatorError if it cannot be read or proven.
 */
export async function runFailedEpoch(
  folder: string,
  values: PartValues,
  { loggerFor, threads, signal }: { loggerFor: LoggerFor; threads: number; signal: AbortSignal },
): Promise<ProvenAgain> {
  checkProver(values);
  const { failedEpochStore: store } = values.prover;
  if (store === undefined)
    throw new ConfigurationError("give PROVER_NODE_FAILED_EPOCH_STORE, where the epoch is stored");
  const logger = loggerFor("prover");
  const teardown = new Teardown(logger);
  try {
    const core = loadCore();
    const opened = await openFailedEpoch({
      reader: openObjectReader(store, objectStoreAccess(values.objectStores)),
      folder,
      directory: values.storage.directory ?? tmpdir(),
      mapSizeKb: values.storage.mapSizeKb,
      ...{ core, logger, signal },
    }).catch((error: unknown) => {
      if (!(error instanceof ObjectStoreError)) throw error;
      throw new FailedEpochError(`cannot be read: ${error.message}`, { cause: error });
    });
    teardown.add("failed epoch", () => opened.close());
    const { epoch, reason, failedAt } = opened.facts;
    logger.info({ epoch, failedAt, reason }, "epoch {epoch} failed at {failedAt}: {reason}");
    const jobs = await startProvingJobs(values, {
      generation: opened.chain.generation,
      loggerFor,
      threads,
      lowPriority: false,
      metrics: new Metrics(() => {}),
    });
    teardown.add("proving jobs", () => jobs.stop());
    const kzg = new Kzg();
    teardown.add("KZG", () => kzg.close());
    const began = performance.now();
    const proof = await proveAgain(opened, { core, kzg, runner: jobs.producer, logger }, signal).catch(
      (error: unknown) => {
        signal.throwIfAborted();
        const message = error instanceof Error ? error.message : String(error);
        throw new FailedEpochError(`${epoch} fails again: ${message}`, { cause: error });
      },
    );
    const { start, end, endArchive, outHash } = proof;
    return {
      ...{ epoch, start, end },
      failedBefore: reason,
      endArchive: toHex(endArchive),
      outHash: toHex(outHash),
      seconds: Math.round((performance.now() - began) / 10) / 100,
    };
  } finally {
    await teardown.run();
  }
}
