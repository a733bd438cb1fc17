import { yieldProcessor } from "../../core/thread-priority.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { AnswerBudget } from "../limits/answer-budget.ts";
import { NO_ROOM } from "./batch-answers.ts";
import type { Calls, RequestObject } from "./calls.ts";
import { joined } from "./joined.ts";
import { isNotification } from "./notifications.ts";
import { parsedBody } from "./parsed-body.ts";
import type { AnsweredRequest, ReadCall, ReadRequest } from "./read-call.ts";

export interface RequestReaderOptions {
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

  async read(body: Uint8Array): Promise<AnsweredRequest | ReadRequest> {
    const parsed = parsedBody(body, this.#options.maxBatchSize);
    if ("status" in parsed) return parsed;
    if (parsed.batch !== undefined) return this.#batch(parsed.batch);
    const slot = await this.#slot(parsed.request);
    const notification = isNotification(parsed.request);
    if ("status" in slot) return { ...slot, notification };
    return { isBatch: false, slots: [slot], ...(notification && { notifications: [0] }) };
  }

  async #batch(items: readonly unknown[]): Promise<RpcAnswer | ReadRequest> {
    const { budget } = this.#options;
    const slots: (Uint8Array | ReadCall)[] = [];
    let held = 0;
    try {
      for (const item of items) {
        yieldProcessor();
        const slot = await this.#slot(item);
        if (!("status" in slot)) slots.push(slot);
        else if (!budget.take(slot.body.length)) return NO_ROOM;
        else {
          held += slot.body.length;
          slots.push(slot.body);
        }
      }
    } finally {
      budget.release(held);
    }
    const notifications = items.flatMap((item, at) => (isNotification(item) ? [at] : []));
    if (notifications.length > 0) return { isBatch: true, slots, notifications };
    return slots.every((slot) => slot instanceof Uint8Array) ? joined(slots) : { isBatch: true, slots };
  }

  async #slot(item: unknown): Promise<RpcAnswer | ReadCall> {
    const call = this.#calls.read(item);
    if ("status" in call) return call;
    const request = item as RequestObject;
    if (call.method.long !== undefined) return this.#calls.run(call, request, {});
    const { namespace, values } = call;
    const echo = { jsonrpc: textOf(request.jsonrpc), id: textOf(request.id) };
    const text = this.#options.forwards ? textOf(item) : undefined;
    return { namespace, values, name: call.method.name, ...echo, ...(text && { text }) };
  }
}

function textOf(value: unknown): Uint8Array | undefined {
  return value === undefined ? undefined : Buffer.from(JSON.stringify(value));
}
