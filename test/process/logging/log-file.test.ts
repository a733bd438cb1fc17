import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { LogFile } from "../../../src/process/logging/log-file.ts";
import { loggingOf } from "../../../src/process/logging/process-logging.ts";

let folder: string;
let path: string;
const complaints: string[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
  folder = mkdtempSync(join(tmpdir(), "svc-log-file-"));
  path = join(folder, "node.log");
  complaints.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

const HOUR = 3_600_000;
const limits = { maxBytes: 10, maxAgeMs: HOUR, kept: 2, complain: (text: string) => complaints.push(text) };
const contents = () =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]));

test("a log file goes on where it ended, and is replaced when a line would make it too long", () => {
  writeFileSync(path, "before\n");
  const file = new LogFile({ path, ...limits });
  for (const line of ["a\n", "bbbbbb\n", "ccc\n", "dddddddddddddddd\n", "e\n"]) file.write(line);
  expect(contents()).toEqual({ "node.log": "e\n", "node.log.1": "dddddddddddddddd\n", "node.log.2": "ccc\n" });
});

test("a log file is replaced when it is old", () => {
  const file = new LogFile({ path, ...limits });
  file.write("a\n");
  vi.advanceTimersByTime(HOUR - 1);
  file.write("b\n");
  vi.advanceTimersByTime(1);
  file.write("c\n");
  file.write("d\n");
  expect(contents()).toEqual({ "node.log": "c\nd\n", "node.log.1": "a\nb\n" });
});

test("what is no regular file is not replaced", () => {
  const file = new LogFile({ path: "/dev/null", ...limits });
  file.write("aaaaaaaa\n");
  vi.advanceTimersByTime(HOUR);
  file.write("bbbbbbbb\n");
  expect(complaints).toEqual([]);
  expect(existsSync("/dev/null.1")).toBe(false);
});

test("a file that cannot be opened is refused with its path and the reason", () => {
  mkdirSync(path);
  expect(() => new LogFile({ path, ...limits })).toThrow(
    `--log-file ${path} must be a file that this user can write, in a folder that exists (EISDIR)`,
  );
  expect(() => new LogFile({ path: join(folder, "none", "x"), ...limits })).toThrow("(ENOENT)");
});

test("a file that can no longer be written is told once, costs lines only, and is written again", () => {
  const file = new LogFile({ path, ...limits });
  file.write("aaaaaaaa\n");
  // Names that a rotation cannot give.
  mkdirSync(join(folder, "node.log.2", "x"), { recursive: true });
  mkdirSync(join(folder, "node.log.1"));
  file.write("bbbbbbbb\n");
  file.write("cccccccc\n");
  expect(complaints).toEqual([expect.stringMatching(/node\.log cannot be written \(\w+\): lines are missing in it/)]);
  rmSync(join(folder, "node.log.1"), { recursive: true });
  rmSync(join(folder, "node.log.2"), { recursive: true });
  vi.advanceTimersByTime(10_000);
  file.write("dddddddd\n");
  expect(complaints[1]).toBe(`the log file ${path} is written again`);
  expect(contents()).toEqual({ "node.log": "dddddddd\n", "node.log.1": "aaaaaaaa\n" });
});

test.runIf(process.platform === "linux")("a full disk ends no process, and the complaint is a line of the log", () => {
  const { values } = configure({
    flags: new Map([["--log-file", "/dev/full"]]),
    environment: { LOG_FORMAT: "logfmt" },
  });
  const tail: string[] = [];
  const loggerFor = loggingOf(values, { add: (line: string) => tail.push(line) } as never);
  loggerFor("node").info("hello");
  expect(tail.map((line) => JSON.parse(line).msg)).toEqual([
    "hello",
    "the log file /dev/full cannot be written (ENOSPC): lines are missing in it until it can",
  ]);
});
