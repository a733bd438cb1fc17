import { isZero } from "../bytes.ts";
import { ACCUMULATED_ARRAYS, isForPublic, publicAccumulatedData, REVERTIBLE_AT } from "./accumulated-data.ts";
import { TX_DATA_AT } from "./kernel-output.ts";
import type { Tx } from "./tx.ts";

/** A tx has no room for so many of something. */
export class TemplateRoomError extends RangeError {
  override readonly name = "TemplateRoomError";
  readonly what: string;
  readonly wanted: number;
  readonly most: number;

  constructor(what: string, wanted: number, most: number) {
    super(`a tx has room for ${most} ${what}, ${wanted} are wanted`);
    this.what = what;
    this.wanted = wanted;
    this.most = most;
  }
}

type ArrayName = keyof typeof ACCUMULATED_ARRAYS;

/** Repeats entries `from` on of an array, as many as are there, in place. */
function repeat(
  data: Uint8Array,
  part: number,
  { name, from, times }: { name: ArrayName; from: number; times: number },
) {
  const { at, width, most } = ACCUMULATED_ARRAYS[name];
  const start = part + at;
  const entry = (i: number) => data.subarray(start + i * width, start + (i + 1) * width);
  let count = 0;
  while (count < most && !isZero(entry(count))) count++;
  const pattern = count - from;
  const wanted = from + pattern * times;
  if (wanted > most) throw new TemplateRoomError(name, wanted, most);
  for (let i = count; i < wanted; i++) entry(i).set(entry(i - pattern));
}

/**
 * A copy of the tx in which what its app logic did in private is done `times` times: note hashes, nullifiers but for the first of the tx,
 * private logs. The nullifiers have to be made different afterwards (withFreshEffects). `times` is at least 1. Throws a TemplateRoomError.
 */
export function withRepeatedEffects(tx: Tx, times: number): Tx {
  const data = new Uint8Array(tx.data);
  const isPublic = isForPublic(data);
  const part = isPublic ? REVERTIBLE_AT : TX_DATA_AT.accumulated;
  repeat(data, part, { name: "noteHashes", from: 0, times });
  repeat(data, part, { name: "nullifiers", from: isPublic ? 0 : 1, times });
  repeat(data, part, { name: "privateLogs", from: 0, times });
  return { ...tx, data };
}

/**
 * A copy of the tx in which its only public call, one of app logic, is made `times` times, at least once. Throws a TemplateRoomError, and a
 * RangeError for a tx of other calls.
 */
export function withRepeatedCall(tx: Tx, times: number): Tx {
  const data = new Uint8Array(tx.data);
  const calls = isForPublic(data) ? publicAccumulatedData(data).appCalls.length : 0;
  if (calls !== 1 || tx.publicFunctionCalldata.length !== 1) {
    throw new RangeError(
      `the tx has ${tx.publicFunctionCalldata.length} public calls, ${calls} of app logic; one is wanted`,
    );
  }
  repeat(data, REVERTIBLE_AT, { name: "publicCalls", from: 0, times });
  return { ...tx, data, publicFunctionCalldata: Array.from({ length: times }, () => tx.publicFunctionCalldata[0]) };
}
