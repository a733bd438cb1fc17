import { stat } from "node:fs/promises";
import { join } from "node:path";

/** Points of the BN254 string, x and y of 32 bytes each. */
const FILE = "bn254_g1.dat";
const POINT_BYTES = 64;

/** The reference string is missing. */
export class ReferenceStringError extends Error {
  constructor(file: string, rule: string) {
    super(`${file} ${rule}`);
    this.name = "ReferenceStringError";
  }
}

/**
 * The number of points in a folder of reference strings. A proof program that lacks points would download them. Rejects
 * with a ReferenceStringError.
 */
export async function pointsIn(folder: string): Promise<number> {
  const file = join(folder, FILE);
  try {
    return Math.floor((await stat(file)).size / POINT_BYTES);
  } catch (error) {
    throw new ReferenceStringError(file, `cannot be read: ${(error as Error).message}`);
  }
}
