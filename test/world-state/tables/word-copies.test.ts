import { expect, test } from "vitest";
import { copyWord } from "../../../src/world-state/tables/word-copies.ts";

test("copied words do not change with their source or with each other, also when one buffer cannot hold all of them", () => {
  const source = new Uint8Array(40);
  const copies = Array.from({ length: 600 }, (_, n) => copyWord(source.fill(n % 251), 8));
  source.fill(255);
  for (const [n, copy] of copies.entries()) expect(copy).toEqual(new Uint8Array(32).fill(n % 251));
  copies[300].fill(254);
  expect(copies[299]).toEqual(new Uint8Array(32).fill(299 % 251));
  expect(copies[301]).toEqual(new Uint8Array(32).fill(301 % 251));
});
