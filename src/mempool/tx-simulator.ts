import type { ChainReader } from "../archiver/types.ts";
import { BusyError } from "../errors/busy-error.ts";
import { type BlockTask, type ProcessedBlock, StaleBaseError } from "../execution/block-task.ts";
import type { ExecutionPool } from "../execution/execution-pool.ts";
import { SIMULATION, type SimulatedTx, simulatedTx } from "../execution/simulated-tx.ts";
import type { StateOverrides } from "../execution/state-overrides.ts";
import type { FeeReader, RollupIdentity } from "../l1/types.ts";
import type { BlockHeader } from "../protocol/block-header.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import { isForPublic } from "../protocol/tx/accumulated-data.ts";
import { txGasSettings } from "../protocol/tx/gas-settings.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { ClientPlaces, PlacesFullError } from "../threads/client-places.ts";
import type { Digests } from "./digest/tx-digest.ts";
import { developmentHeader, releaseHeader } from "./simulated-block.ts";

/** The simulation is impossible, or no block can include the tx. The message is meant for the client. */
export class SimulationError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SimulationError";
  }
}

/** The queue of simulations is full. */
export class SimulationQueueFullError extends BusyError {
  override readonly errorCode: string = "simulation-queue-full";

  constructor(waiting: number) {
    super(`${waiting} simulations are waiting already`, waiting);
    this.name = "SimulationQueueFullError";
  }
}

export interface SimulatorParts {
  chain: Pick<ChainReader, "latestBlockNumber" | "block" | "latestCheckpointNumber">;
  identity: RollupIdentity;
  fees: Pick<FeeReader, "currentMinFees">;
  digests: Pick<Digests, "hash">;
  execution: Pick<ExecutionPool, "process">;
  /** Seconds: timestamp of the latest known L1 block. */
  l1Time(): number;
}

export interface SimulatorOptions {
  /** Most L2 gas of a tx, teardown included. */
  maxGasLimit: number;
  maxDebugLogReads: number;
  /** Simulations that run at once. */
  parallel: number;
  /** Most waiting simulations: over all clients, and for one client. */
  maxWaiting?: number;
  maxWaitingPerClient?: number;
  /** Most milliseconds of a running simulation. */
  limitMs: number;
}

interface SimulateOptions {
  skipFeeEnforcement: boolean;
  overrides: StateOverrides | undefined;
  /** Whose rules apply to the simulated block, to unenforced fees and to error texts. */
  api: "release" | "development";
  /** Identifies the client: clients take turns. */
  client: string;
}

interface Simulation extends SimulatedTx {
  /** Header of the simulated block; only its global variables are set. */
  header: BlockHeader;
}

const DEFAULT_WAITING = 64;
const DEFAULT_WAITING_PER_CLIENT = 32;
/**
 * Prefix of the release's error for a tx with public calls that no block can include
 * (docs/protocol/07-transactions-and-fees.md#727-simulation).
 */
const ENGINE_FAILED = "C++ simulation failed: AVM simulation failed: ";
/** Retries when the block that a simulation builds on is removed from the chain. */
const RETRIES = 2;

/**
 * Simulates single txs on the latest state and discards the changes; the pool's rules do not apply
 * (docs/protocol/07-transactions-and-fees.md#727-simulation).
 */
export class TxSimulator {
  readonly #parts: SimulatorParts;
  readonly #options: Required<SimulatorOptions>;
  readonly #places: ClientPlaces;

  constructor(parts: SimulatorParts, options: SimulatorOptions) {
    this.#parts = parts;
    this.#options = { maxWaiting: DEFAULT_WAITING, maxWaitingPerClient: DEFAULT_WAITING_PER_CLIENT, ...options };
    this.#places = new ClientPlaces({ places: options.parallel, ...this.#options });
  }

  /**
   * Rejects with a SimulationError, SimulationQueueFullError, DigestQueueFullError or L1Error. Aborting `signal` ends a
   * waiting or running simulation with a SimulationError.
   */
  async simulate(tx: Tx, options: SimulateOptions, signal?: AbortSignal): Promise<Simulation> {
    this.#checkGasLimit(tx);
    try {
      const place = this.#places.take(options.client, signal);
      const { digests, fees } = this.#parts;
      // Starts before a place is granted, so that waiting txs are hashed together.
      const facts = Promise.all([digests.hash(tx), fees.currentMinFees()]);
      // Awaited later; this keeps an early rejection from being unhandled.
      facts.catch(() => undefined);
      const release = await place;
      try {
        const [hash, gasFees] = await facts;
        return await this.#run({ tx, hash }, gasFees, options, signal);
      } finally {
        release();
      }
    } catch (cause) {
      if (signal?.aborted) throw new SimulationError("The client did not wait for the simulation", { cause });
      if (cause instanceof PlacesFullError) throw new SimulationQueueFullError(cause.waiting);
      throw cause;
    }
  }

  #checkGasLimit({ data }: Tx): void {
    const { gasLimits, teardownGasLimits } = txGasSettings(data);
    const sum = gasLimits.l2Gas + teardownGasLimits.l2Gas;
    const { maxGasLimit } = this.#options;
    if (sum <= maxGasLimit) return;
    const parts = `${gasLimits.l2Gas} + ${teardownGasLimits.l2Gas}`;
    throw new SimulationError(
      `Transaction total gas limit ${sum} (${parts}) exceeds maximum gas limit ${maxGasLimit} for simulation`,
    );
  }

  async #run(
    tx: BlockTask["txs"][number],
    gasFees: GasFees,
    options: SimulateOptions,
    signal: AbortSignal | undefined,
  ): Promise<Simulation> {
    for (let tries = 0; ; tries++) {
      try {
        signal?.throwIfAborted();
        return await this.#onLatest(tx, gasFees, options, signal);
      } catch (error) {
        if (!(error instanceof StaleBaseError)) throw error;
        if (tries === RETRIES) {
          throw new SimulationError("The latest block kept changing while the transaction was simulated", {
            cause: error,
          });
        }
      }
    }
  }

  async #onLatest(
    tx: BlockTask["txs"][number],
    gasFees: GasFees,
    options: SimulateOptions,
    signal: AbortSignal | undefined,
  ): Promise<Simulation> {
    const { chain, execution, identity } = this.#parts;
    const { maxDebugLogReads, limitMs } = this.#options;
    const { skipFeeEnforcement, overrides, api } = options;
    const isRelease = api === "release";
    const number = chain.latestBlockNumber();
    const base = chain.block(number);
    if (base === undefined) throw new SimulationError(`Block ${number} not found`);
    const header = (isRelease ? releaseHeader : developmentHeader)({
      identity,
      latest: base,
      isCheckpointed: base.checkpointNumber <= chain.latestCheckpointNumber(),
      l1Time: this.#parts.l1Time(),
      gasFees,
    });
    const skippedFees = skipFeeEnforcement ? (isRelease ? "public-payer" : "all") : undefined;
    const task = {
      base: { number, hash: base.hash },
      header,
      overrides,
      txs: [tx],
      options: { mode: "build", ...SIMULATION, skippedFees, maxDebugLogReads } as const,
      limitMs,
    };
    const result = await execution.process(task, signal);
    const [executed] = result.processed;
    if (executed !== undefined) return { ...simulatedTx(executed), header };
    throw this.#failure(result, isRelease && isForPublic(tx.tx.data) ? ENGINE_FAILED : "");
  }

  /** `beginning` is the prefix of the text when the tx itself is the cause. */
  #failure({ unprocessable, skipped, failed, stopped }: ProcessedBlock, beginning: string): SimulationError {
    const own = unprocessable.at(0) ?? skipped.at(0);
    if (own !== undefined) return new SimulationError(`${beginning}${own.reason}`);
    if (stopped?.why === "deadline") {
      return new SimulationError(`The simulation was given up after ${this.#options.limitMs} ms`);
    }
    const cause = failed.at(0)?.cause ?? stopped?.cause;
    return new SimulationError(`The simulation failed: ${failed.at(0)?.reason ?? stopped?.why}`, { cause });
  }
}
