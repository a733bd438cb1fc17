import { randomInt } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { BN254_GENERATOR, IGNITION_G2, POINT_BYTES } from "../../mempool/proofs/reference-strings.ts";
import { equal } from "../../protocol/bytes.ts";
import { arePowers, type G1Point, g1Point, g2Point } from "./powers.ts";

/** The BN254 string: the generator, then each point tau times the one before; x and y of 32 bytes each. */
const FILE = "bn254_g1.dat";

/** Points of a run that is checked, and how many runs are at random places. */
const RUN = 17;
const RANDOM_RUNS = 16;

/** The reference string is missing, or is not of the ceremony. */
export class ReferenceStringError extends Error {
  constructor(file: string, rule: string) {
    super(`${file} ${rule}`);
    this.name = "ReferenceStringError";
  }
}

/**
 * The number of points in a folder of reference strings, once it is known that they are of the ceremony that `g2`, tau
 * times the generator of the second group, is of. A proof program that lacks points would download them, over plain
 * HTTP, and look at the first two only.
 *
 * Checked are the first two points, and in runs at the begin, at the end and at random places that each point is tau
 * times the one before. That finds strings of another setup or layout, and damage of a large part, but hardly a single
 * wrong point. Rejects with a ReferenceStringError.
 */
export async function checkedPoints(folder: string, g2: Uint8Array = IGNITION_G2): Promise<number> {
  const path = join(folder, FILE);
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const { size } = await file.stat();
    if (size % POINT_BYTES !== 0) {
      throw new ReferenceStringError(path, `must have ${POINT_BYTES} bytes for each point, has ${size} bytes`);
    }
    const points = size / POINT_BYTES;
    if (points < 2) throw new ReferenceStringError(path, `must have two points at least, has ${points}`);
    const length = Math.min(points, RUN);
    const last = points - length;
    const places = [0, last, ...Array.from({ length: RANDOM_RUNS }, () => randomInt(last + 1))];
    const runs: G1Point[][] = [];
    for (const from of places) runs.push(await readRun(file, path, from, length));
    const tauG2 = g2Point(g2);
    if (!arePowers([runs[0].slice(0, 2)], tauG2)) {
      throw new ReferenceStringError(path, "is not of the network's ceremony: its second point is another");
    }
    if (!arePowers(runs, tauG2)) {
      const from = places[runs.findIndex((run) => !arePowers([run], tauG2))];
      const rule = `is damaged: the points from ${from} to ${from + length - 1} do not follow from each other`;
      throw new ReferenceStringError(path, rule);
    }
    return points;
  } catch (error) {
    if (error instanceof ReferenceStringError) throw error;
    throw new ReferenceStringError(path, `cannot be read: ${(error as Error).message}`);
  } finally {
    await file?.close();
  }
}

/** The points from place `from` on. Rejects with a ReferenceStringError. */
async function readRun(file: FileHandle, path: string, from: number, length: number): Promise<G1Point[]> {
  const bytes = new Uint8Array(length * POINT_BYTES);
  const { bytesRead } = await file.read(bytes, 0, bytes.length, from * POINT_BYTES);
  if (bytesRead < bytes.length) throw new ReferenceStringError(path, "became shorter while it was read");
  if (from === 0 && !equal(bytes.subarray(0, POINT_BYTES), BN254_GENERATOR)) {
    throw new ReferenceStringError(path, "must begin with the generator of BN254");
  }
  return Array.from({ length }, (_, i) => {
    try {
      return g1Point(bytes.subarray(i * POINT_BYTES, (i + 1) * POINT_BYTES));
    } catch {
      throw new ReferenceStringError(path, `has no point of BN254 at place ${from + i}`);
    }
  });
}
