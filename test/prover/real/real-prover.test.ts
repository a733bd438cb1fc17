import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { ProvingError } from "../../../src/prover/agent/prover.ts";
import { ConstraintError } from "../../../src/prover/circuits/layouts/constraint-error.ts";
import { type Codec, fieldsOf } from "../../../src/prover/codec/codec.ts";
import { decodeOutput, type OutputBytes, outputForm } from "../../../src/prover/jobs/job-output.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { AcvmModule, packagedAcvm } from "../../../src/prover/real/acvm-module.ts";
import { AcvmProgram } from "../../../src/prover/real/acvm-program.ts";
import { BbCommands } from "../../../src/prover/real/bb-commands.ts";
import { JobFolders } from "../../../src/prover/real/job-folders.ts";
import { RealProver, type RealProverParts } from "../../../src/prover/real/real-prover.ts";
import { bbProgram } from "../../world/prover/bb-program.ts";
import { jobOf, releasedKeyOf, writeCircuits } from "../../world/prover/recorded-circuits.ts";
import { acvmProgram } from "./acvm-stand-in.ts";

const core = loadCore();
const folder = mkdtempSync(join(tmpdir(), "real-prover-"));
const circuits = writeCircuits(join(folder, "circuits"));
const module = packagedAcvm();
if (module === undefined) throw new Error("the package @aztec/noir-acvm_js is not installed");
const solver = new AcvmModule(module, 1);
afterAll(async () => {
  await solver.close();
  rmSync(folder, { recursive: true, force: true });
});

const work = join(folder, "work");
beforeEach(() => {
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
});

const merge = jobOf("TX_MERGE_ROLLUP");
const root = jobOf("ROOT_ROLLUP");

/** Shell script that writes a proof of `fields` fields and the public inputs of a recorded job. */
function proves(job: typeof merge, fields: number): string {
  const form = outputForm(V4, job.name).publicInputs as Codec<unknown>;
  const values = join(folder, `values-${job.name}`);
  writeFileSync(values, fieldsOf(form, decodeOutput(V4, job.name, job.output).publicInputs));
  return `head -c ${fields * 32} /dev/zero | tr '\\0' '\\1' > proof; cp ${values} public_inputs`;
}

const proven = proves(merge, 519);

interface Changes extends Partial<RealProverParts> {
  limitMs?: number;
  keep?: boolean;
}

function prover(program: string, { limitMs = 60_000, keep = false, ...changes }: Changes = {}): RealProver {
  return new RealProver({
    ...{ context: { core, generation: V4 }, circuits, solver, keyOf: releasedKeyOf },
    bb: new BbCommands({ program, crs: folder, threads: 1, verifyThreads: 1, limitMs }),
    folders: new JobFolders({ parent: work, solverParent: undefined, keep }),
    ...changes,
  });
}

function prove(by: RealProver, { type, input }: { type: number; input: Uint8Array } = merge): Promise<OutputBytes> {
  return by.prove({ type: type as never, input }, new AbortController().signal) as Promise<OutputBytes>;
}

async function failureOf(by: RealProver, job?: { type: number; input: Uint8Array }): Promise<ProvingError> {
  const error = await prove(by, job).then(
    () => undefined,
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(ProvingError);
  expect((error as Error).message).not.toContain("\n");
  return error as ProvingError;
}

const program = (name: string, prove: string, verify?: string) => bbProgram(folder, name, { prove, verify });

describe("a prover of real proofs", () => {
  test("gives the recorded public inputs and key with the proof that the program wrote", async () => {
    const output = decodeOutput(V4, merge.name, await prove(prover(program("good", proven))));
    const recorded = decodeOutput(V4, merge.name, merge.output);
    expect(output.publicInputs).toEqual(recorded.publicInputs);
    expect(output.verificationKey).toEqual(recorded.verificationKey);
    expect(output.proof.fieldsValid).toBe(true);
    expect(Buffer.from(output.proof.fields)).toEqual(Buffer.alloc(519 * 32, 1));
    expect(output.proof.binary.numPublicInputs).toBe(52);
    expect(Buffer.from(output.proof.binary.bytes.subarray(52 * 32))).toEqual(Buffer.alloc(519 * 32, 1));
    expect(readdirSync(work)).toEqual([]);
  });

  test("gives the proof of the root to L1 only", async () => {
    const output = decodeOutput(V4, root.name, await prove(prover(program("root", proves(root, 331))), root));
    expect(output.proof.fieldsValid).toBe(false);
    expect(Buffer.from(output.proof.fields)).toEqual(Buffer.alloc(449 * 32));
    expect(output.proof.binary.numPublicInputs).toBe(119);
    expect(output.proof.binary.bytes.length).toBe((111 + 331) * 32);
  });

  test("tells the program flavor, files and reference string, and gives it no environment but its own", async () => {
    const log = join(folder, "log");
    const note = `echo "$@" >> ${log}; env | cut -d= -f1 | sort | tr '\\n' ' ' >> ${log}; echo >> ${log}`;
    await prove(prover(program("noted", `${note}; ${proven}`, note), { keep: true }));
    const [kept] = readdirSync(work);
    const [proveArgs, variables, verifyArgs] = readFileSync(log, "utf8").split("\n");
    const flags = `--scheme ultra_honk --oracle_hash poseidon2 --ipa_accumulation --disable_zk --crs_path ${folder}`;
    const own = join(work, kept);
    expect(proveArgs).toBe(`prove ${flags} -o ${own} -b bytecode -k vk -w ${join(own, "witness.gz")}`);
    expect(verifyArgs).toBe(`verify ${flags} -p proof -k vk -i public_inputs`);
    const allowed = ["HARDWARE_CONCURRENCY", "HOME", "LD_LIBRARY_PATH", "OLDPWD", "PATH", "PWD", "SHLVL", "_"];
    expect(
      variables
        .trim()
        .split(" ")
        .filter((name) => !allowed.includes(name)),
    ).toEqual([]);
    expect(Buffer.from(readFileSync(join(own, "vk")))).toEqual(Buffer.from(releasedKeyOf(merge.name).bytes));
  });

  test.each([
    [
      "ends with an error",
      "echo one >&2; echo two >&2; exit 3",
      "exit 0",
      /prove ended with exit code 3: one; two$/,
      false,
    ],
    ["is killed", "kill -9 $$", "exit 0", /prove was killed by SIGKILL$/, true],
    ["writes nothing", "exit 0", "exit 0", /the proof program wrote no proof: ENOENT/, true],
    ["writes garbage", `${proven}; echo more >> proof`, "exit 0", /a proof of 16613 bytes instead of 16608$/, true],
    ["proves another statement", `${proven}; echo x >> public_inputs`, "exit 0", /the proof is of other values/, true],
    ["does not accept its proof", proven, "echo no; exit 1", /the proof is not valid: .* exit code 1: no$/, true],
  ])("reports a program that %s", async (name, script, verify, message, retry) => {
    const error = await failureOf(prover(program(name.replaceAll(" ", "-"), script, verify)));
    expect(error.message).toMatch(message);
    expect(error.retry).toBe(retry);
    expect(readdirSync(work)).toEqual([]);
  });

  test("kills a program that hangs, with its child processes", async () => {
    const pids = join(folder, "pids");
    const hanging = program("hanging", `sleep 600 & echo $! > ${pids}; wait`);
    const error = await failureOf(prover(hanging, { limitMs: 1000 }));
    expect(error.message).toBe("hanging prove was killed after 1000 ms");
    expect(error.retry).toBe(true);
    const pid = Number(readFileSync(pids, "utf8"));
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(readdirSync(work)).toEqual([]);
  });

  test("reports a program that is not there", async () => {
    const error = await failureOf(prover(join(folder, "absent")));
    expect(error.message).toMatch(/^absent prove cannot be started: .*ENOENT$/);
    expect(error.retry).toBe(true);
  });

  test("leaves the public VM to others", async () => {
    const error = await failureOf(prover("bb"), { type: JOB_TYPES.PUBLIC_VM, input: Buffer.from("{}") });
    expect(error.message).toBe(
      "PUBLIC_VM cannot be proven here: the published proof program is built without the public VM",
    );
    expect(error.retry).toBe(true);
  });

  test("refuses an input that breaks a constraint of the circuit", async () => {
    const input = Uint8Array.from(merge.input);
    // The hash of the first child's key, behind its public inputs, proof fields, binary proof and key.
    const at = 1114 + 4 + 519 * 32 + 50 + 1 + 4 + 115 * 32;
    input[at + 31] ^= 1;
    await expect(prove(prover(program("unused", proven)), { type: merge.type, input })).rejects.toThrow(
      ConstraintError,
    );
    expect(readdirSync(work)).toEqual([]);
  });

  test("reports a circuit of another release, and one that is missing", async () => {
    const other = prover("bb", { keyOf: () => releasedKeyOf("PARITY_BASE") });
    expect((await failureOf(other)).message).toMatch(/rollup_tx_merge.json: it is of another release/);
    const missing = prover("bb", { circuits: join(folder, "nowhere") });
    expect((await failureOf(missing)).message).toMatch(/the circuit cannot be read from .*nowhere.*ENOENT/);
  });

  test("ends at once when the job is dropped", async () => {
    const began = join(folder, "began");
    const dropped = new AbortController();
    const proving = prover(program("dropped", `touch ${began}; sleep 600`)).prove(merge, dropped.signal);
    await expect.poll(() => readdirSync(folder).includes("began"), { timeout: 30_000 }).toBe(true);
    dropped.abort();
    await expect(proving).rejects.toThrow("dropped prove was killed by SIGKILL");
    expect(readdirSync(work)).toEqual([]);
  });

  test("solves witnesses with a native acvm", async () => {
    const acvm = new AcvmProgram({ program: acvmProgram(folder, module), threads: 1, limitMs: 60_000 });
    const output = await prove(
      prover(program("native", `test -s output-witness.gz || exit 1; ${proven}`), { solver: acvm }),
    );
    expect(decodeOutput(V4, merge.name, output).proof.binary.numPublicInputs).toBe(52);
    expect(readdirSync(work)).toEqual([]);
  });
});

describe("working folders", () => {
  test("of processes that have ended are removed at the start, unless folders are kept", async () => {
    const names = [`svc-job-${process.pid}-mine`, "svc-job-999999999-gone", `svc-job-${process.ppid}-other`, "else"];
    for (const name of names) mkdirSync(join(work, name));
    await new JobFolders({ parent: work, solverParent: undefined, keep: true }).prepare();
    expect(readdirSync(work)).toHaveLength(4);
    await new JobFolders({ parent: work, solverParent: undefined, keep: false }).prepare();
    expect(readdirSync(work).sort()).toEqual(["else", `svc-job-${process.ppid}-other`]);
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
