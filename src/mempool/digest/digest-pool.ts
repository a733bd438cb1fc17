import type { Fr } from "../../protocol/field.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import { type WorkerPool, workerPool } from "../../threads/worker-pool.ts";
import { DigestCache } from "./digest-cache.ts";
import {
  type ContentDigest,
  type DigestedTx,
  type DigestJob,
  type DigestPart,
  type DigestParts,
  DigestQueueFullError,
  type Digests,
  type TxDigest,
} from "./tx-digest.ts";

/** Most txs that wait at once: 64 MiB at the largest RPC request. */
const DEFAULT_MOST_WAITING = 64;
/** Txs per task of a thread: it hashes two at a time in its two lanes. */
const TOGETHER = 2;
/** A tx with more than this many bytes to hash gets a task of its own, so that no short one waits for it. */
const LONGEST_TOGETHER = 256 * 1024;

interface Waiting {
  job: DigestJob;
  resolve(parts: Partial<DigestParts>): void;
  reject(error: unknown): void;
}

/**
 * Computes digests on worker threads, so that the node's thread never hashes what clients and peers send. Recent
 * digests are cached.
 */
export class DigestPool implements Digests {
  readonly #threads: WorkerPool<readonly DigestJob[], Partial<DigestParts>[]>;
  readonly #mostWaiting: number;
  readonly #cache = new DigestCache();
  readonly #waiting: Waiting[] = [];
  #idle: number;

  constructor({ threads, mostWaiting = DEFAULT_MOST_WAITING }: { threads: number; mostWaiting?: number }) {
    this.#mostWaiting = mostWaiting;
    this.#idle = threads;
    this.#threads = workerPool({
      module: moduleBeside(import.meta.url, "digest-worker"),
      threads,
    });
  }

  async whole(tx: DigestedTx): Promise<TxDigest> {
    const { hash, content } = await this.#parts(tx, ["hash", "content"]);
    return { hash, ...content };
  }

  async hash(tx: DigestedTx): Promise<Fr> {
    return (await this.#parts(tx, ["hash"])).hash;
  }

  async content(tx: DigestedTx): Promise<ContentDigest> {
    return (await this.#parts(tx, ["content"])).content;
  }

  #parts<Part extends DigestPart>(tx: DigestedTx, parts: readonly Part[]): Promise<Pick<DigestParts, Part>> {
    return this.#cache.get(tx, parts, (missing) => this.#made(tx, missing));
  }

  async #made(
    { data, contractClassLogFields, publicFunctionCalldata }: DigestedTx,
    parts: readonly DigestPart[],
  ): Promise<Partial<DigestParts>> {
    const { length } = this.#waiting;
    if (length >= this.#mostWaiting) throw new DigestQueueFullError(length);
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        job: { tx: { data, contractClassLogFields, publicFunctionCalldata }, parts },
        resolve,
        reject,
      });
      this.#start();
    });
  }

  #start(): void {
    while (this.#idle > 0 && this.#waiting.length > 0) {
      // No thread takes two txs while another is idle.
      const most = Math.min(TOGETHER, Math.ceil(this.#waiting.length / this.#idle));
      let count = 1;
      while (count < most && this.#waiting.slice(0, count + 1).every(({ job }) => isShort(job.tx))) count++;
      this.#idle--;
      void this.#run(this.#waiting.splice(0, count));
    }
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const made = await this.#threads.run(batch.map(({ job }) => job));
      for (const [i, { resolve }] of batch.entries()) resolve(made[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#idle++;
      this.#start();
    }
  }

  close(): Promise<void> {
    return this.#threads.destroy();
  }
}

function isShort({ data, contractClassLogFields, publicFunctionCalldata }: DigestedTx): boolean {
  const logs = contractClassLogFields.reduce((sum, { length }) => sum + length, 0);
  const calldata = publicFunctionCalldata.reduce((sum, { values }) => sum + values.length, 0);
  return data.length + logs + calldata <= LONGEST_TOGETHER;
}
