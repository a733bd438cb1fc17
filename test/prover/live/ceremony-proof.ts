/**
 * Starts the prover of an agent over points of the network's ceremony, and proves CHECKPOINT_PADDING_ROLLUP under the
 * published key of its circuit. The published program, as it is, makes the proof and verifies it. Takes seconds.
 *
 *   node test/prover/live/ceremony-proof.ts POINTS [BB [ROOT]]
 *
 * POINTS: a file of at least the first 4,097 points of the ceremony, 64 bytes each, as in bn254_g1.dat. BB: the
 * program,
 * by default the installed package's. ROOT: a Debian 13 (scripts/debian-root.sh), whose libraries run bb where those of
 * this machine are too old.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { findBbProgram } from "../../../src/mempool/proofs/bb-program.ts";
import { startRealProver } from "../../../src/node/prover/real-proofs.ts";
import type { NodeLogger } from "../../../src/process/logging/logging.ts";
import { Teardown } from "../../../src/process/teardown.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { encode } from "../../../src/prover/codec/codec.ts";
import { inputForm } from "../../../src/prover/jobs/job-input.ts";
import { decodeOutput, type OutputBytes } from "../../../src/prover/jobs/job-output.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { releasedKeyOf, writeCircuits } from "../../world/prover/recorded-circuits.ts";
import { runnableProgram } from "./runnable-program.ts";

const TYPE = "CHECKPOINT_PADDING_ROLLUP";

const [points, given, root] = process.argv.slice(2);
if (points === undefined) throw new Error("usage: node test/prover/live/ceremony-proof.ts POINTS [BB [ROOT]]");

const folder = mkdtempSync(join(tmpdir(), "ceremony-proof-"));
const print = (facts: unknown, text?: string) => console.log(text ?? "", facts);
const log = { debug() {}, info: print, warn() {}, error: print } as unknown as NodeLogger;
const teardown = new Teardown(log);
try {
  const crs = join(folder, "crs");
  mkdirSync(crs);
  copyFileSync(points, join(crs, "bn254_g1.dat"));
  const program = given ?? (await findBbProgram(undefined, V4.transactions.proofProgram)).path;
  const environment = {
    BB_BINARY_PATH: runnableProgram(program, root, join(folder, "bb")),
    CRS_PATH: crs,
    SVC_PROVER_CIRCUITS_PATH: writeCircuits(join(folder, "circuits")),
  };
  const { values } = configure({ flags: new Map(), environment });
  const { prover } = await startRealProver(partValues(values), [JOB_TYPES[TYPE]], { generation: V4, log, teardown });
  const start = performance.now();
  const job = { type: JOB_TYPES[TYPE], input: encode(inputForm(V4, TYPE), {}) };
  const output = decodeOutput(V4, TYPE, (await prover.prove(job, new AbortController().signal)) as OutputBytes);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const { fields } = output.proof;
  const key = Buffer.from(releasedKeyOf(TYPE).hash).toString("hex");
  console.log(`ok: ${TYPE} proven and verified in ${seconds} s under key ${key}: ${fields.length / 32} fields`);
} finally {
  await teardown.run();
  rmSync(folder, { recursive: true, force: true });
}
