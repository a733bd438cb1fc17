import { yieldProcessor } from "../../core/thread-priority.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { AnswerBudget } from "../limits/answer-budget.ts";
import { NO_ROOM } from "./batch-answers.ts";
import type { Calls, RequestObject } from "./calls.ts";
import type { ReadCall, ReadRequest } from "./long-calls.ts";
import { isNotification } from "./notifications.ts";
import { parsedBody } from "./parsed-body.ts";
import { isForAnyThread } from "./schedule.ts";

interface RequestReaderOptions {
  maxBatchSize: number;
  /** Bounds the bytes of the answers of a batch. */
  budget: AnswerBudget;
  /** Whether calls may have to be forwarded, which takes their text. */
  forwards?: boolean;
}

/**
 * Reads requests where the node's services are not: answers what needs none of them, and leaves the other calls as
 * read.
 */
export class RequestReader {
  readonly #calls: Calls;
  readonly #options: RequestReaderOptions;

  constructor(calls: Calls, options: RequestReaderOptions) {
    this.#calls = calls;
    this.#options = options;
  }

  async read(body: Uint8Array): Promise<ReadRequest> {
    const parsed = parsedBody(body, this.#options.maxBatchSize);
    if ("status" in parsed) return single(parsed);
    const items = parsed.batch ?? [parsed.request];
    const slots = parsed.batch === undefined ? [await this.#slot(parsed.request)] : await this.#slots(items);
    if (slots === undefined) return single(NO_ROOM);
    const notifications = items.flatMap((item, at) => (isNotification(item) ? [at] : []));
    return { isBatch: parsed.batch !== undefined, slots, notifications };
  }

  /** Of a batch; undefined if its answers are too long. */
  async #slots(items: readonly unknown[]): Promise<(RpcAnswer | ReadCall)[] | undefined> {
    const { budget } = this.#options;
    const slots: (RpcAnswer | ReadCall)[] = [];
    let held = 0;
    try {
      for (const item of items) {
        yieldProcessor();
        const slot = await this.#slot(item);
        slots.push(slot);
        if (!("status" in slot)) continue;
        if (!budget.take(slot.body.length)) return undefined;
        held += slot.body.length;
      }
    } finally {
      budget.release(held);
    }
    return slots;
  }

  async #slot(item: unknown): Promise<RpcAnswer | ReadCall> {
    const call = this.#calls.read(item);
    if ("status" in call) return call;
    const request = item as RequestObject;
    if (isForAnyThread(call.method)) return this.#calls.run(call, request, {});
    const { namespace, values } = call;
    const echo = { jsonrpc: textOf(request.jsonrpc), id: textOf(request.id) };
    const text = this.#options.forwards ? textOf(item) : undefined;
    return { namespace, values, name: call.method.name, ...echo, ...(text && { text }) };
  }
}

/** A request that has one answer, whatever it holds. */
function single(answer: RpcAnswer): ReadRequest {
  return { isBatch: false, slots: [answer], notifications: [] };
}

function textOf(value: unknown): Uint8Array | undefined {
  return value === undefined ? undefined : Buffer.from(JSON.stringify(value));
}
