import type { ResultCache } from "../cache/result-cache.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { AnswerBudget } from "../limits/answer-budget.ts";
import type { Caller } from "../ports/caller.ts";
import type { AnswerWriter } from "./answer-writer.ts";
import { BatchAnswers, NO_ROOM } from "./batch-answers.ts";
import type { BatchCalls } from "./batch-calls.ts";
import { BatchEffects } from "./batch-effects.ts";
import type { CallCounts } from "./call-counts.ts";
import { answered, type Calls, type RequestObject } from "./calls.ts";
import type { LongCalls } from "./long-calls.ts";
import type { Schedule } from "./schedule.ts";

export interface BatchesOptions {
  results?: ResultCache;
  /** Bounds the bytes of the answers while they are made. */
  budget?: AnswerBudget;
  counts?: CallCounts;
}

/** Calls of a batch that go to another thread together. */
const CALLS_AT_ONCE = 8;

/** One batch while it is worked on. */
interface Batch {
  calls: BatchCalls;
  caller: Caller | undefined;
  answers: BatchAnswers;
  effects: BatchEffects;
}

/**
 * Batches of permitted size. One that takes its time leaves the thread to other requests after each slice, and takes
 * turns with other batches. A call waits for the calls before it that have an effect, as sending a transaction has;
 * neighbouring ones of those run at the same time.
 */
export class Batches {
  readonly #calls: Calls;
  readonly #schedule: Schedule;
  readonly #writer: AnswerWriter;
  readonly #options: BatchesOptions;

  constructor(calls: Calls, writer: AnswerWriter, options: BatchesOptions) {
    this.#calls = calls;
    this.#schedule = calls.schedule;
    this.#writer = writer;
    this.#options = options;
  }

  answer(calls: BatchCalls, caller: Caller | undefined): RpcAnswer | Promise<RpcAnswer> {
    const answers = new BatchAnswers(this.#options.budget);
    const batch: Batch = { calls, caller, answers, effects: new BatchEffects() };
    const slices = this.#schedule.slices();
    for (let at = 0; at < calls.length && !answers.refused; at++) {
      if (slices.isOver || this.#waits(batch, at)) return this.#rest(batch, at, slices);
      this.#one(batch, at);
    }
    return answers.answer();
  }

  /** Whether a call has to see the effects of those before it. */
  #waits({ calls, effects }: Batch, at: number): boolean {
    return effects.pending && !this.#calls.hasEffect(calls.item(at));
  }

  /** Answers a call here, unless `send`, of a later slice, takes it. */
  #one({ calls, caller, answers, effects }: Batch, at: number, send?: (at: number) => boolean): void {
    const isSilent = caller?.sendsNotifications === true && calls.isNotification(at);
    if (!isSilent && answers.write(calls, at)) return;
    // A store read as a notification has no effect, but it is counted and its parameters are checked.
    if (!isSilent && send?.(at)) return;
    const item = calls.item(at);
    const answer = this.#calls.answer(item, caller, calls.length > 1);
    if (answer instanceof Promise && this.#calls.hasEffect(item)) effects.add(answer);
    if (!isSilent) answers.put(at, answer);
  }

  /**
   * Answers the rest of a batch that used up its time slice or has to wait, on another thread if possible, until the
   * batch is refused or its client is gone.
   */
  async #rest(batch: Batch, from: number, slices: ReturnType<Schedule["slices"]>): Promise<RpcAnswer> {
    const { calls, caller, answers, effects } = batch;
    const left = caller?.signal();
    let chunk: number[] = [];
    let to: LongCalls | undefined;
    const sendChunk = (): void => {
      if (to !== undefined && chunk.length > 0) this.#send(batch, chunk, to);
      chunk = [];
    };
    const send = (at: number): boolean => {
      const elsewhere = this.#schedule.forLateCall(this.#calls.methodOf(calls.item(at)));
      if (elsewhere === undefined) return false;
      to = elsewhere;
      if (chunk.push(at) === CALLS_AT_ONCE) sendChunk();
      return true;
    };
    calls.keep();
    for (let at = from; at < calls.length; at++) {
      const isHeld = this.#waits(batch, at);
      if (isHeld || slices.isOver) {
        answers.endRun();
        if (isHeld) await effects.settled();
        await slices.next();
        this.#options.results?.renew();
      }
      if (left?.aborted) answers.abandon();
      if (answers.refused) return answers.answer();
      this.#one(batch, at, send);
    }
    if (!answers.refused) sendChunk();
    return answers.answer();
  }

  /** Has some calls answered on another thread. */
  #send({ calls, caller, answers }: Batch, chunk: readonly number[], to: LongCalls): void {
    const { counts } = this.#options;
    const items = chunk.map((at) => calls.item(at) as RequestObject);
    const read = to.answer(Buffer.from(JSON.stringify(items)), caller?.client() ?? "", caller?.signal());
    for (const [i, at] of chunk.entries()) {
      const answer = read.then(({ isBatch, slots }) => {
        counts?.settledElsewhere(counts.indexOf(items[i].method));
        if (isBatch) return answered(slots[i]);
        answers.abandon();
        return NO_ROOM;
      });
      answers.put(
        at,
        answer.catch((error: unknown) => this.#writer.error(items[i], error)),
      );
    }
  }
}
