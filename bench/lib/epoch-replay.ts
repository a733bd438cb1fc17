import { setTimeout as sleep } from "node:timers/promises";
import type { DevelopmentL1 } from "../../src/local-network/development-l1.ts";
import { type EpochRecording, type RecordedEpoch, startBenchL1 } from "./epoch-recording.ts";
import type { ServerProcess } from "./server-process.ts";
import { answerTo, call } from "./wrk.ts";

/** L2ProofVerified(uint256 indexed checkpointNumber, address indexed proverId). */
const PROOF_VERIFIED = "0x034dd13d657aeb14f8dec7291c4a8ddb3b20d40cf2412714e72f97f19c735609";
const LOOK_MS = 10;

/** A proof was not submitted in time. */
export class NotProvenError extends Error {
  constructor(epoch: number, seconds: number) {
    super(`epoch ${epoch} was not proven within ${seconds} s`);
    this.name = "NotProvenError";
  }
}

/** An L1 of its own, on which recorded epochs are published again block by block. */
export class EpochReplay {
  readonly l1: DevelopmentL1;
  readonly #process: ServerProcess;
  readonly #rollup: string;

  private constructor(l1: DevelopmentL1, process: ServerProcess, rollup: string) {
    this.l1 = l1;
    this.#process = process;
    this.#rollup = rollup;
  }

  /** Before the first epoch. */
  static async start({ state, rollupAddress }: EpochRecording): Promise<EpochReplay> {
    const { l1, process } = await startBenchL1(["--load-state", state]);
    try {
      await l1.setClock((await l1.latest()).timestamp);
      await l1.setMining(false);
      return new EpochReplay(l1, process, rollupAddress);
    } catch (error) {
      await process.stop();
      throw error;
    }
  }

  /**
   * Publishes an epoch's checkpoints, `paceMs` from one to the next. Returns performance.now() when L1 has the last
   * one, which completes the epoch.
   */
  async publish({ blocks }: RecordedEpoch, paceMs: number): Promise<number> {
    for (const [i, { timestamp, transactions }] of blocks.entries()) {
      for (const raw of transactions) await this.l1.sendRaw(raw);
      await this.l1.mineAt(timestamp);
      const { transactions: mined } = await this.l1.latestFull();
      if (mined.length !== transactions.length)
        throw new Error(`L1 took ${mined.length} of ${transactions.length} txs`);
      if (transactions.length > 0 && i < blocks.length - 1) await sleep(paceMs);
    }
    return performance.now();
  }

  /**
   * From now on L1 mines what it is sent, until it has the proof of an epoch. Returns performance.now() of then. Throws
   * a NotProvenError.
   */
  async untilProven({ number }: RecordedEpoch, seconds: number): Promise<number> {
    const from = await this.l1.height();
    await this.l1.setBlockInterval(1);
    await this.l1.setMining(true);
    // What came before is mined with the next transaction only.
    await this.l1.mineAt((await this.l1.latest()).timestamp + 1);
    const filter = { address: this.#rollup, topics: [PROOF_VERIFIED], fromBlock: `0x${from.toString(16)}` };
    for (const end = performance.now() + seconds * 1000; performance.now() < end; await sleep(LOOK_MS)) {
      const proofs = (await answerTo(this.l1.url, call("eth_getLogs", [filter]))) as unknown[];
      if (proofs.length === 0) continue;
      const at = performance.now();
      await this.l1.setMining(false);
      return at;
    }
    throw new NotProvenError(number, seconds);
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}
