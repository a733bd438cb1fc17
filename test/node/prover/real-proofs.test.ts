import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { ConfigurationError } from "../../../src/config/errors.ts";
import { type PartValues, partValues } from "../../../src/config/part-values.ts";
import { startRealProver } from "../../../src/node/prover/real-proofs.ts";
import type { NodeLogger } from "../../../src/process/logging/logging.ts";
import { Teardown } from "../../../src/process/teardown.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { JOB_TYPES, type JobTypeName, nameOfJobType } from "../../../src/prover/jobs/job-type.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { bbProgram } from "../../world/prover/bb-program.ts";
import { jobOf, writeCircuits } from "../../world/prover/recorded-circuits.ts";

let folder: string;
/** Changed values of agents and of the proof program. */
type Changes = Partial<PartValues["agents"] & PartValues["proofs"]>;
const changed = (values: PartValues, changes: Changes): PartValues => ({
  ...values,
  agents: { ...values.agents, ...changes },
  proofs: { ...values.proofs, ...changes },
});
let settings: PartValues;
const POINT_BYTES = 64;

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), "real-proofs-"));
  const circuits = writeCircuits(join(folder, "circuits"));
  // The circuit of PARITY_BASE is only looked for here.
  writeFileSync(join(circuits, "parity_base.json"), "{}");
  const crs = join(folder, "crs");
  mkdirSync(crs);
  writeFileSync(join(crs, "bn254_g1.dat"), "");
  const environment = {
    BB_BINARY_PATH: bbProgram(folder, "bb", { prove: "exit 1" }),
    BB_WORKING_DIRECTORY: join(folder, "work"),
    CRS_PATH: crs,
    HARDWARE_CONCURRENCY: "1",
    SVC_PROVER_AGENT_MEMORY_MB: "100000",
    SVC_PROVER_BROKER_JOB_LIMIT_MS: "60000",
    SVC_PROVER_CIRCUITS_PATH: circuits,
  };
  settings = partValues(configure({ flags: new Map(), environment }).values);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A reference string of this many points; the file has holes and takes no space. */
function crsOf(points: number): string {
  const crs = join(folder, `crs-${points}`);
  mkdirSync(crs, { recursive: true });
  const file = join(crs, "bn254_g1.dat");
  writeFileSync(file, "");
  truncateSync(file, points * POINT_BYTES);
  return crs;
}

/** Takes the size for the number of points: files with holes have none. */
const pointsIn = async (crs: string): Promise<number> => statSync(join(crs, "bn254_g1.dat")).size / POINT_BYTES;

async function started(changes: Changes, wanted: readonly JobTypeName[] = [], { checkString = false } = {}) {
  const lines: Record<string, unknown>[] = [];
  const write = (facts: Record<string, unknown>): unknown => lines.push(facts);
  const log = { debug() {}, info: write, warn: write, error: write } as unknown as NodeLogger;
  const teardown = new Teardown(log);
  try {
    const types = wanted.map((name) => JOB_TYPES[name]);
    const { types: taken } = await startRealProver(changed(settings, changes), types, {
      ...{ generation: V4, log, teardown },
      ...(checkString ? {} : { pointsIn }),
    });
    return { taken: taken.map(nameOfJobType), lines };
  } finally {
    await teardown.run();
  }
}

const refused = async (...given: Parameters<typeof started>): Promise<string> => {
  const error = await started(...given).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(ConfigurationError);
  return (error as Error).message;
};

/** Does a job whose program notes its folder and fails. Returns what was noted. */
async function failingJob(changes: Changes): Promise<string> {
  const log = silentLogger as NodeLogger;
  const teardown = new Teardown(log);
  const noted = join(folder, "noted");
  const prove = `pwd -P > ${noted}; exit 1`;
  const given = changed(settings, {
    crsPath: crsOf(2 ** 24),
    bbBinaryPath: bbProgram(folder, "noting", { prove }),
  });
  const { type, input } = jobOf("TX_MERGE_ROLLUP");
  try {
    const { prover } = await startRealProver(changed(given, changes), [type], {
      generation: V4,
      log,
      teardown,
      pointsIn,
    });
    await expect(prover.prove({ type, input }, new AbortController().signal)).rejects.toThrow("exit code 1");
  } finally {
    await teardown.run();
  }
  return readFileSync(noted, "utf8").trim();
}

/** A witness solver that notes its arguments and fails. */
function notingSolver(): string {
  const path = join(folder, "acvm");
  writeFileSync(path, `#!/bin/sh\necho "$@" > ${join(folder, "noted")}; exit 1\n`);
  chmodSync(path, 0o755);
  return path;
}

test("agents with real proofs prove in BB_WORKING_DIRECTORY, and leave the files of a job there with BB_SKIP_CLEANUP", async () => {
  const bb = join(folder, "bb-work");
  expect(await failingJob({ bbWorkingDirectory: bb })).toContain(`${bb}/svc-job-${process.pid}-`);
  expect(readdirSync(bb)).toEqual([]);
  await failingJob({ bbWorkingDirectory: bb, bbSkipCleanup: true });
  const [kept] = readdirSync(bb);
  expect(readdirSync(join(bb, kept)).sort()).toEqual(expect.arrayContaining(["bytecode", "vk"]));
  // Also the next start leaves them.
  await failingJob({ bbWorkingDirectory: bb, bbSkipCleanup: true });
  expect(readdirSync(bb)).toHaveLength(2);
});

test("agents with real proofs solve witnesses in ACVM_WORKING_DIRECTORY, or in that of bb", async () => {
  const [bbWorkingDirectory, acvmWorkingDirectory] = [join(folder, "bb-work"), join(folder, "acvm-work")];
  const acvmBinaryPath = notingSolver();
  const own = await failingJob({ acvmBinaryPath, bbWorkingDirectory, acvmWorkingDirectory, bbSkipCleanup: true });
  expect(own).toContain(`--working-directory ${acvmWorkingDirectory}/svc-job-`);
  expect([bbWorkingDirectory, acvmWorkingDirectory].map((path) => readdirSync(path).length)).toEqual([1, 1]);
  const shared = await failingJob({ acvmBinaryPath, bbWorkingDirectory });
  expect(shared).toContain(`--working-directory ${bbWorkingDirectory}/svc-job-`);
});

test("agents with real proofs take the types that fit into their memory and reference string", async () => {
  const { taken } = await started({ crsPath: crsOf(2 ** 22 + 1) });
  expect(taken).toContain("PARITY_BASE");
  expect(taken).toContain("BLOCK_ROOT_FIRST_ROLLUP");
  expect(taken).not.toContain("PUBLIC_VM");
  expect(taken).not.toContain("ROOT_ROLLUP");
  expect((await started({ crsPath: crsOf(2 ** 24 + 1) })).taken).toContain("ROOT_ROLLUP");
  const small = await started({ crsPath: crsOf(2 ** 25), memoryMb: 3000 });
  expect(small.taken).toContain("BLOCK_MERGE_ROLLUP");
  expect(small.taken).not.toContain("PARITY_BASE");
  const shared = await started({ crsPath: crsOf(2 ** 26), memoryMb: 3000, count: 2 });
  expect(shared.taken).not.toContain("BLOCK_MERGE_ROLLUP");
  expect(shared.taken).toContain("CHECKPOINT_PADDING_ROLLUP");
});

test("agents with real proofs say at their start which types they leave to others, and why", async () => {
  const { lines } = await started({ crsPath: crsOf(2 ** 23 + 1), memoryMb: 4000 });
  const left = lines.map(({ left }) => left).find(Array.isArray) as string[];
  expect(left).toContain("PUBLIC_VM: the published proof program is built without the public VM");
  expect(left).toContain("PARITY_BASE: it takes 4512 MiB, there are 4000");
  expect(left).toContain("ROOT_ROLLUP: it takes 16777217 points of the reference string, there are 8388609");
  expect(left).toContain("PRIVATE_TX_BASE_ROLLUP: its circuit is missing");
});

test("agents with real proofs refuse to start with one line about what is missing", async () => {
  expect(await refused({ circuitsPath: undefined })).toMatch(
    /^real proofs need the published circuits: SVC_PROVER_CIRCUITS_PATH is not set/,
  );
  expect(await refused({ circuitsPath: join(folder, "none") })).toMatch(/none, which is not there/);
  expect(await refused({ bbBinaryPath: join(folder, "none") })).toMatch(
    /^real proofs need the proof program \(BB_BINARY_PATH\): .*none is not there$/,
  );
  expect(await refused({ crsPath: join(folder, "none") }, [], { checkString: true })).toMatch(
    /^real proofs need the reference string \(CRS_PATH\): .*none\/bn254_g1.dat cannot be read: ENOENT/,
  );
  // A file of the right size, without points of the ceremony.
  expect(await refused({ crsPath: crsOf(2 ** 24 + 1) }, [], { checkString: true })).toMatch(
    /^real proofs need the reference string \(CRS_PATH\): .*bn254_g1.dat must begin with the generator of BN254$/,
  );
  expect(await refused({ crsPath: crsOf(2 ** 20), acvmBinaryPath: join(folder, "none") })).toMatch(
    /^ACVM_BINARY_PATH names .*none, which is not there$/,
  );
});

test("agents with real proofs refuse to start when they can prove nothing", async () => {
  expect(await refused({}, ["PARITY_BASE", "PUBLIC_VM"])).toBe(
    "no job type can be proven here: " +
      "PARITY_BASE: it takes 4194305 points of the reference string, there are 0; " +
      "PUBLIC_VM: the published proof program is built without the public VM",
  );
});
