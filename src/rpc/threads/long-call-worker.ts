import { lowerThreadPriority } from "../../core/thread-priority.ts";
import { silentLogger } from "../../telemetry/logger.ts";
import { move, transferableSymbol, valueSymbol, workerData } from "../../threads/in-worker.ts";
import { UnknownStateError } from "../../world-state/errors.ts";
import { AnswerWriter } from "../calls/answer-writer.ts";
import { Calls } from "../calls/calls.ts";
import { RequestReader } from "../calls/request-reader.ts";
import { AnswerBudget } from "../limits/answer-budget.ts";
import { ABSENT_SERVICES } from "../ports/absent-services.ts";
import type { NodeServices } from "../ports/node-services.ts";
import { publicRegistry } from "../server/public-registry.ts";
import type { LongCallFailure, LongCallOutcome, LongCallSettings } from "./long-call-pool.ts";
import { openRpcReads, resultCache } from "./rpc-reads.ts";

/**
 * Runs in the threads of a LongCallPool: the same methods as elsewhere, of which it answers those that read nothing but
 * the store.
 */

const {
  reads: readsOptions,
  namespaces,
  maxBatchSize,
  maxAnswerBytes,
  forwards,
  refusesBlocksAhead,
  revertWords,
} = workerData<LongCallSettings>();

lowerThreadPriority();

const { store, ...reads } = openRpcReads(readsOptions);

const notHere = (): never => {
  throw new TypeError("this thread has no services");
};
const services: NodeServices = {
  ...ABSENT_SERVICES,
  ...reads,
  identity: readsOptions.identity,
  status: { ready: notHere, version: "", revertWords, realProofs: false, txGasLimits: notHere },
  sync: { lastProcessedL1Block: notHere },
  fees: { currentMinFees: notHere, predictedMinFees: notHere },
  outbox: { roots: notHere },
  signatures: { register: notHere },
};

/** What would have been logged: the other thread does. */
let failures: LongCallFailure[] = [];

const log = { ...silentLogger, error: (facts: object, message: string) => void failures.push({ facts, message }) };
// Nothing is kept; it is what looks for new commits.
const results = resultCache({ store, chain: reads.chain }, 0);
const calls = new Calls(
  publicRegistry(services, readsOptions),
  { namespaces },
  new AnswerWriter({ expectedErrors: [UnknownStateError], refusesBlocksAhead }, log),
);
const reader = new RequestReader(calls, { maxBatchSize, forwards, budget: new AnswerBudget(maxAnswerBytes) });

/** A value that is handed to the other thread with its bytes. */
class Handed<T> {
  readonly #value: T;
  readonly #bodies: readonly Uint8Array[];

  constructor(value: T, bodies: readonly Uint8Array[]) {
    this.#value = value;
    this.#bodies = bodies;
  }

  get [transferableSymbol](): readonly ArrayBufferLike[] {
    return this.#bodies.map(({ buffer }) => buffer);
  }

  get [valueSymbol](): T {
    return this.#value;
  }
}

/** With a buffer to itself. */
function owned(body: Uint8Array): Uint8Array {
  return body.length === body.buffer.byteLength ? body : new Uint8Array(body);
}

export async function answer(body: Uint8Array): Promise<unknown> {
  results.renew();
  const read = await reader.read(body);
  const slots = read.slots.map((slot) => ("status" in slot ? { ...slot, body: owned(slot.body) } : slot));
  const bodies = slots.flatMap((slot) => ("status" in slot ? [slot.body] : []));
  const outcome: LongCallOutcome = { value: { ...read, slots }, failures };
  failures = [];
  return move(new Handed(outcome, bodies) as never);
}
