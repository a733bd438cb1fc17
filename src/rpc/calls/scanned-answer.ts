import type { JsonWriter } from "../codecs/json/json-writer.ts";
import type { RawForm } from "../registry/registry.ts";
import type { CallCounts } from "./call-counts.ts";

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
