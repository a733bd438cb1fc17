import { readBigUint, word } from "../../protocol/bytes.ts";
import type { VerificationKey } from "../circuits/layouts/proof-data.ts";

/**
 * Bytes of memory of the proof program for each row of a circuit. Measured: 3.70 GiB for PARITY_BASE of 2^22 rows, 946
 * bytes each.
 */
const BYTES_PER_ROW = 1000;
/** Memory of the proof program without a circuit, and of the thread that solves the witness. */
const FIXED_BYTES = 512 * 2 ** 20;
/** The rows of larger circuits are more than a proof program takes. */
const MAX_LOG_ROWS = 28n;

/** What a key says about the size of its circuit. */
interface CircuitSize {
  /** A power of two. */
  readonly rows: number;
  /** Memory that a proof takes. */
  readonly memoryBytes: number;
  /** Points of the reference string that a proof takes. */
  readonly points: number;
}

/** The first field of a key is the base-2 logarithm of the number of rows. */
export function circuitSize({ fields }: Pick<VerificationKey, "fields">): CircuitSize {
  const logRows = readBigUint(word(fields, 0));
  if (logRows > MAX_LOG_ROWS) throw new RangeError(`not a verification key: its circuit has 2^${logRows} rows`);
  const rows = 2 ** Number(logRows);
  return { rows, memoryBytes: FIXED_BYTES + rows * BYTES_PER_ROW, points: rows + 1 };
}
