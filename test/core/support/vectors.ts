import { readFileSync } from "node:fs";
import { concat, fromHex } from "../../../src/protocol/bytes.ts";

/** A file of test/fixtures/vectors. Vectors are loosely shaped data; each test states the shape that it reads. */
export function readVectors<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(`../../fixtures/vectors/${name}`, import.meta.url), "utf8"));
}

/** Words of a list of hex fields, back to back. */
export function words(fields: string[]): Uint8Array {
  return concat(...fields.map(fromHex));
}
