import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NodeLog } from "../../src/devnet/combined-log.ts";

let folder: string;
let file: string;
let said: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-devnet-log-"));
  file = join(folder, "node.log");
  said = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("lines are put together from parts of each output, with characters that were split, and the last without its end", () => {
  const log = new NodeLog(file, (line) => said.push(line));
  const [out, err] = [log.output(), log.output()];
  const text = Buffer.from("fee: 3 €\nlast");
  out.write(text.subarray(0, 8));
  err.write(Buffer.from("error\n"));
  out.write(text.subarray(8));
  expect(said).toEqual(["error", "fee: 3 €"]);
  out.end();
  err.end();
  expect(said).toEqual(["error", "fee: 3 €", "last"]);
  expect(readFileSync(file, "utf8")).toContain("last");
});

test("a full log is continued in a new file, and the network goes on where that cannot be made", () => {
  const log = new NodeLog(file, (line) => said.push(line), 3);
  const { write } = log.output();
  write(Buffer.from("first\n"));
  write(Buffer.from("second\n"));
  expect([`${file}.1`, file].map((path) => readFileSync(path, "utf8"))).toEqual(["first\n", "second\n"]);
  rmSync(`${file}.1`);
  mkdirSync(`${file}.1`);
  write(Buffer.from("third\n"));
  expect(said).toEqual(["first", "second", "third"]);
});
