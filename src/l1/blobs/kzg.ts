import { equal } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import { BYTES_PER_COMMITMENT } from "./blob-offer.ts";
import { KzgUnavailableError } from "./errors.ts";
import type { KzgAnswer, KzgPart, KzgRequest } from "./kzg-messages.ts";
import { KzgThreads } from "./kzg-threads.ts";

interface Check {
  blobs: readonly Uint8Array[];
  commitments: readonly Uint8Array[];
  resolve(results: boolean[]): void;
  reject(error: Error): void;
}

interface Job {
  request: KzgRequest;
  resolve(answer: KzgAnswer): void;
  reject(error: Error): void;
}

/** Maximum blobs per batch check; bounds the time until the first of many callers gets its result. */
const MAX_BATCH = 32;

/**
 * Computes KZG commitments in a worker thread, which is started on first use (or by `load`) and does not keep the
 * process alive. Checks that arrive while the worker is busy are batched: n blobs then cost about as much as one
 * commitment. A blob that was committed to lately is not committed to again, whoever asks: a validator meets the same
 * blobs when blocks are executed, when their checkpoint is proposed and when it is on L1.
 *
 * A process that has few blobs does without the library, which takes seconds to load: our own points of the trusted
 * setup give the same results a little later. Once there were many, another worker loads it and takes over.
 */
export class Kzg {
  readonly #recent = new RecentCommitments();
  readonly #threads = new KzgThreads({
    answered: (answer) => this.#finish((job) => job.resolve(answer)),
    lost: (cause) => this.#finish((job) => job.reject(new KzgUnavailableError("the KZG worker stopped", { cause }))),
  });
  #checks: Check[] = [];
  #commits: Job[] = [];
  #running: Job | undefined;
  #closed = false;

  /** Begins to load what calls will need, so that the first one does not have to wait for it. */
  load(part: KzgPart): void {
    if (this.#closed) return;
    this.#commits.push({ request: { kind: "load", part }, resolve: () => {}, reject: () => {} });
    this.#next();
  }

  /** For each blob, whether `commitments[i]` is its commitment. Wrong sizes do not match. */
  async verifyBlobs(blobs: readonly Uint8Array[], commitments: readonly Uint8Array[]): Promise<boolean[]> {
    if (blobs.length !== commitments.length)
      throw new RangeError(`${blobs.length} blobs, ${commitments.length} commitments`);
    const sized = blobs.map(
      (blob, i) => blob.length === BYTES_PER_BLOB && commitments[i].length === BYTES_PER_COMMITMENT,
    );
    const known = blobs.map((blob, i) => (sized[i] ? this.#recent.find(blob) : undefined));
    const unknown = [...blobs.keys()].filter((i) => sized[i] && known[i] === undefined);
    const checked = await this.#check(
      unknown.map((i) => blobs[i]),
      unknown.map((i) => commitments[i]),
    );
    const results = sized.map(() => false);
    for (const [at, i] of unknown.entries()) results[i] = checked[at];
    for (const [i, commitment] of known.entries()) {
      if (commitment !== undefined) results[i] = equal(await commitment, commitments[i]);
    }
    return results;
  }

  /** Commitment (48 bytes) of a blob; the caller does not change it. */
  commitment(blob: Uint8Array): Promise<Uint8Array> {
    const known = this.#recent.find(blob);
    if (known !== undefined) return known;
    const copy = copyOf(blob);
    const commitment = new Promise<Uint8Array>((resolve, reject) => {
      this.#commits.push({
        request: { kind: "commit", blob: copy },
        resolve: (answer) => {
          if ("commitment" in answer) resolve(answer.commitment);
          else reject(new KzgUnavailableError("failure" in answer ? answer.failure : "unexpected answer"));
        },
        reject,
      });
      this.#next();
    });
    this.#recent.add(copy, commitment);
    return commitment;
  }

  /** Commitment of a blob and its proofs: one, or 128 with `cells` (EIP-7594). 48 bytes each. */
  async prove(blob: Uint8Array, cells: boolean): Promise<{ commitment: Uint8Array; proofs: Uint8Array[] }> {
    const commitment = await this.commitment(blob);
    return new Promise((resolve, reject) => {
      this.#commits.push({
        request: { kind: "prove", blob: copyOf(blob), commitment, cells },
        resolve: (answer) => {
          if ("proofs" in answer) resolve({ commitment, proofs: answer.proofs });
          else reject(new KzgUnavailableError("failure" in answer ? answer.failure : "unexpected answer"));
        },
        reject,
      });
      this.#next();
    });
  }

  /** Value of a blob's polynomial at `z` (32 bytes) and the proof of it (48 bytes). */
  async open(blob: Uint8Array, z: Uint8Array): Promise<{ y: Uint8Array; proof: Uint8Array }> {
    return new Promise((resolve, reject) => {
      this.#commits.push({
        request: { kind: "open", blob: copyOf(blob), z: copyOf(z) },
        resolve: (answer) => {
          if ("proof" in answer) resolve(answer);
          else reject(new KzgUnavailableError("failure" in answer ? answer.failure : "unexpected answer"));
        },
        reject,
      });
      this.#next();
    });
  }

  async #check(blobs: readonly Uint8Array[], commitments: readonly Uint8Array[]): Promise<boolean[]> {
    if (blobs.length === 0) return [];
    return new Promise((resolve, reject) => {
      this.#checks.push({ blobs, commitments, resolve, reject });
      this.#next();
    });
  }

  /** Ends the worker until the next call, unless it has work. */
  release(): void {
    if (this.#running !== undefined) return;
    this.#threads.release();
  }

  /** Stops the worker. Pending and later calls fail with a KzgUnavailableError. */
  async close(): Promise<void> {
    this.#closed = true;
    const ended = this.#threads.close();
    this.#finish((job) => job.reject(new KzgUnavailableError("closed")));
    await ended;
  }

  #finish(settle: (job: Job) => void): void {
    const job = this.#running;
    this.#running = undefined;
    if (job) settle(job);
    this.#next();
  }

  #next(): void {
    if (this.#running) return;
    const job = this.#commits.shift() ?? this.#nextCheck();
    if (!job) return;
    if (this.#closed) {
      job.reject(new KzgUnavailableError("closed"));
      this.#next();
      return;
    }
    this.#running = job;
    this.#threads.post(job.request);
  }

  /** One job for the checks at the front of the queue. */
  #nextCheck(): Job | undefined {
    const taken: Check[] = [];
    let count = 0;
    while (this.#checks.length > 0 && (count === 0 || count + this.#checks[0].blobs.length <= MAX_BATCH)) {
      const check = this.#checks.shift() as Check;
      count += check.blobs.length;
      taken.push(check);
    }
    if (taken.length === 0) return undefined;
    const blobs = taken.flatMap((check) => check.blobs.map(copyOf));
    const commitments = taken.flatMap((check) => check.commitments.map(copyOf));
    return {
      request: { kind: "check", blobs, commitments },
      resolve: (answer) => {
        if (!("results" in answer)) {
          const failure = new KzgUnavailableError("failure" in answer ? answer.failure : "unexpected answer");
          for (const check of taken) check.reject(failure);
          return;
        }
        let at = 0;
        for (const check of taken) {
          check.resolve(answer.results.slice(at, at + check.blobs.length));
          at += check.blobs.length;
        }
      },
      reject: (error) => {
        for (const check of taken) check.reject(error);
      },
    };
  }
}

/** Posting a view would copy its whole underlying buffer to the worker; a copy has only its own bytes. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return Uint8Array.prototype.slice.call(bytes);
}

interface RecentCommitment {
  blob: Uint8Array;
  commitment: Promise<Uint8Array>;
}

/** Two checkpoints of six blobs, and blobs that further blocks of a checkpoint have replaced. 2 MiB. */
const MAX_RECENT = 16;

/** Commitments of the blobs that were committed to last, found by the blob's bytes. */
export class RecentCommitments {
  /** The most recently used one is last. */
  readonly #entries: RecentCommitment[] = [];

  /** The commitment if it is kept or under way; it may still fail. */
  find(blob: Uint8Array): Promise<Uint8Array> | undefined {
    const at = this.#entries.findIndex((entry) => equal(entry.blob, blob));
    if (at < 0) return undefined;
    const [found] = this.#entries.splice(at, 1);
    this.#entries.push(found);
    return found.commitment;
  }

  /** Keeps the commitment of a blob, whose bytes must not change any more. One that fails is forgotten. */
  add(blob: Uint8Array, commitment: Promise<Uint8Array>): void {
    const entry = { blob, commitment };
    this.#entries.push(entry);
    if (this.#entries.length > MAX_RECENT) this.#entries.shift();
    commitment.catch(() => {
      const at = this.#entries.indexOf(entry);
      if (at >= 0) this.#entries.splice(at, 1);
    });
  }
}
