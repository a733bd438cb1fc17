import { failure, type RpcAnswer } from "../jsonrpc/answer.ts";
import { LIMIT_EXCEEDED } from "../jsonrpc/errors.ts";
import { type AnswerBudget, UNBOUNDED } from "../limits/answer-budget.ts";
import { AnswerRun } from "./answer-run.ts";
import { release } from "./answer-sink.ts";
import type { BatchCalls } from "./batch-calls.ts";
import { NO_ANSWER } from "./notifications.ts";

/** Refuses a batch whose answers together are too long. */
export const NO_ROOM: RpcAnswer = {
  ...failure(503, LIMIT_EXCEEDED, "The node is busy: there is no room for the answers of the batch"),
  headers: [["Retry-After", "1"]],
};

/** Bytes of neighbouring answers that are written together before they are taken from the budget. */
const MAX_RUN_BYTES = 256 * 1024;

/**
 * The answers of one batch while it is worked on. Their bytes are taken from a budget as they come, so that few
 * requests cannot make a thread hold any amount; without room the batch as a whole is refused and its answers are
 * dropped.
 */
export class BatchAnswers {
  readonly #budget: AnswerBudget;
  /** By call; those of a run are in the place of its first. */
  #slots: (RpcAnswer | Promise<RpcAnswer>)[] = [];
  readonly #run = new AnswerRun();
  #held = 0;
  #refused = false;

  constructor(budget: AnswerBudget = UNBOUNDED) {
    this.#budget = budget;
  }

  /** Nobody will see further answers. */
  get refused(): boolean {
    return this.#refused;
  }

  /** Whether `calls` writes the answer to this call. Before any pause, `endRun` has to be called. */
  write(calls: BatchCalls, at: number): boolean {
    const run = this.#run;
    const isWritten = run.write(calls, at);
    if (!isWritten || run.length > MAX_RUN_BYTES) this.endRun();
    return isWritten;
  }

  put(at: number, answer: RpcAnswer | Promise<RpcAnswer>): void {
    if (this.#refused) return;
    // Promises of a dispatcher are never rejected.
    if (answer instanceof Promise) this.#slots[at] = answer.then((settled) => this.#hold(settled));
    else this.#slots[at] = this.#hold(answer);
  }

  /** Keeps the answers that were written since the last pause. */
  endRun(): void {
    const run = this.#run;
    if (run.isEmpty) return;
    const { from } = run;
    const body = run.take();
    if (!this.#refused) this.#slots[from] = this.#hold({ status: 200, body });
  }

  #hold(answer: RpcAnswer): RpcAnswer {
    if (this.#refused) return NO_ROOM;
    if (!this.#budget.take(answer.body.length)) {
      this.abandon();
      return NO_ROOM;
    }
    this.#held += answer.body.length;
    return answer;
  }

  /** Lets go of what was answered; further answers are not wanted. */
  abandon(): void {
    this.#refused = true;
    this.#slots = [];
    this.#release();
  }

  #release(): void {
    this.#budget.release(this.#held);
    this.#held = 0;
  }

  /** The answer to the batch, once all are there. What it takes is for its receiver to ask for. */
  answer(): RpcAnswer | Promise<RpcAnswer> {
    if (!this.#refused && this.#slots.length === 0) {
      return this.#run.isEmpty ? NO_ANSWER : { status: 200, body: this.#run.takeBatch() };
    }
    this.endRun();
    if (this.#refused) return NO_ROOM;
    const slots = this.#slots.filter(() => true);
    if (slots.every(isSettled)) return this.#joined(slots);
    return Promise.all(slots).then((settled) => (this.#refused ? NO_ROOM : this.#joined(settled)));
  }

  #joined(slots: readonly RpcAnswer[]): RpcAnswer {
    this.#release();
    this.#slots = [];
    return joined(slots.map(({ body }) => body));
  }
}

/** The answer to a batch, of bodies that are of no other use: their memory is given back. */
function joined(bodies: readonly Uint8Array[]): RpcAnswer {
  const out = new Uint8Array(bodies.reduce((bytes, { length }) => bytes + length + 1, 1));
  let at = 0;
  for (const body of bodies) {
    out[at] = at === 0 ? 0x5b : 0x2c;
    out.set(body, at + 1);
    at += body.length + 1;
    release({ body });
  }
  out[at] = 0x5d;
  return { status: 200, body: out };
}

function isSettled(slot: RpcAnswer | Promise<RpcAnswer>): slot is RpcAnswer {
  return !(slot instanceof Promise);
}
