import { expect, test } from "vitest";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import { LogTail } from "../../../src/process/logging/log-tail.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";

function logging(level = "info") {
  const tail = new LogTail();
  const written: string[] = [];
  const loggerFor = createLogging({
    filter: parseLogFilter(level),
    json: false,
    secrets: ["open sesame"],
    tail,
    write: (line) => void written.push(line),
  });
  return { tail, written, loggerFor };
}

test("the tail of the log has the lines that were written, in their order, with sequence numbers", () => {
  const { tail, loggerFor } = logging();
  const log = loggerFor("archiver");
  log.info({ block: 7, ms: 12 }, "stored block {block}");
  log.debug({}, "not written at this level");
  log.warn({ err: new Error("no answer") }, "L1 is slow");
  expect(tail.read(0, 100)).toMatchObject([
    { sequence: 1, level: "info", module: "archiver", message: "stored block 7", fields: ["ms=12"] },
    { sequence: 2, level: "warn", message: "L1 is slow", fields: [expect.stringContaining("no answer")] },
  ]);
  expect(tail.read(1, 100).map(({ sequence }) => sequence)).toEqual([2]);
  expect(tail.read(0, 1).map(({ sequence }) => sequence)).toEqual([2]);
  expect(tail.read(2, 100)).toEqual([]);
  expect(tail.read(99, 100)).toEqual([]);
});

test("the tail of the log has no secrets", () => {
  const { tail, loggerFor } = logging();
  loggerFor("node").info({ mnemonic: "twelve words", header: "say open sesame" }, "open sesame");
  const text = JSON.stringify(tail.read(0, 10));
  expect(text).not.toMatch(/sesame|twelve/);
  expect(text).toContain("[Redacted]");
});

test("the tail of the log keeps the latest lines within its bounds, and shortens a long one", () => {
  const { tail, loggerFor } = logging();
  const log = loggerFor("node");
  for (let i = 1; i <= 5_000; i++) log.info({ i }, "line {i}");
  const lines = tail.read(0, 10_000);
  expect(lines).toHaveLength(2_000);
  expect(lines[0]).toMatchObject({ sequence: 3_001, message: "line 3001" });
  expect(lines.at(-1)).toMatchObject({ sequence: 5_000, message: "line 5000" });
  for (let i = 0; i < 150; i++) log.info({ blob: "x".repeat(20_000) }, `big ${"y".repeat(20_000)}`);
  const large = tail.read(0, 10_000);
  expect(JSON.stringify(large).length).toBeLessThan(1.2 * 2 ** 20);
  expect(large.at(-1)).toMatchObject({
    sequence: 5_150,
    fields: [],
    message: expect.stringMatching(/^big y.*\(shortened\)$/),
  });
});
