import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { LogFile } from "../../../src/process/logging/log-file.ts";
import { requireLogFile } from "../../../src/process/logging/open-log-file.ts";
import { loggingOf } from "../../../src/process/logging/process-logging.ts";

/** The file that cannot be renamed, as one that is mounted or in another user's folder. */
const fixed = vi.hoisted(() => ({ path: "" }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const rename: typeof fs.renameSync = (from, to) => {
    if (from === fixed.path) throw Object.assign(new Error("busy"), { code: "EBUSY" });
    fs.renameSync(from, to);
  };
  return { ...fs, renameSync: rename };
});

let folder: string;
let path: string;
const complaints: string[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  folder = mkdtempSync(join(tmpdir(), "svc-log-file-"));
  path = join(folder, "node.log");
  complaints.length = 0;
  fixed.path = "";
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
  rmSync(folder, { recursive: true });
  vi.advanceTimersByTime(1000);
  file.write("bbbbbbbb\n");
  file.write("cccccccc\n");
  expect(complaints).toEqual([`the log file ${path} cannot be written (ENOENT): lines are missing in it until it can`]);
  mkdirSync(folder);
  // The clock of the machine may be set back.
  vi.setSystemTime(0);
  vi.advanceTimersByTime(10_000);
  file.write("dddddddd\n");
  expect(complaints.slice(1)).toEqual([`the log file ${path} is written again`]);
  expect(contents()).toEqual({ "node.log": "dddddddd\n" });
});

test("a file that cannot be rotated grows on and costs no earlier file, and is rotated when that is possible", () => {
  writeFileSync(`${path}.1`, "1\n");
  writeFileSync(`${path}.2`, "2\n");
  const file = new LogFile({ path, ...limits });
  const lines = ["aaaaaaaa\n", "bbbbbbbb\n", "cccccccc\n", "dddddddd\n"];
  fixed.path = path;
  for (const line of lines) {
    file.write(line);
    vi.advanceTimersByTime(HOUR);
  }
  expect(complaints).toEqual([`the log file ${path} cannot be rotated (EBUSY): it grows until it can`]);
  expect(Object.values(contents())).toEqual([lines.join(""), "1\n", "2\n"]);
  fixed.path = "";
  file.write("eeeeeeee\n");
  expect(complaints.slice(1)).toEqual([`the log file ${path} is rotated again`]);
  expect(contents()).toEqual({ "node.log": "eeeeeeee\n", "node.log.1": lines.join(""), "node.log.2": "1\n" });
});

test("a rotation that failed is tried again after a tenth of the age", () => {
  const file = new LogFile({ path, ...limits });
  file.write("aaaaaaaa\n");
  fixed.path = path;
  file.write("bbbbbbbb\n");
  fixed.path = "";
  vi.advanceTimersByTime(HOUR / 10 - 1);
  file.write("c\n");
  expect(readdirSync(folder)).toEqual(["node.log"]);
  vi.advanceTimersByTime(1);
  file.write("d\n");
  expect(contents()).toEqual({ "node.log": "d\n", "node.log.1": "aaaaaaaa\nbbbbbbbb\nc\n" });
});

test("a rotation removes the files beyond those that are kept, and no file of another program", () => {
  for (const end of ["1", "2", "3", "7", "20261128", "gz", "2.gz"]) writeFileSync(`${path}.${end}`, `${end}\n`);
  const file = new LogFile({ path, ...limits });
  file.write("aaaaaaaa\n");
  file.write("bbbbbbbb\n");
  expect(contents()).toEqual({
    ...{ "node.log": "bbbbbbbb\n", "node.log.1": "aaaaaaaa\n", "node.log.2": "1\n" },
    ...{ "node.log.20261128": "20261128\n", "node.log.gz": "gz\n", "node.log.2.gz": "2.gz\n" },
  });
});

test("lines follow the path within a second when another program moves or removes the file", () => {
  const file = new LogFile({ path, ...limits });
  file.write("a\n");
  renameSync(path, join(folder, "moved"));
  writeFileSync(path, "");
  vi.advanceTimersByTime(1000);
  file.write("b\n");
  expect(contents()).toEqual({ moved: "a\n", "node.log": "b\n" });
  rmSync(path);
  vi.advanceTimersByTime(1000);
  file.write("c\n");
  expect(contents()).toEqual({ moved: "a\n", "node.log": "c\n" });
  expect(complaints).toEqual([]);
});

test("a file that another program has emptied counts as new and empty", () => {
  const file = new LogFile({ path, ...limits });
  file.write("aaaaaaaa\n");
  truncateSync(path);
  vi.advanceTimersByTime(HOUR - 1);
  file.write("bbbb\n");
  file.write("ccc\n");
  expect(contents()).toEqual({ "node.log": "bbbb\nccc\n" });
});

test("a file that another process has just rotated is not rotated again", () => {
  const [one, other] = [new LogFile({ path, ...limits }), new LogFile({ path, ...limits })];
  one.write("aaa\n");
  other.write("bbbb\n");
  vi.advanceTimersByTime(1000);
  one.write("c\n");
  other.write("ddd\n");
  other.write("e\n");
  expect(contents()).toEqual({ "node.log": "c\nddd\ne\n", "node.log.1": "aaa\nbbbb\n" });
  vi.advanceTimersByTime(1000);
  one.write("ff\n");
  expect(contents()).toEqual({
    ...{ "node.log": "ff\n", "node.log.1": "c\nddd\ne\n", "node.log.2": "aaa\nbbbb\n" },
  });
});

test.runIf(process.platform !== "win32")("a pipe is refused at the start, and later costs lines, not the node", () => {
  const refused = `--log-file ${path} must be a file that this user can write, in a folder that exists (a pipe)`;
  const file = new LogFile({ path, ...limits });
  rmSync(path);
  execFileSync("mkfifo", [path]);
  expect(() => new LogFile({ path, ...limits })).toThrow(refused);
  expect(() => requireLogFile(path)).toThrow(refused);
  vi.advanceTimersByTime(1000);
  file.write("a\n");
  expect(complaints).toEqual([`the log file ${path} cannot be written (a pipe): lines are missing in it until it can`]);
});

test("a look at the log file before a start creates nothing", () => {
  requireLogFile(path);
  requireLogFile("/dev/null");
  expect(readdirSync(folder)).toEqual([]);
  writeFileSync(path, "");
  requireLogFile(path);
  expect(() => requireLogFile(folder)).toThrow("(EISDIR)");
  expect(() => requireLogFile(join(path, "x"))).toThrow("(ENOTDIR)");
  expect(() => requireLogFile(join(folder, "none", "x"))).toThrow("(ENOENT)");
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
