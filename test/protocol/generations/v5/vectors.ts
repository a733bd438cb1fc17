import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A file of test/fixtures/v5/vectors. Each test states the shape that it reads. */
export function readVectors<Shape>(name: string): Shape {
  const file = new URL(`../../../fixtures/v5/vectors/${name}.json.gz`, import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
}
