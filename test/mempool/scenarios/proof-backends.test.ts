import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { rootOf, squareRootCommand, verdictOf, verifyCommand } from "../../../src/mempool/proofs/bb-api.ts";
import type { BbBackend } from "../../../src/mempool/proofs/bb-backend.ts";
import { BbProcesses, type BbProcessesOptions } from "../../../src/mempool/proofs/bb-processes.ts";
import { BbProgramError, findBbProgram, packagedModule } from "../../../src/mempool/proofs/bb-program.ts";
import { BbThreads } from "../../../src/mempool/proofs/bb-threads.ts";
import { BbInstance, compileBb } from "../../../src/mempool/proofs/bb-wasm.ts";
import { grumpkinPoints } from "../../../src/mempool/proofs/reference-strings.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";
import { bbStandIn } from "./bb-stand-in.ts";

const [{ tx }] = recordedTxs();
const command = verifyCommand(V4, tx);
const points = new Uint8Array(64);

/** What bb 4.1.2 and 5.0.0 answer for altered proofs. */
const NO_PROOFS = [
  "Deserialized point is not on the curve",
  "Assertion failed: (val.on_curve())",
  "Assertion failed: (uint256_t(fr_vec[0]) < (uint256_t(1) << (NUM_LIMB_BITS * 2)))\n  Left   : 0x01\n  Right  : 0x01",
  "Cannot aggregate: incoming pairing points are at infinity (probably uninitialized).",
  "proof has wrong size: expected 3216, got 3215",
  "ChonkVerify: proof has wrong size: expected 2551, got 2550",
  "msgpack field deserialization: non-canonical encoding (value >= modulus)",
];
/** What they say of their surroundings. */
const NO_VERDICTS = [
  "HTTP request failed for http://crs.example/g1.dat",
  "filesystem error: in create_directories: No space left on device",
  "Unable to open file: /tmp/crs/bn254_g1.dat",
  "Downloaded g1 data is too small",
  "Downloaded BN254 G1 CRS first element does not match expected point.",
  "std::bad_alloc",
  "Assertion failed: asked for 2 points with an SRS of size 1",
];

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

  test("an error about the bytes means that they are no proof, and one about bb's surroundings is no verdict", () => {
    const verdict = (message: string) => verdictOf({ name: "ErrorResponse", fields: { message } });
    for (const message of NO_PROOFS) expect([message, verdict(message)]).toEqual([message, false]);
    for (const message of NO_VERDICTS) expect(() => verdict(message)).toThrow(`ChonkVerify: ${message}`);
  });

  test("a process that answers with another error is replaced", async () => {
    const noted = join(folder, "noted");
    const first = `!fs.existsSync(${JSON.stringify(noted)}) && (fs.writeFileSync(${JSON.stringify(noted)}, ""), true)`;
    const error = '["ErrorResponse", { message: "HTTP request failed for http://crs.example/g1.dat" }]';
    const backend = processes(`${first} ? ${error} : ["ChonkVerifyResponse", { valid: count === 1 }]`);
    const failed = backend.verify(command);
    await expect(failed).rejects.toThrow("gave no verdict: ChonkVerify: HTTP request failed for http://crs.example");
    await expect(failed).rejects.toThrow(BbProgramError);
    expect(await backend.verify(command)).toBe(true);
  });

  /** A verification by a program that reads the point with each proof. */
  const readsPoint =
    '["ChonkVerifyResponse", { valid: fs.readFileSync(process.env.CRS_PATH + "/bn254_g1.dat")[31] === 1 }]';

  test("a warm process finds the first point of the reference string, also after its folder was cleaned", async () => {
    const crs = join(folder, "crs");
    const backend = processes(readsPoint, { points: crs });
    await backend.ready;
    rmSync(crs, { recursive: true });
    expect(await backend.verify(command)).toBe(true);
    const file = join(crs, "bn254_g1.dat");
    expect(readFileSync(file).toString("hex")).toBe(`${"0".repeat(63)}1${"0".repeat(63)}2`);
    const { ino } = statSync(file);
    expect(await backend.verify(command)).toBe(true);
    expect(statSync(file).ino).toBe(ino);
    writeFileSync(file, "");
    expect(await backend.verify(command)).toBe(true);
    await backend.close();
    expect(existsSync(crs)).toBe(false);
  });

  test("a program that reads no point has no folder", async () => {
    const backend = processes('["ChonkVerifyResponse", { valid: process.env.CRS_PATH === undefined }]');
    expect(await backend.verify(command)).toBe(true);
  });

  test("a folder that cannot be made fails every verification until it can, and is told meanwhile", async () => {
    const parent = join(folder, "parent");
    writeFileSync(parent, "");
    const backend = processes(readsPoint, { points: join(parent, "crs") });
    const reason = `the file ${join(parent, "crs", "bn254_g1.dat")}, which bb reads, cannot be written (ENOTDIR)`;
    await expect(backend.ready).rejects.toThrow(BbProgramError);
    for (let i = 0; i < 2; i++) {
      await expect(backend.verify(command)).rejects.toThrow(reason);
      expect(backend.fault?.message).toBe(reason);
    }
    rmSync(parent);
    expect(await backend.verify(command)).toBe(true);
    expect(backend.fault).toBeUndefined();
  });

  test("a process that refuses its reference strings is killed", async () => {
    const started = join(folder, "started");
    const note = `fs.appendFileSync(${JSON.stringify(started)}, process.pid + " ")`;
    const program = bbStandIn(
      folder,
      "bb-refuses.mjs",
      "undefined",
      `(${note}, ["ErrorResponse", { message: "no room" }])`,
    );
    const backend = new BbProcesses({ program, threads: 1, limitMs: 30_000, grumpkin: points });
    open.push(backend);
    await expect(backend.verify(command)).rejects.toThrow("gave no verdict: reference strings: no room");
    for (const pid of readFileSync(started, "utf8").trim().split(" ")) {
      await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    }
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

/** Points that are constants of a bb, by their number: of its fixed key of the ECCVM. x and y. */
const OWN_POINTS = [
  {
    generation: V4,
    points: {
      0: [
        "1b38d3ca76ed177424415672027d98459a875ed1aa43bb969ecffd9e4428c0d1",
        "1ee6866622f6e654361830d9f545e0943d26876e03aafa0c4cc6772d1c277d46",
      ],
      1: [
        "28cc5109376bdec7cdea99ea99cd0b14151f735ed8cd1687f5154cafc5718900",
        "13df90d6be58ebcfb1b767db72f4c3fe3b98afd7a0094d69cdea854128819bc9",
      ],
    },
    digest: "7d8d2e7518a50095952fede7956627736a24d43eb6b7e94c4994899549735a9e",
  },
  {
    generation: V5,
    points: {
      4: [
        "1227d829cc03e51a2cc68ca0e08381c02b78c484f4092a10584ef78381a31968",
        "10b233eb875fed8834f6235ed737946b68c0c7ed258053cd943dcc69212d90d6",
      ],
      5: [
        "1976c760e4bde34db58394888baeda91f57bcdddf60aec28b721b10aac55f555",
        "26eec8e50bdb2cfc3956e90bd72c9098d4a5de28c1c1c236955d14884a8f498d",
      ],
    },
    digest: "3998623b091ead906e47df3a4405abe21d0ccc6ed26f49a8ab3b2058ddd54375",
  },
];

describe.each(OWN_POINTS)("the network's bb for $generation.name", async ({ generation, points, digest }) => {
  const { proofProgram, proofFields } = generation.transactions;
  const module = await packagedModule(proofProgram);
  if (module === undefined) throw new Error(`the package ${proofProgram.package} is not installed`);
  const program = await findBbProgram(undefined, proofProgram).catch(() => undefined);
  /** Proofs that are none: random points, and the zeros that clients of networks without proofs send. */
  const fakes = [tx.chonkProof.subarray(0, 4 + proofFields * 32), new Uint8Array(4 + proofFields * 32)].map(
    (chonkProof) => verifyCommand(generation, { data: tx.data, chonkProof }),
  );

  let derived: Uint8Array;
  beforeAll(async () => {
    const bb = new BbInstance(compileBb(module.path));
    derived = await grumpkinPoints(
      async (values) => values.map((value) => rootOf(bb.call(squareRootCommand(value)))),
      proofProgram,
      512,
    );
  });

  test("derives the points of Grumpkin that its own keys rest on", () => {
    const constants = gunzipSync(readFileSync(module.path)).toString("latin1");
    for (const [number, point] of Object.entries(points)) {
      const own = Buffer.from(derived.subarray(Number(number) * 64, Number(number) * 64 + 64)).toString("hex");
      expect(own).toBe(point.join(""));
      for (const coordinate of point) expect(constants.includes(`0x${coordinate}`)).toBe(true);
    }
    expect(createHash("sha256").update(derived).digest("hex")).toBe(digest);
  });

  test("refuses proofs that are none in WebAssembly, one after the other", async () => {
    const backend = new BbThreads({ module: module.path, threads: 1, limitMs: 60_000, grumpkin: derived });
    open.push(backend);
    for (const fake of [...fakes, ...fakes]) expect(await backend.verify(fake)).toBe(false);
  });

  // The published program of v4 needs glibc 2.39.
  test.skipIf(program === undefined)("refuses proofs that are none in a process", async () => {
    const crs = join(folder, "crs-of-program");
    const backend = new BbProcesses({
      program: program?.path ?? "",
      threads: 1,
      limitMs: 60_000,
      grumpkin: derived,
      points: proofProgram.readsPoint ? crs : undefined,
    });
    open.push(backend);
    await backend.ready;
    // The file is read with the first proof.
    rmSync(crs, { recursive: true, force: true });
    for (const fake of [...fakes, ...fakes]) expect(await backend.verify(fake)).toBe(false);
  });
});
