import { isZero } from "../bytes.ts";
import { ACCUMULATED_ARRAYS, isForPublic, publicAccumulatedData, REVERTIBLE_AT } from "./accumulated-data.ts";
import { TX_DATA_AT } from "./kernel-output.ts";
import type { Tx } from "./tx.ts";

/** An array of a tx has no room for the wanted number of entries. */
export class TemplateRoomError extends RangeError {
  override readonly name = "TemplateRoomError";
  readonly what: string;
  readonly wanted: number;
  readonly max: number;

  constructor(what: string, wanted: number, max: number) {
    super(`a tx has room for ${max} ${what}, ${wanted} are wanted`);
    this.what = what;
    this.wanted = wanted;
    this.max = max;
  }
}

type ArrayName = keyof typeof ACCUMULATED_ARRAYS;

/** Repeats the non-empty entries of an array, from index `from` on, in place. */
function repeat(
  data: Uint8Array,
  part: number,
  { name, from, times }: { name: ArrayName; from: number; times: number },
) {
  const { at, width, max } = ACCUMULATED_ARRAYS[name];
  const start = part + at;
  const entry = (i: number) => data.subarray(start + i * width, start + (i + 1) * width);
  let count = 0;
  while (count < max && !isZero(entry(count))) count++;
  const pattern = count - from;
  const wanted = from + pattern * times;
  if (wanted > max) throw new TemplateRoomError(name, wanted, max);
  for (let i = count; i < wanted; i++) entry(i).set(entry(i - pattern));
}

/**
 * A copy of the tx in which the private effects of its app logic are repeated `times` times: note hashes, private logs,
 * and nullifiers except the first of the tx. Use withFreshEffects afterwards to make the nullifiers distinct. `times`
 * is at least 1. Throws a TemplateRoomError.
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
 * A copy of the tx in which its only public call is repeated `times` times, at least once. Throws a TemplateRoomError,
 * and a RangeError unless the tx has exactly one public call, of app logic.
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
