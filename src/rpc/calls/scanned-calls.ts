import type { ResultCache } from "../cache/result-cache.ts";
import { JsonWriter } from "../codecs/json/json-writer.ts";
import type { RpcAnswer } from "../jsonrpc/answer.ts";
import type { Caller } from "../ports/caller.ts";
import type { RawForm } from "../registry/registry.ts";
import type { CallCounts } from "./call-counts.ts";
import { type Calls, type CallsOptions, MAX_KEY_LENGTH } from "./calls.ts";
import { EnvelopeScan } from "./envelope-scan.ts";
import type { MethodTable } from "./method-table.ts";
import { latin1 } from "./request-text.ts";

/** Parts of the answers to calls that are answered straight from the bytes of their requests. */

/** A kept result from this size on is sent from where it is. */
export const SENT_IN_PARTS = 16 * 1024;
/** Start of a call that is not timed. */
const UNTIMED = -1;

const OPENING = Buffer.from('{"jsonrpc":"2.0"');
const OPENING_WITH_ID = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT_MEMBER = Buffer.from(',"result":');

/** The start of an answer, up to its result; the id is `body[idFrom .. idTo)`, absent when that is empty. */
export function openAnswer(out: JsonWriter, body: Uint8Array, idFrom: number, idTo: number): JsonWriter {
  return idTo > 0 ? out.bytes(OPENING_WITH_ID).part(body, idFrom, idTo) : out.bytes(OPENING);
}

/** The rest of an answer, if the method's raw form gives it. What was written otherwise counts for nothing. */
export function closeWithRaw(raw: RawForm, body: Uint8Array, from: number, to: number, out: JsonWriter): boolean {
  out.part(RESULT_MEMBER, 0, RESULT_MEMBER.length);
  try {
    if (!raw(body, from, to, out)) return false;
  } catch {
    // The general form says what is wrong.
    return false;
  }
  out.text("}");
  return true;
}

/** To be called before a call of a method is answered; gives what `countAnswered` takes. */
export function startCounted(counts: CallCounts | undefined, method: number): number {
  return counts?.isNextTimed(method) ? performance.now() : UNTIMED;
}

export function countAnswered(counts: CallCounts | undefined, method: number, started: number): void {
  counts?.answered(method);
  if (started !== UNTIMED) counts?.timed(method, performance.now() - started);
}

/** Calls of the usual form, answered straight from the bytes of their requests where that is worth it. */
export class ScannedCalls {
  readonly #calls: Calls;
  readonly #methods: MethodTable;
  readonly #results: ResultCache | undefined;
  readonly #counts: CallCounts | undefined;
  readonly #out = new JsonWriter();
  readonly #scan = new EnvelopeScan();

  constructor(calls: Calls, { results, counts }: Pick<CallsOptions, "results" | "counts">) {
    this.#calls = calls;
    this.#methods = calls.methods;
    this.#results = results;
    this.#counts = counts;
  }

  /** undefined for what takes a closer look. */
  answer(body: Uint8Array, caller: Caller | undefined): RpcAnswer | Promise<RpcAnswer> | undefined {
    const scan = this.#scan;
    if (!scan.scan(body)) return undefined;
    if (scan.idTo === 0 && caller?.sendsNotifications) return undefined;
    const found = this.#methods.named(latin1(body, scan.methodFrom, scan.methodTo));
    if (found === undefined) return undefined;
    const { counted } = found;
    const started = startCounted(this.#counts, counted);
    const cache = this.#results;
    cache?.renew();
    if (found.raw !== undefined) {
      const out = this.#open(body);
      if (closeWithRaw(found.raw, body, scan.paramsFrom, scan.paramsTo, out)) {
        countAnswered(this.#counts, counted, started);
        return { status: 200, body: out.view(), memory: "lent" };
      }
      out.rewind(0);
    }
    const { paramsFrom, paramsTo } = scan;
    if (cache === undefined || found.results === undefined || paramsTo - paramsFrom > MAX_KEY_LENGTH) return undefined;
    const key = paramsTo - paramsFrom <= 2 ? "[]" : latin1(body, paramsFrom, paramsTo);
    const end = cache.get(found.results, key);
    if (end !== undefined) {
      countAnswered(this.#counts, counted, started);
      const out = this.#open(body);
      if (end.length >= SENT_IN_PARTS) return { status: 200, body: out.take(), end };
      return { status: 200, body: out.bytes(end).view(), memory: "lent" };
    }
    const request = {
      id: scan.idTo > 0 ? JSON.parse(latin1(body, scan.idFrom, scan.idTo)) : undefined,
      method: found.name,
      params: JSON.parse(key),
    };
    return this.#calls.answer(request, caller);
  }

  #open(body: Uint8Array): JsonWriter {
    const { idFrom, idTo } = this.#scan;
    return openAnswer(this.#out, body, idFrom, idTo);
  }
}
