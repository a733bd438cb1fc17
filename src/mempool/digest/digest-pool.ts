import { createHash } from "node:crypto";
import type { Fr } from "../../protocol/field.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { recordedName } from "../../protocol/generations/known/choose.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import { ReleasablePool } from "../../threads/releasable-pool.ts";
import type { DigestThreadData } from "./digest-worker.ts";
import { PartnerWait } from "./partner-wait.ts";
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

/** Entries; each takes less than a kilobyte. */
const DEFAULT_MAX = 4_096;

type Entry = { [Part in DigestPart]?: Promise<Partial<DigestParts>> };

/**
 * Caches digests by the SHA-256 of everything they are computed from, for wallets that simulate, validate and send the
 * same tx. Two txs share an entry only if SHA-256 collides: the hashed text marks where each part ends, and a digest
 * depends on nothing else, neither on the chain nor on the proof. A client that floods the cache pays a whole digest
 * per entry; a displaced digest is computed again.
 */
export class DigestCache {
  readonly #max: number;
  /** Least recently used first. Each part is a promise, so that concurrent requests for it share one computation. */
  readonly #digests = new Map<string, Entry>();

  constructor({ max = DEFAULT_MAX }: { max?: number } = {}) {
    this.#max = max;
  }

  /** Parts of a tx's digest; `make` computes the missing ones. A rejected computation is not cached. */
  async get<Part extends DigestPart>(
    tx: DigestedTx,
    parts: readonly Part[],
    make: (missing: readonly DigestPart[]) => Promise<Partial<DigestParts>>,
  ): Promise<Pick<DigestParts, Part>> {
    const known = this.#entry(contentKey(tx));
    const missing = parts.filter((part) => known[part] === undefined);
    if (missing.length > 0) {
      const made = make(missing);
      for (const part of missing) known[part] = made;
      made.catch(() => {
        for (const part of missing) delete known[part];
      });
    }
    const made = await Promise.all(parts.map(async (part) => [part, (await known[part])?.[part]] as const));
    return Object.fromEntries(made) as Pick<DigestParts, Part>;
  }

  #entry(key: string): Entry {
    const entry: Entry = this.#digests.get(key) ?? {};
    this.#digests.delete(key);
    this.#digests.set(key, entry);
    if (this.#digests.size > this.#max) {
      for (const oldest of this.#digests.keys()) {
        this.#digests.delete(oldest);
        break;
      }
    }
    return entry;
  }
}

/** Each part is preceded by its length in bytes or its count, as u32. */
function contentKey({ data, contractClassLogFields, publicFunctionCalldata }: DigestedTx): string {
  const hash = createHash("sha256");
  const lengths = Uint32Array.of(
    data.length,
    contractClassLogFields.length,
    ...contractClassLogFields.map(({ length }) => length),
    publicFunctionCalldata.length,
    ...publicFunctionCalldata.flatMap((calldata) => [calldata.values.length, calldata.hash.length]),
  );
  hash.update(lengths).update(data);
  for (const fields of contractClassLogFields) hash.update(fields);
  for (const calldata of publicFunctionCalldata) hash.update(calldata.values).update(calldata.hash);
  return hash.digest("base64");
}

/** Most txs that wait at once: 64 MiB at the largest RPC request. */
const DEFAULT_MOST_WAITING = 64;
/** Txs per task of a thread: it hashes two at a time in its two lanes. */
const TOGETHER = 2;
/** A tx with more than this many bytes to hash gets a task of its own, so that no short one waits for it. */
const MAX_BYTES_TOGETHER = 256 * 1024;

interface DigestPoolOptions {
  threads: number;
  generation: Generation;
  maxWaiting?: number;
}

interface Waiting {
  job: DigestJob;
  /** Milliseconds of performance.now(). */
  at: number;
  resolve(parts: Partial<DigestParts>): void;
  reject(error: unknown): void;
}

/** Txs that wait in the order of arrival, with a limit and a cache of their own. */
interface Lane {
  waiting: Waiting[];
  cache: DigestCache;
}

/**
 * Computes digests on worker threads, so that the node's thread never hashes what clients and peers send. Recent
 * digests are cached. Txs that peers gossip wait until none of a client waits, and cannot fill the clients' queue. They
 * are hashed in pairs while there are many, for which one that is alone waits a moment (partner-wait.ts).
 */
export class DigestPool implements Digests {
  readonly #threads: ReleasablePool<readonly DigestJob[], Partial<DigestParts>[]>;
  readonly #maxWaiting: number;
  readonly #clients: Lane = { waiting: [], cache: new DigestCache() };
  readonly #peers: Lane = { waiting: [], cache: new DigestCache() };
  /** Digests of gossiped txs. */
  readonly forPeers: Digests = digestsBy((tx, parts) => this.#parts(this.#peers, tx, parts));
  readonly #forClients: Digests = digestsBy((tx, parts) => this.#parts(this.#clients, tx, parts));
  readonly #threadCount: number;
  #idle: number;
  readonly #partnerWait = new PartnerWait();
  #partnerTimer: NodeJS.Timeout | undefined;

  constructor({ threads, generation, maxWaiting = DEFAULT_MOST_WAITING }: DigestPoolOptions) {
    this.#maxWaiting = maxWaiting;
    this.#threadCount = threads;
    this.#idle = threads;
    const workerData: DigestThreadData = { generation: recordedName(generation) };
    this.#threads = new ReleasablePool({
      module: moduleBeside(import.meta.url, "digest-worker"),
      threads,
      workerData,
    });
  }

  whole(tx: DigestedTx): Promise<TxDigest> {
    return this.#forClients.whole(tx);
  }

  hash(tx: DigestedTx): Promise<Fr> {
    return this.#forClients.hash(tx);
  }

  content(tx: DigestedTx): Promise<ContentDigest> {
    return this.#forClients.content(tx);
  }

  #parts<Part extends DigestPart>(
    lane: Lane,
    tx: DigestedTx,
    parts: readonly Part[],
  ): Promise<Pick<DigestParts, Part>> {
    return lane.cache.get(tx, parts, (missing) => this.#made(lane, tx, missing));
  }

  /** A duty waits for txs that peers gossiped: none of them waits for another one any more. */
  hurry(): void {
    this.#startPeers(true);
  }

  async #made(
    lane: Lane,
    { data, contractClassLogFields, publicFunctionCalldata }: DigestedTx,
    parts: readonly DigestPart[],
  ): Promise<Partial<DigestParts>> {
    const { waiting } = lane;
    const { length } = waiting;
    if (length >= this.#maxWaiting) throw new DigestQueueFullError(length);
    return new Promise((resolve, reject) => {
      const at = performance.now();
      waiting.push({
        job: { tx: { data, contractClassLogFields, publicFunctionCalldata }, parts },
        at,
        resolve,
        reject,
      });
      if (lane === this.#peers) this.#partnerWait.arrived(at);
      this.#start();
    });
  }

  #start(): void {
    const clients = this.#clients.waiting;
    while (this.#idle > 0 && clients.length > 0) {
      // No thread takes two of the clients' txs while another is idle.
      this.#take(clients, Math.min(TOGETHER, Math.ceil(clients.length / this.#idle)));
    }
    this.#startPeers(false);
  }

  #startPeers(evenAlone: boolean): void {
    clearTimeout(this.#partnerTimer);
    const { waiting } = this.#peers;
    while (this.#idle > 0 && waiting.length > 0) {
      const longest = waiting.length > 1 || evenAlone ? 0 : this.#partnerWait.longest(this.#idle === this.#threadCount);
      const left = waiting[0].at + longest - performance.now();
      if (longest > 0 && left > 0) {
        this.#partnerTimer = setTimeout(() => this.#startPeers(false), left);
        return;
      }
      this.#take(waiting, TOGETHER);
    }
  }

  /** Gives at most so many of the txs to an idle thread. */
  #take(waiting: Waiting[], most: number): void {
    let count = 1;
    while (count < Math.min(most, waiting.length) && waiting.slice(0, count + 1).every(({ job }) => isShort(job.tx)))
      count++;
    this.#idle--;
    void this.#run(waiting.splice(0, count));
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const jobs = batch.map(({ job }) => ownedBytes(job));
      const made = await this.#threads.run(jobs, { transferList: jobs.flatMap(buffersOf) });
      for (const [i, { resolve }] of batch.entries()) resolve(made[i]);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.#idle++;
      this.#start();
    }
  }

  /** Ends the threads until the next tx, unless they have work. */
  release(): void {
    this.#threads.release();
  }

  close(): Promise<void> {
    clearTimeout(this.#partnerTimer);
    return this.#threads.close();
  }
}

function digestsBy(
  get: <Part extends DigestPart>(tx: DigestedTx, parts: readonly Part[]) => Promise<Pick<DigestParts, Part>>,
): Digests {
  return {
    async whole(tx) {
      const { hash, content } = await get(tx, ["hash", "content"]);
      return { hash, ...content };
    },
    hash: async (tx) => (await get(tx, ["hash"])).hash,
    content: async (tx) => (await get(tx, ["content"])).content,
  };
}

/**
 * A copy whose bytes are buffers of their own. Posting a view would copy all that it is a view of: with a gossiped tx
 * the proof, which is not hashed.
 */
function ownedBytes({ tx, parts }: DigestJob): DigestJob {
  const copied = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);
  return {
    parts,
    tx: {
      data: copied(tx.data),
      contractClassLogFields: tx.contractClassLogFields.map(copied),
      publicFunctionCalldata: tx.publicFunctionCalldata.map(({ values, hash }) => ({
        values: copied(values),
        hash: copied(hash),
      })),
    },
  };
}

function buffersOf({ tx }: DigestJob): ArrayBuffer[] {
  const calldata = tx.publicFunctionCalldata.flatMap(({ values, hash }) => [values, hash]);
  return [tx.data, ...tx.contractClassLogFields, ...calldata].map(({ buffer }) => buffer as ArrayBuffer);
}

function isShort({ data, contractClassLogFields, publicFunctionCalldata }: DigestedTx): boolean {
  const logs = contractClassLogFields.reduce((sum, { length }) => sum + length, 0);
  const calldata = publicFunctionCalldata.reduce((sum, { values }) => sum + values.length, 0);
  return data.length + logs + calldata <= MAX_BYTES_TOGETHER;
}
