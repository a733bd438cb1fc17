import { expect, test } from "vitest";
import { isZero } from "../../src/protocol/bytes.ts";

test("a run of bytes is zero unless any of them is set, whatever its length", () => {
  for (const length of [0, 1, 2, 31, 127, 128, 129, 130, 4096, 4097]) {
    const run = new Uint8Array(length);
    expect(isZero(run)).toBe(true);
    for (const at of new Set([0, 1, length >> 1, length - 2, length - 1])) {
      if (at < 0 || at >= length) continue;
      run[at] = 1;
      expect(isZero(run)).toBe(false);
      run[at] = 0;
    }
    run.fill(1);
    expect(isZero(run)).toBe(length === 0);
  }
});
