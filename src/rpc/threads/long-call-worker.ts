import { lowerThreadPriority, yieldProcessor } from "../../core/thread-priority.ts";
import { silentLogger } from "../../telemetry/logger.ts";
import { move, transferableSymbol, valueSymbol, workerData } from "../../threads/in-worker.ts";
import { UnknownStateError } from "../../world-state/errors.ts";
import { AnswerBudget } from "../http/answer-budget.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import { Dispatcher } from "../jsonrpc/dispatcher.ts";
import { ABSENT_SERVICES } from "../methods/absent-services.ts";
import { publicRegistry } from "../methods/public-registry.ts";
import type { NodeServices } from "../ports/node-services.ts";
import { type Method, Registry } from "../registry.ts";
import type { LongCallFailure, LongCallOutcome, LongCallSettings } from "./long-call-pool.ts";
import { openRpcReads, resultCache } from "./rpc-reads.ts";

/** Runs in the threads of a LongCallPool: the same methods as elsewhere, of which it answers those that read nothing but the store. */

const { reads: readsOptions, namespaces, maxBatchSize, maxAnswerBytes } = workerData<LongCallSettings>();

lowerThreadPriority();

const { store, ...reads } = openRpcReads(readsOptions);

const notHere = (): never => {
  throw new TypeError("this thread has no services");
};
const services: NodeServices = {
  ...ABSENT_SERVICES,
  ...reads,
  identity: readsOptions.identity,
  status: { ready: notHere, version: "", realProofs: false, txGasLimits: notHere },
  sync: { lastProcessedL1Block: notHere },
  fees: { currentMinFees: notHere, predictedMinFees: notHere },
  outbox: { root: notHere },
  signatures: { register: notHere },
};

/** What would have been logged: the other thread does. */
let failures: LongCallFailure[] = [];
/** Set when a request needs what is not here. */
let needsServices = false;

function onlyLong(method: Method): Method {
  if (method.long !== undefined) return method;
  const handle = (): undefined => {
    needsServices = true;
  };
  return { ...method, handle };
}

const dispatcher = new Dispatcher(
  new Registry(publicRegistry(services).methods.map(onlyLong)),
  // Nothing is kept; it is what looks for new commits.
  {
    namespaces,
    maxBatchSize,
    budget: new AnswerBudget(maxAnswerBytes),
    expectedErrors: [UnknownStateError],
    results: resultCache({ store, chain: reads.chain }, 0),
  },
  { ...silentLogger, error: (facts, message) => void failures.push({ facts, message }) },
);

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

/** With a body that has a buffer to itself. */
async function owned(answer: RpcAnswer | Promise<RpcAnswer>): Promise<RpcAnswer> {
  const { status, body } = await answer;
  return { status, body: body.length === body.buffer.byteLength ? body : new Uint8Array(body) };
}

export async function answer(body: Uint8Array): Promise<unknown> {
  needsServices = false;
  const answered = await owned(dispatcher.answerBytes(body));
  return needsServices ? { value: undefined, failures: taken() } : handed(answered, [answered.body]);
}

function taken(): LongCallFailure[] {
  const own = failures;
  failures = [];
  return own;
}

function handed(value: unknown, bodies: readonly Uint8Array[]): unknown {
  const outcome: LongCallOutcome = { value, failures: taken() };
  return move(new Handed(outcome, bodies) as never);
}

export async function answerEach(calls: Uint8Array): Promise<unknown> {
  const bodies: Uint8Array[] = [];
  for (const call of JSON.parse(Buffer.from(calls).toString())) {
    yieldProcessor();
    bodies.push((await owned(dispatcher.answer(call))).body);
  }
  return handed(bodies, bodies);
}
