import { SLICE_MS, Turns } from "../limits/turns.ts";
import { LiveServiceNeeded } from "../ports/live-service-needed.ts";
import type { Method } from "../registry/registry.ts";
import type { Forwarder } from "./forwarder.ts";
import type { LongCalls } from "./long-calls.ts";
import { latin1 } from "./request-text.ts";

export interface ScheduleOptions {
  /** Takes what would hold up others. Without it a batch is answered in one go. */
  longCalls?: LongCalls;
  /** Answers the calls of methods that need a service that is not here. */
  forwarder?: Forwarder;
  /** Whether large bodies are read here too: the threads for long calls know methods that this registry has not. */
  readsAllBodies?: boolean;
}

/** Bodies from this size on are parsed elsewhere: JSON text takes about 10 ms a megabyte at worst. */
export const LARGE_BODY_BYTES = 64 * 1024;
/**
 * Bodies up to this size are not, when their method is one that only the node's services can answer: sending them there
 * costs as much.
 */
export const LARGE_SERVICE_BODY_BYTES = 256 * 1024;
/** Commas from which on reading the values of a call takes milliseconds; a usual transaction has hundreds. */
const MANY_COMMAS = 4_096;
const COMMA_BYTE = 0x2c;
/** The method's name as clients write it, in front of the params, and where it is looked for. */
const METHOD_AT_START = /^[^[]*"method" ?: ?"(\w+)"/;
const METHOD_WITHIN = 256;

/** Whether any thread can answer the calls of a method: they read nothing but the store. */
export function isForAnyThread({ long }: Method): boolean {
  return long !== undefined;
}

/**
 * Decides where each call runs: now on this thread, in a later turn of it, on a thread for long calls, or at an
 * upstream. It goes by the method's row, the size of the body, and the time that a batch has taken.
 */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #turns = new Turns();

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** Who reads a body of an unusual form; undefined for this thread. `named` finds a method by its name on the wire. */
  forBody(body: Uint8Array, named: (method: string) => Method | undefined): LongCalls | undefined {
    const { longCalls, readsAllBodies } = this.#options;
    if (readsAllBodies || body.length < LARGE_BODY_BYTES) return undefined;
    return seemsForServices(body, named) ? undefined : longCalls;
  }

  /** Who answers a call that is alone or in the first slice of its batch. Throws what the method's `long` throws. */
  forCall({ long }: Method, values: readonly unknown[]): LongCalls | undefined {
    const { longCalls } = this.#options;
    return longCalls !== undefined && long?.(values) ? longCalls : undefined;
  }

  /** Who answers a call of a batch whose first slice is over; undefined for this thread, in its slices. */
  forLateCall(method: Method | undefined): LongCalls | undefined {
    return method !== undefined && isForAnyThread(method) ? this.#options.longCalls : undefined;
  }

  /** Who answers a call that failed here; undefined where the failure is the answer. */
  forFailedCall(error: unknown): Forwarder | undefined {
    return error instanceof LiveServiceNeeded ? this.#options.forwarder : undefined;
  }

  /** The slices of one batch. */
  slices(): Slices {
    return new Slices(this.#turns, this.#options.longCalls !== undefined);
  }
}

/** The time that one batch may take in each turn. While other batches go on, it waits for its turn. */
class Slices {
  readonly #turns: Turns;
  #end: number;

  constructor(turns: Turns, isBounded: boolean) {
    this.#turns = turns;
    this.#end = !isBounded ? Number.POSITIVE_INFINITY : turns.idle ? performance.now() + SLICE_MS : 0;
  }

  get isOver(): boolean {
    return performance.now() > this.#end;
  }

  /** Resolves when the next one begins. */
  async next(): Promise<void> {
    await this.#turns.wait();
    this.#end = performance.now() + SLICE_MS;
  }
}

/**
 * Whether a body that is not too large and has few values seems to be a request that only the node's services can
 * answer. A wrong guess costs time only.
 */
function seemsForServices(body: Uint8Array, named: (method: string) => Method | undefined): boolean {
  if (body.length > LARGE_SERVICE_BODY_BYTES || hasManyValues(body)) return false;
  const [, name] = METHOD_AT_START.exec(latin1(body, 0, METHOD_WITHIN)) ?? [];
  const method = name === undefined ? undefined : named(name);
  return method !== undefined && !isForAnyThread(method);
}

/** Whether a body may hold so many values that reading them would delay other clients of this thread. */
function hasManyValues(body: Uint8Array): boolean {
  let commas = 0;
  for (let at = body.indexOf(COMMA_BYTE); at !== -1; at = body.indexOf(COMMA_BYTE, at + 1)) {
    if (++commas === MANY_COMMAS) return true;
  }
  return false;
}
