import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { rootOf, squareRootCommand, verifyCommand } from "../../../src/mempool/proofs/bb-api.ts";
import type { BbBackend } from "../../../src/mempool/proofs/bb-backend.ts";
import { BbProcesses, type BbProcessesOptions } from "../../../src/mempool/proofs/bb-processes.ts";
import { BbProgramError, findBbProgram, packagedModule } from "../../../src/mempool/proofs/bb-program.ts";
import { BbThreads } from "../../../src/mempool/proofs/bb-threads.ts";
import { BbInstance, compileBb } from "../../../src/mempool/proofs/bb-wasm.ts";
import { grumpkinPoints } from "../../../src/mempool/proofs/reference-strings.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";
import { bbStandIn } from "./bb-stand-in.ts";

const [{ tx }] = recordedTxs();
const command = verifyCommand(tx);
/** Proofs that are none: random points, and the zeros that clients of a network without proofs send. */
const fakes = [command, verifyCommand({ ...tx, chonkProof: new Uint8Array(tx.chonkProof.length) })];
const points = new Uint8Array(64);

let folder: string;
const open: BbBackend[] = [];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-bb-"));
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((backend) => backend.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function processes(verdict: string, options: Partial<BbProcessesOptions> = {}): BbProcesses {
  const program = bbStandIn(folder, `bb-${open.length}-${Math.random()}.mjs`, verdict);
  const backend = new BbProcesses({ program, threads: 1, limitMs: 30_000, grumpkin: points, ...options });
  open.push(backend);
  return backend;
}

describe("processes", () => {
  test("one process gives verdict after verdict", async () => {
    const backend = processes('["ChonkVerifyResponse", { valid: count === 2 }]');
    expect([await backend.verify(command), await backend.verify(command), await backend.verify(command)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("an error in the answer means that the bytes are no proof", async () => {
    expect(await processes('["ErrorResponse", { message: "not on the curve" }]').verify(command)).toBe(false);
  });

  test("an answer of another kind is no verdict", async () => {
    await expect(processes('["CircuitProveResponse", {}]').verify(command)).rejects.toThrow(
      "ChonkVerify: cannot be answered by CircuitProveResponse",
    );
  });

  test("a process that ends without a verdict is replaced", async () => {
    const backend = processes('count === 2 ? process.exit(3) : ["ChonkVerifyResponse", { valid: true }]');
    expect(await backend.verify(command)).toBe(true);
    await expect(backend.verify(command)).rejects.toThrow(/ended by exit code 3/);
    expect(await backend.verify(command)).toBe(true);
  });

  test("a process that takes too long is killed", async () => {
    const backend = processes("undefined", { limitMs: 50 });
    await expect(backend.verify(command)).rejects.toThrow("gave no verdict within 50 ms");
  });

  test("a program that does not speak the protocol gives no verdict", async () => {
    const backend = processes('(process.stdout.write("not a length"), undefined)');
    await expect(backend.verify(command)).rejects.toThrow(BbProgramError);
  });

  test("a program that is gone fails every verification", async () => {
    const backend = new BbProcesses({ program: join(folder, "absent"), threads: 1, limitMs: 1000, grumpkin: points });
    for (let i = 0; i < 2; i++) await expect(backend.verify(command)).rejects.toThrow(/cannot be started/);
  });
});

describe("the network's bb", async () => {
  const module = await packagedModule();
  if (module === undefined) throw new Error("the package @aztec/bb.js is not installed");
  const program = await findBbProgram(undefined).catch(() => undefined);

  let derived: Uint8Array;
  beforeAll(async () => {
    const bb = new BbInstance(compileBb(module.path));
    derived = await grumpkinPoints(
      async (values) => values.map((value) => rootOf(bb.call(squareRootCommand(value)))),
      512,
    );
  });

  test("derives the points of Grumpkin that its own keys rest on", () => {
    // The commitments to the first two Lagrange polynomials in bb's fixed key of the ECCVM.
    expect(Buffer.from(derived.subarray(0, 128)).toString("hex")).toBe(
      "1b38d3ca76ed177424415672027d98459a875ed1aa43bb969ecffd9e4428c0d1" +
        "1ee6866622f6e654361830d9f545e0943d26876e03aafa0c4cc6772d1c277d46" +
        "28cc5109376bdec7cdea99ea99cd0b14151f735ed8cd1687f5154cafc5718900" +
        "13df90d6be58ebcfb1b767db72f4c3fe3b98afd7a0094d69cdea854128819bc9",
    );
    expect(createHash("sha256").update(derived).digest("hex")).toBe(
      "7d8d2e7518a50095952fede7956627736a24d43eb6b7e94c4994899549735a9e",
    );
  });

  test("refuses proofs that are none in WebAssembly, one after the other", async () => {
    const backend = new BbThreads({ module: module.path, threads: 1, limitMs: 60_000, grumpkin: derived });
    open.push(backend);
    for (const fake of [...fakes, ...fakes]) expect(await backend.verify(fake)).toBe(false);
  });

  // The published program needs glibc 2.39.
  test.skipIf(program === undefined)("refuses proofs that are none in a process", async () => {
    const backend = new BbProcesses({ program: program?.path ?? "", threads: 1, limitMs: 60_000, grumpkin: derived });
    open.push(backend);
    for (const fake of [...fakes, ...fakes]) expect(await backend.verify(fake)).toBe(false);
  });
});
