import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BN254_GENERATOR } from "../../../src/mempool/proofs/reference-strings.ts";
import { concat, fromHex } from "../../../src/protocol/bytes.ts";
import { checkedPoints } from "../../../src/prover/real/reference-string.ts";
import { knownG2, writeKnownString } from "../live/known-reference-string.ts";

const POINT = 64;
/** So many that each is in a run that is checked: the runs at the begin and at the end overlap. */
const POINTS = 33;
/** tau * G1 of the Ignition ceremony. */
const SECOND_OF_CEREMONY = fromHex(
  "2d360628289ff943ff6bd1a87bbe4e62abe7fb61ba83effd266f22bdcf31e6f9" +
    "26b92a79e563c3f48252cce7feeca2f0f8d33dcb4ef7b0643bf07bd405700aaa",
);

let folder: string;
let own: Uint8Array;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-reference-string-"));
  writeKnownString(folder, POINTS);
  own = readFileSync(join(folder, "bn254_g1.dat"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
/** A folder with a string of these bytes. */
function crs(bytes: Uint8Array): string {
  const path = join(folder, String(files++));
  mkdirSync(path);
  writeFileSync(join(path, "bn254_g1.dat"), bytes);
  return path;
}

const point = (index: number) => own.subarray(index * POINT, (index + 1) * POINT);

function replaced(index: number, by: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(own);
  bytes.set(by, index * POINT);
  return bytes;
}

test("a reference string of the setup is accepted with the number of its points", async () => {
  expect(await checkedPoints(crs(own), knownG2())).toBe(POINTS);
  expect(await checkedPoints(crs(own.subarray(0, 2 * POINT)), knownG2())).toBe(2);
});

test("the first two points of the network's ceremony are accepted by default", async () => {
  expect(await checkedPoints(crs(concat(BN254_GENERATOR, SECOND_OF_CEREMONY)))).toBe(2);
});

test("a reference string of another setup is refused", async () => {
  await expect(checkedPoints(crs(own))).rejects.toThrow(
    /bn254_g1.dat is not of the network's ceremony: its second point is another$/,
  );
});

test("a reference string that continues another one after two points is refused", async () => {
  const mixed = concat(BN254_GENERATOR, SECOND_OF_CEREMONY, own.subarray(2 * POINT));
  await expect(checkedPoints(crs(mixed))).rejects.toThrow("is damaged: the points from 0 to 16 do not follow");
});

test("a reference string is refused when any of the checked points is another one of the curve", async () => {
  for (const index of [2, POINTS - 1]) {
    await expect(checkedPoints(crs(replaced(index, point(1))), knownG2())).rejects.toThrow(
      /is damaged: the points from/,
    );
  }
});

test("a reference string is refused where it has no point of the curve", async () => {
  const flipped = Uint8Array.from(point(5));
  flipped[40] ^= 1;
  const places: [number, Uint8Array][] = [
    [5, flipped],
    [3, new Uint8Array(POINT)],
    [4, new Uint8Array(POINT).fill(255)],
  ];
  for (const [index, bytes] of places) {
    await expect(checkedPoints(crs(replaced(index, bytes)), knownG2())).rejects.toThrow(
      `has no point of BN254 at place ${index}`,
    );
  }
});

test("a reference string must begin with the generator and be of whole points", async () => {
  const refused = (bytes: Uint8Array) => expect(checkedPoints(crs(bytes), knownG2())).rejects;
  await refused(own.subarray(POINT)).toThrow("must begin with the generator of BN254");
  await refused(own.subarray(0, -1)).toThrow(`must have 64 bytes for each point, has ${POINTS * POINT - 1} bytes`);
  await refused(own.subarray(0, POINT)).toThrow("must have two points at least, has 1");
  await expect(checkedPoints(join(folder, "absent"))).rejects.toThrow("cannot be read: ENOENT");
});
