import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const PROGRAM = join(import.meta.dirname, "../../scripts/run-parallel.ts");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-run-parallel-"));
  const scripts = {
    "lint:one": "echo one is wrong; exit 3",
    "lint:two": "echo two is fine >&2",
    "lint:three": "exit 1",
    alone: "echo alone",
  };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (...patterns: string[]) =>
  spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", PROGRAM, ...patterns], {
    cwd: folder,
    encoding: "utf8",
  });

test("scripts that a pattern selects all run, and the failed ones are named after their output", () => {
  const { status, stdout, stderr } = run("lint:*");
  expect(status).toBe(1);
  expect(stdout).toContain("lint:one:\none is wrong\n");
  expect(stdout).toContain("lint:two:\ntwo is fine\n");
  expect(stdout).not.toContain("alone");
  expect(stderr.split("failed: ")[1].trim().split(", ").sort()).toEqual(["lint:one", "lint:three"]);
});

test("a script that two patterns select runs once, and success is silent but for its output", () => {
  expect(run("alone", "al*")).toMatchObject({ status: 0, stdout: "alone:\nalone\n", stderr: "" });
});

test("a pattern without a script is an error", () => {
  const { status, stderr } = run("none:*");
  expect(status).toBe(1);
  expect(stderr).toContain("package.json has no script none:*");
});
