import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const MIB = 1024 ** 2;

test("the space for young objects stays small until it is let grow", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--disable-warning=ExperimentalWarning",
    join(import.meta.dirname, "growing-heap.ts"),
  ]);
  const { limited, free } = JSON.parse(stdout) as { limited: number; free: number };
  expect(limited).toBeLessThanOrEqual(8 * MIB);
  expect(free).toBeGreaterThan(8 * MIB);
});
