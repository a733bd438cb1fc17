import type { ResultCache } from "../cache/result-cache.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { AnswerBudget } from "../limits/answer-budget.ts";
import { SLICE_MS, Turns } from "../limits/turns.ts";
import type { Caller } from "../ports/caller.ts";
import { type AnswerWriter, RESULT_MEMBER } from "./answer-writer.ts";
import { BatchAnswers } from "./batch-answers.ts";
import type { BatchCalls } from "./batch-calls.ts";
import { BatchEffects } from "./batch-effects.ts";
import { type CallCounts, OTHER } from "./call-counts.ts";
import { type Calls, type Kept, MAX_KEY_LENGTH, type RequestObject } from "./calls.ts";
import { CALLS_AT_ONCE, type LongCalls } from "./long-calls.ts";
import type { MethodTable } from "./method-table.ts";
import type { ReadCall, ReadRequest } from "./read-call.ts";

export interface BatchesOptions {
  results?: ResultCache;
  /** Takes the calls of a batch that takes its time. Without it a batch is answered in one go. */
  longCalls?: LongCalls;
  /** Bounds the bytes of the answers while they are made. */
  budget?: AnswerBudget;
  counts?: CallCounts;
}

/** How far a batch is answered. */
interface Progress {
  /** The first call that is not. */
  from: number;
  answers: BatchAnswers;
  effects: BatchEffects;
  caller: Caller | undefined;
}

export interface BatchParts {
  calls: Calls;
  methods: MethodTable;
  writer: AnswerWriter;
}

/**
 * Batches of permitted size. One that takes its time leaves the thread to other requests after each slice, and takes
 * turns with other batches. A call waits for the calls before it that have an effect, as sending a transaction has;
 * neighbouring ones of those run at the same time.
 */
export class Batches {
  readonly #parts: BatchParts;
  readonly #options: BatchesOptions;
  readonly #turns = new Turns();

  constructor(parts: BatchParts, options: BatchesOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  answer(calls: BatchCalls, caller: Caller | undefined): RpcAnswer | Promise<RpcAnswer> {
    const { longCalls, budget } = this.#options;
    // While other batches go on, this one waits for its turn.
    const end = this.#turns.idle ? performance.now() + SLICE_MS : 0;
    const answers = new BatchAnswers(budget);
    const effects = new BatchEffects();
    for (let at = 0; at < calls.length && !answers.refused; at++) {
      const isLate = longCalls !== undefined && performance.now() > end;
      if (isLate || this.#waits(effects, calls, at)) return this.#rest(calls, { from: at, answers, effects, caller });
      this.#one(calls, at, { answers, effects, caller });
    }
    return answers.answer();
  }

  /** Whether a call has to see the effects of those before it. */
  #waits(effects: BatchEffects, calls: BatchCalls, at: number): boolean {
    return effects.pending && !this.#parts.calls.hasEffect(calls.parsed(at));
  }

  #one(calls: BatchCalls, at: number, { answers, effects, caller }: Omit<Progress, "from">): void {
    const isSilent = caller?.sendsNotifications === true && calls.isNotification(at);
    if (!isSilent && answers.write(calls, at)) return;
    const item = calls.parsed(at);
    const answer = this.#slot(item, caller, calls.length > 1);
    if (answer instanceof Promise && this.#parts.calls.hasEffect(item)) effects.add(answer);
    if (!isSilent) answers.put(at, answer);
  }

  /** Answers the calls that are left of a batch. */
  async answerRead({ slots, notifications }: ReadRequest, caller: Caller | undefined): Promise<RpcAnswer> {
    const answers = new BatchAnswers(this.#options.budget);
    const effects = new BatchEffects();
    const { calls } = this.#parts;
    const silent = new Set(caller?.sendsNotifications ? notifications : []);
    const hasEffect = (call: ReadCall) => calls.hasReadEffect(call);
    const waits = (at: number): boolean => {
      const slot = slots[at];
      return effects.pending && !(slot instanceof Uint8Array) && !hasEffect(slot);
    };
    await this.#sliced({ from: 0, to: slots.length, answers, effects, caller }, waits, (at) => {
      const slot = slots[at];
      if (!(slot instanceof Uint8Array)) {
        const answer = calls.runRead(slot, caller);
        if (hasEffect(slot)) effects.add(answer);
        if (!silent.has(at)) answers.put(at, answer);
        return;
      }
      this.#options.counts?.settledElsewhere(OTHER);
      if (!silent.has(at)) answers.put(at, { status: 200, body: slot });
    });
    return answers.answer();
  }

  #slot(item: unknown, caller: Caller | undefined, batched: boolean): RpcAnswer | Promise<RpcAnswer> {
    const { calls, writer } = this.#parts;
    const kept = this.#keptFor(item);
    const end = kept && this.#options.results?.get(kept.results, kept.key);
    if (end === undefined) return calls.answer(item, caller, kept, batched);
    const { counts } = this.#options;
    counts?.answered(counts.indexOf((item as RequestObject).method));
    const text = end.subarray(RESULT_MEMBER.length, -1);
    return writer.result(item as RequestObject, text, (out, json) => void out.bytes(json));
  }

  /** Where the result of a parsed call may be kept: under the text that its params have without blanks. */
  #keptFor(item: unknown): Kept | undefined {
    if (typeof item !== "object" || item === null) return undefined;
    const { id, method, params = [] } = item as RequestObject;
    if (typeof id === "object" && id !== null) return undefined;
    const results = typeof method === "string" ? this.#parts.methods.named(method)?.results : undefined;
    if (results === undefined || !Array.isArray(params)) return undefined;
    const key = JSON.stringify(params);
    return key.length > MAX_KEY_LENGTH ? undefined : { results, key };
  }

  /** Answers the rest of a batch that used up its time slice or has to wait, on a worker thread if possible. */
  async #rest(calls: BatchCalls, { from, answers, effects, caller }: Progress): Promise<RpcAnswer> {
    const { writer } = this.#parts;
    const { counts, longCalls } = this.#options;
    let chunk: { at: number; item: unknown }[] = [];
    const send = (to: LongCalls): void => {
      const sent = chunk;
      chunk = [];
      const text = Buffer.from(JSON.stringify(sent.map(({ item }) => item)));
      const bodies = to.answerEach(text, caller?.client() ?? "", caller?.signal());
      for (const [i, { at, item }] of sent.entries()) {
        const answer = bodies.then(
          (all) => {
            counts?.settledElsewhere(counts.indexOf((item as RequestObject).method));
            return { status: 200, body: all[i] };
          },
          (error: unknown) => writer.error(item as RequestObject, error),
        );
        answers.put(at, answer);
      }
    };
    calls.keep();
    const waits = (at: number) => this.#waits(effects, calls, at);
    await this.#sliced({ from, to: calls.length, answers, effects, caller }, waits, (at) => {
      const isSilent = caller?.sendsNotifications === true && calls.isNotification(at);
      if (!isSilent && answers.write(calls, at)) return;
      const item = calls.parsed(at);
      // A store read as a notification has no effect, but it is counted and its parameters are checked.
      if (isSilent || longCalls === undefined || !this.#goesElsewhere(item)) {
        this.#one(calls, at, { answers, effects, caller });
      } else if (chunk.push({ at, item }) === CALLS_AT_ONCE) send(longCalls);
    });
    if (longCalls !== undefined && chunk.length > 0 && !answers.refused) send(longCalls);
    return answers.answer();
  }

  /**
   * Calls `work` for each call, one time slice per turn, until the batch is refused or its client is gone. `waits`: the
   * calls that must see the effects of those before them.
   */
  async #sliced(
    { from, to, answers, effects, caller }: Progress & { to: number },
    waits: (at: number) => boolean,
    work: (at: number) => void,
  ): Promise<void> {
    const left = caller?.signal();
    let end = performance.now();
    for (let at = from; at < to; at++) {
      if (waits(at)) {
        answers.endRun();
        await effects.settled();
        end = performance.now();
      }
      if (performance.now() >= end) {
        answers.endRun();
        await this.#turns.wait();
        this.#options.results?.renew();
        end = performance.now() + SLICE_MS;
      }
      if (left?.aborted) answers.abandon();
      if (answers.refused) return;
      work(at);
    }
  }

  #goesElsewhere(item: unknown): boolean {
    if (typeof item !== "object" || item === null) return false;
    const { method } = item as RequestObject;
    return typeof method === "string" && this.#parts.calls.named(method)?.long !== undefined;
  }
}
