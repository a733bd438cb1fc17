import { bucketOf, type Distribution } from "../../telemetry/metrics/metrics.ts";
import type { Namespace, Registry } from "../registry/registry.ts";

/** Label of calls whose method is not known: of methods that do not exist, and in bodies that are read elsewhere. */
const OTHER_METHODS = "other";
/** Index of that label in CallCounts. */
export const OTHER = 0;

/** Upper bounds of the time from a read request to its answer, in seconds. */
export const CALL_SECONDS = [1e-5, 1e-4, 2.5e-4, 1e-3, 2.5e-3, 0.01, 0.025, 0.1, 0.25, 1, 2.5, 10] as const;

/** Words of a method: calls by outcome, the sum of their seconds, and calls by time. */
const OK = 0;
const FAILED = 1;
const REFUSED = 2;
const ELSEWHERE = 3;
const SECONDS = 4;
const TIMES = 5;
const WORDS = TIMES + CALL_SECONDS.length + 1;

/** Of calls that are answered from the request's bytes, one in so many is timed, and counts for all of them. */
const TIMED_IN = 16;

/** The calls of one method. */
interface MethodCalls {
  readonly method: string;
  readonly ok: number;
  readonly failed: number;
  /** Not run, because of a limit of this node. */
  readonly refused: number;
  /** Answered on a thread for long calls, which does not report single outcomes. */
  readonly elsewhere: number;
  readonly seconds: Distribution;
}

/** Names of methods. */
interface WireNames {
  /** Each in its declared spelling. */
  readonly declared: readonly string[];
  /** The declared spelling of a name on the wire. */
  declaredName(name: string): string;
}

/** Names of a registry's methods. Equal registries have equal lists. */
export function wireNames(registry: Registry, namespaces: readonly Namespace[]): WireNames {
  const declared = [...new Set(namespaces.map((namespace) => registry.declared(namespace)))];
  return {
    declared: declared.flatMap((namespace) => registry.in(namespace).map(({ name }) => `${namespace}_${name}`)).sort(),
    declaredName: (name) => registry.declaredName(name),
  };
}

/**
 * Counts the calls of each method in memory that threads share. Each thread writes to a part of its own, so that
 * counting takes an addition and no lock: aligned words of 8 bytes are written at once on x64. A thread that is started
 * again goes on with the counts of the one before.
 */
export class CallCounts {
  readonly #words: Float64Array;
  /** Methods by index; OTHER first. */
  readonly #names: readonly string[];
  readonly #indexes: ReadonlyMap<string, number>;
  readonly #declaredName: WireNames["declaredName"];
  readonly #threads: number;
  readonly #own: number;

  /** Memory for `new CallCounts(memory, names, slot)` in every thread. `names` as wireNames gives them. */
  static memory({ declared }: WireNames, threads: number): SharedArrayBuffer {
    return new SharedArrayBuffer(threads * (declared.length + 1) * WORDS * Float64Array.BYTES_PER_ELEMENT);
  }

  /** Throws a RangeError for a slot beyond the memory. */
  constructor(memory: SharedArrayBuffer, names: WireNames, slot = 0) {
    this.#words = new Float64Array(memory);
    this.#declaredName = names.declaredName;
    this.#names = [OTHER_METHODS, ...names.declared];
    this.#indexes = new Map(this.#names.map((name, i) => [name, i]));
    this.#threads = this.#words.length / WORDS / this.#names.length;
    if (!Number.isInteger(this.#threads)) throw new RangeError("the memory is for other methods");
    if (!(slot < this.#threads)) throw new RangeError(`slot ${slot} of ${this.#threads}`);
    this.#own = slot * this.#names.length * WORDS;
  }

  /** Index of the method with a name on the wire, which may be anything; OTHER if there is none. */
  indexOf(name: unknown): number {
    return typeof name === "string" ? (this.#indexes.get(this.#declaredName(name)) ?? OTHER) : OTHER;
  }

  /** Whether the next call of a method is to be timed, if it is answered from the request's bytes. */
  isNextTimed(index: number): boolean {
    return this.#words[this.#own + index * WORDS + OK] % TIMED_IN === TIMED_IN - 1;
  }

  /** Counts a call that was answered from the request's bytes. */
  answered(index: number): void {
    this.#words[this.#own + index * WORDS + OK] += 1;
  }

  /** Gives the time of a call that `isNextTimed` asked for. */
  timed(index: number, milliseconds: number): void {
    this.#time(this.#own + index * WORDS, milliseconds / 1000, TIMED_IN);
  }

  /** Counts a call with the HTTP status of its answer and its time. */
  settled(index: number, status: number, milliseconds: number): void {
    const at = this.#own + index * WORDS;
    this.#words[at + (status === 200 ? OK : status === 503 ? REFUSED : FAILED)] += 1;
    this.#time(at, milliseconds / 1000, 1);
  }

  /** Counts a call that a thread for long calls answered. */
  settledElsewhere(index: number): void {
    this.#words[this.#own + index * WORDS + ELSEWHERE] += 1;
  }

  #time(at: number, seconds: number, calls: number): void {
    this.#words[at + SECONDS] += seconds * calls;
    this.#words[at + TIMES + bucketOf(CALL_SECONDS, seconds)] += calls;
  }

  /** Methods that were called, over all threads. */
  read(): MethodCalls[] {
    return this.#names
      .map((method, index): MethodCalls => {
        const sums = new Array<number>(WORDS).fill(0);
        for (let thread = 0; thread < this.#threads; thread++) {
          const from = (thread * this.#names.length + index) * WORDS;
          for (let i = 0; i < WORDS; i++) sums[i] += this.#words[from + i];
        }
        const seconds = { sum: sums[SECONDS], counts: sums.slice(TIMES) };
        const outcomes = { ok: sums[OK], failed: sums[FAILED], refused: sums[REFUSED], elsewhere: sums[ELSEWHERE] };
        return { method, ...outcomes, seconds };
      })
      .filter(({ ok, failed, refused, elsewhere }) => ok + failed + refused + elsewhere > 0);
  }
}
