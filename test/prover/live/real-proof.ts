/**
 * Proves PARITY_BASE, and PARITY_ROOT over it, with the network's proof program and the published circuits, as an agent
 * with real proofs does. The reference string is one of our own (known-reference-string.ts) because that of the
 * ceremony is in no package; hence the keys are computed anew, in a tree of keys of their own, and the copy of bb that
 * proves has another point of the second group. The program as it was published then verifies the proofs as well, given
 * that point. Takes four minutes and 4 GB on two cores.
 *
 *   node test/prover/live/real-proof.ts CIRCUITS [BB [ROOT]]
 *
 * CIRCUITS: the folder `artifacts` of the circuits' package. BB: the program, by default the installed package's. ROOT:
 * a Debian 13 (scripts/debian-root.sh), whose libraries run bb where those of this machine are too old.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { loadCore } from "../../../src/core/load-core.ts";
import { encodeCommand } from "../../../src/mempool/proofs/bb-api.ts";
import { BbProcess } from "../../../src/mempool/proofs/bb-process.ts";
import { findBbProgram } from "../../../src/mempool/proofs/bb-program.ts";
import { BN254_GENERATOR } from "../../../src/mempool/proofs/reference-strings.ts";
import { concat, equal } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { items } from "../../../src/protocol/tx-effect.ts";
import type { VerificationKey } from "../../../src/prover/circuits/layouts/proof-data.ts";
import { encode } from "../../../src/prover/codec/codec.ts";
import { type BinaryJobType, inputForm } from "../../../src/prover/jobs/job-input.ts";
import { decodeOutput, type OutputBytes } from "../../../src/prover/jobs/job-output.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { AcvmModule, packagedAcvm } from "../../../src/prover/real/acvm-module.ts";
import { BbCommands } from "../../../src/prover/real/bb-commands.ts";
import { JobFolders } from "../../../src/prover/real/job-folders.ts";
import { circuitFile } from "../../../src/prover/real/published-circuit.ts";
import { RealProver } from "../../../src/prover/real/real-prover.ts";
import { runProgram } from "../../../src/prover/real/run-program.ts";
import { copyWithKnownG2, knownG2, writeKnownString } from "./known-reference-string.ts";
import { runnableProgram } from "./runnable-program.ts";

const POINTS = 2 ** 22 + 1;
const LIMIT_MS = 1_800_000;
const TYPES = ["PARITY_BASE", "PARITY_ROOT"] as const;
type ParityType = (typeof TYPES)[number];
/** Places in the tree of keys. */
const LEAF: Readonly<Record<ParityType, number>> = { PARITY_BASE: 21, PARITY_ROOT: 22 };
const TREE_HEIGHT = 7;

const [published, given, root] = process.argv.slice(2);
if (published === undefined) throw new Error("usage: node test/prover/live/real-proof.ts CIRCUITS [BB [ROOT]]");
const folder = mkdtempSync(join(tmpdir(), "real-proof-"));
const crs = join(folder, "crs");
const circuits = join(folder, "circuits");
const work = join(folder, "work");
const threads = availableParallelism();
const signal = new AbortController().signal;
const core = loadCore();

async function timed<T>(what: string, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const result = await run();
  console.log(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}

/** The key of a circuit for our reference string; the circuit is copied with it. */
async function ownKey(program: string, type: ParityType): Promise<VerificationKey> {
  const artifact = JSON.parse(readFileSync(circuitFile(published, type), "utf8"));
  const own = join(folder, type);
  mkdirSync(own);
  writeFileSync(join(own, "bytecode"), Buffer.from(artifact.bytecode, "base64"));
  const flags = ["--scheme", "ultra_honk", "--oracle_hash", "poseidon2", "--disable_zk", "--crs_path", crs];
  const args = ["write_vk", ...flags, "-b", "bytecode", "-o", own];
  await runProgram({ program, args, folder: own, threads, limitMs: LIMIT_MS, signal });
  const bytes = readFileSync(join(own, "vk"));
  const hash = readFileSync(join(own, "vk_hash"));
  artifact.verificationKey = { hash: hash.toString("hex") };
  writeFileSync(circuitFile(circuits, type), JSON.stringify(artifact));
  return { fields: bytes, hash, bytes };
}

/** Levels of the tree of keys, leaves first; all leaves but ours are zero. */
function treeOf(keys: Readonly<Record<ParityType, VerificationKey>>): Uint8Array[][] {
  const leaves = Array.from<unknown, Uint8Array>({ length: 2 ** TREE_HEIGHT }, () => new Uint8Array(32));
  for (const type of TYPES) leaves[LEAF[type]] = keys[type].hash;
  const levels = [leaves];
  for (let level: Uint8Array[] = leaves; level.length > 1; ) {
    const below = level;
    level = Array.from({ length: below.length / 2 }, (_, i) => core.hash(concat(below[2 * i], below[2 * i + 1])));
    levels.push(level);
  }
  return levels;
}

/** Whether the program as it was published, given our point of the second group, accepts a proof. */
async function verifiedBy(
  program: string,
  key: VerificationKey,
  inputs: Uint8Array,
  proof: Uint8Array,
): Promise<boolean> {
  const bb = new BbProcess({ program, threads });
  try {
    const points = { points_buf: Buffer.from(BN254_GENERATOR), num_points: 1, g2_point: knownG2() };
    await bb.call(encodeCommand("SrsInitSrs", points));
    const answer = await bb.call(
      encodeCommand("CircuitVerify", {
        verification_key: key.bytes,
        public_inputs: items(inputs),
        proof: items(proof),
        settings: {
          ipa_accumulation: false,
          oracle_hash_type: "poseidon2",
          disable_zk: true,
          optimized_solidity_verifier: false,
        },
      }),
    );
    return answer.fields.verified === true;
  } finally {
    await bb.close();
  }
}

function require(holds: boolean, what: string): void {
  if (!holds) throw new Error(`failed: ${what}`);
  console.log(`ok: ${what}`);
}

async function main(): Promise<void> {
  const module = packagedAcvm();
  if (module === undefined) throw new Error("the package @aztec/noir-acvm_js is not installed");
  const original = given ?? (await findBbProgram(undefined, V4.transactions.proofProgram)).path;
  copyWithKnownG2(original, join(folder, "bb-copy"));
  const program = runnableProgram(join(folder, "bb-copy"), root, join(folder, "bb-own"));
  const untouched = runnableProgram(original, root, join(folder, "bb-published"));
  mkdirSync(circuits);
  await timed(`${POINTS} points`, () => writeKnownString(crs, POINTS));
  const keys = {
    PARITY_BASE: await timed("key of PARITY_BASE", () => ownKey(program, "PARITY_BASE")),
    PARITY_ROOT: await timed("key of PARITY_ROOT", () => ownKey(program, "PARITY_ROOT")),
  };
  const levels = treeOf(keys);
  const [vkTreeRoot] = levels[TREE_HEIGHT];
  const folders = new JobFolders({ parent: work, solverParent: undefined, keep: false });
  await folders.prepare();
  const solver = new AcvmModule(module, 1);
  const prover = (bb: string) =>
    new RealProver({
      ...{ context: { core, generation: V4 }, circuits, folders, solver },
      bb: new BbCommands({ program: bb, crs, threads, verifyThreads: threads, limitMs: LIMIT_MS }),
      keyOf: (type: BinaryJobType) => keys[type as ParityType],
    });
  const prove = async (type: ParityType, input: Uint8Array) => {
    const job = { type: JOB_TYPES[type], input };
    const bytes = (await timed(`proof of ${type}`, () => prover(program).prove(job, signal))) as OutputBytes;
    const output = decodeOutput(V4, type, bytes);
    const { fields, binary } = output.proof;
    const inputs = binary.bytes.subarray(0, binary.numPublicInputs * 32);
    require(await verifiedBy(untouched, keys[type], inputs, fields), `the published bb accepts the proof of ${type}`);
    const changed = Uint8Array.from(inputs);
    changed[31] ^= 1;
    require(!(await verifiedBy(untouched, keys[type], changed, fields)), "and not for other public inputs");
    return output;
  };
  try {
    const messages = concat(...Array.from({ length: 256 }, (_, i) => core.hash(new Uint8Array(64).fill(i % 32))));
    const base = await prove(
      "PARITY_BASE",
      encode(inputForm(V4, "PARITY_BASE"), { messages, vkTreeRoot, proverId: undefined }),
    );
    const path = Array.from({ length: TREE_HEIGHT }, (_, level) => levels[level][(LEAF.PARITY_BASE >> level) ^ 1]);
    const verificationKey = {
      ...{ key: keys.PARITY_BASE, leafIndex: LEAF.PARITY_BASE, siblingPath: concat(...path) },
    };
    const child = { publicInputs: base.publicInputs, proof: base.proof, verificationKey };
    const children = [child, child, child, child];
    const top = await prove("PARITY_ROOT", encode(inputForm(V4, "PARITY_ROOT"), { children }));
    require(equal(top.publicInputs.vkTreeRoot, vkTreeRoot), "the root of keys passes to the parent");
    require(readdirSync(work).length === 0, "nothing is left in the working folder");
  } finally {
    await solver.close();
  }
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
