import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import {
  assertStringsTaken,
  rootOf,
  squareRootCommand,
  stringCommands,
  verdictOf,
  verifyCommand,
} from "../../../src/mempool/proofs/bb-api.ts";
import { BbProcess } from "../../../src/mempool/proofs/bb-process.ts";
import {
  type BbProgram,
  BbProgramError,
  findBbProgram,
  packagedModule,
} from "../../../src/mempool/proofs/bb-program.ts";
import { BN254_GENERATOR, grumpkinPoints, IGNITION_G2 } from "../../../src/mempool/proofs/reference-strings.ts";
import { concat, readBigUint, readU32, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { privateAccumulatedData } from "../../../src/protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { withTerms } from "../../../src/protocol/tx/template.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { NODE_OPTIONS, SVC_SOURCE } from "../../support/program.ts";
import type { Replacement } from "../../support/replace-texts.ts";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { txFromBytes } from "../../world/protocol/v4-txs.ts";
import { knownG2, moduleOfSetup, programOfSetup } from "./known-setup.ts";

const FIXTURES = new URL("../../fixtures/real-proof/", import.meta.url);
const { tx, hash } = txFromBytes(gunzipSync(readFileSync(new URL("tx.bin.gz", FIXTURES))));
const key = readFileSync(new URL("hiding-kernel-to-rollup.vk", FIXTURES));
const core = loadCore();

/** The form in which wallets send a transaction without class logs and public calls. */
function jsonOf(given: Tx) {
  return {
    data: Buffer.from(given.data).toString("base64"),
    chonkProof: Buffer.from(given.chonkProof).toString("base64"),
    contractClassLogFields: [],
    publicFunctionCalldata: [],
    txHash: toHex(txHash(core, given.data)),
  };
}

/** The transaction with one field of the proof raised by 1. */
function withRaisedField(index: number): Tx {
  const chonkProof = new Uint8Array(tx.chonkProof);
  const field = chonkProof.subarray(4 + 32 * index, 36 + 32 * index);
  field.set(fr(readBigUint(field, 0, 32) + 1n));
  return { ...tx, chonkProof };
}

/** As many fields as a proof has, from hashes. */
function withOtherFields(): Tx {
  const count = readU32(tx.chonkProof, 0);
  const fields = Array.from({ length: count }, (_, i) => {
    const bytes = new Uint8Array(createHash("sha256").update(String(i)).digest());
    bytes[0] = 0;
    return bytes;
  });
  const length = new Uint8Array(4);
  writeU32(length, 0, count);
  return { ...tx, chonkProof: concat(length, ...fields) };
}

function withOtherNullifier(): Tx {
  const data = new Uint8Array(tx.data);
  const [nullifier] = privateAccumulatedData(data).nullifiers;
  nullifier.set(fr(readBigUint(nullifier, 0, 32) + 1n));
  return { ...tx, data };
}

const gasUsed = {
  daGas: readU32(tx.data, TX_DATA_AT.gasUsed),
  l2Gas: readU32(tx.data, TX_DATA_AT.gasUsed + 4) + 1,
};
const expirationTimestamp = readBigUint(tx.data, TX_DATA_AT.expirationTimestamp, 8) - 1n;

/** One field of each part of the proof, at its ends and where parts meet, and values of the statement. */
const ALTERED: readonly [name: string, altered: Tx][] = [
  ...[0, 5, 434].map((index): [string, Tx] => [`field ${index} (mega)`, withRaisedField(index)]),
  ["field 438 (merge)", withRaisedField(438)],
  ["field 487 (eccvm)", withRaisedField(487)],
  ["field 1090 (ipa)", withRaisedField(1090)],
  ...[1159, 1934].map((index): [string, Tx] => [`field ${index} (translator)`, withRaisedField(index)]),
  ["every field", withOtherFields()],
  ["gas used", withTerms(tx, { gasUsed })],
  ["first nullifier", withOtherNullifier()],
  ["expiration", withTerms(tx, { expirationTimestamp })],
];

/** The constants of a network whose keys rest on our setup, and bb as a package that has only its WebAssembly form. */
async function replacementsIn(folder: string): Promise<Replacement[]> {
  const published = await packagedModule();
  if (published === undefined) throw new Error("the package @aztec/bb.js is not installed");
  const entry = join(folder, "bb.js", "dest", "index.js");
  const module = join(folder, "bb.js", "dest", "node", "barretenberg_wasm", "barretenberg-threads.wasm.gz");
  mkdirSync(join(module, ".."), { recursive: true });
  writeFileSync(entry, "");
  writeFileSync(join(folder, "bb.js", "package.json"), JSON.stringify({ version: published.version }));
  writeFileSync(module, gzipSync(moduleOfSetup(gunzipSync(readFileSync(published.path))), { level: 1 }));
  const keys = JSON.parse(
    readFileSync(new URL("../../../src/mempool/proofs/data/tx-proof-keys.json", import.meta.url), "utf8"),
  ) as { privateOnly: { key: string } };
  const vkTreeRoot = toHex(tx.data.subarray(TX_DATA_AT.vkTreeRoot, TX_DATA_AT.vkTreeRoot + 32));
  const [g2, own] = [IGNITION_G2, knownG2()].map((point) => Buffer.from(point).toString("hex").match(/.{64}/g) ?? []);
  return [
    { module: "/generations/v4/contracts", from: V4.contracts.vkTreeRoot, to: vkTreeRoot },
    { module: "/proofs/data/tx-proof-keys.json", from: keys.privateOnly.key, to: key.toString("base64") },
    { module: "/proofs/bb-program", from: '"@aztec/bb.js"', to: JSON.stringify(entry) },
    ...g2.map((from, i) => ({ module: "/proofs/reference-strings", from, to: own[i] })),
  ];
}

describe("a transaction with its proof, on a network with the keys that the proof belongs to", () => {
  let folder: string;
  let network: Network;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-real-proof-")));
    const file = join(folder, "replacements.json");
    writeFileSync(file, JSON.stringify(await replacementsIn(folder)));
    const hooks = `${new URL("../../support/replace-texts.ts", import.meta.url).href}?${encodeURIComponent(file)}`;
    const feePayer = tx.data.subarray(TX_DATA_AT.feePayer, TX_DATA_AT.feePayer + 32);
    network = await startNetwork(
      [],
      { TEST_ACCOUNTS: "false", PREFUND_ADDRESSES: toHex(feePayer), DEBUG_FORCE_TX_PROOF_VERIFICATION: "true" },
      [...NODE_OPTIONS, "--import", hooks, SVC_SOURCE],
    );
  });

  afterAll(async () => {
    network?.svc.child.kill("SIGINT");
    await network?.svc.ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  const ask = <T>(method: string, ...params: unknown[]) => call<T>(network.url, method, ...params);

  test("the node checks proofs with bb in WebAssembly", () => {
    expect(network.svc.output.stderr).toContain("checking proofs of transactions with bb 4.1.2 in WebAssembly");
  });

  test.each(ALTERED)("with %s changed it is refused", async (_name, altered) => {
    expect(altered).not.toEqual(tx);
    await expect(ask("node_sendTx", jsonOf(altered))).rejects.toThrow("Invalid tx: Invalid proof");
    expect(await ask("node_getPendingTxCount")).toBe(0);
  });

  test("as it is it is accepted and mined in block 1", async () => {
    expect(jsonOf(tx).txHash).toBe(toHex(hash));
    await ask("node_sendTx", jsonOf(tx));
    const receipt = () => ask<{ blockNumber?: number; status: string }>("node_getTxReceipt", toHex(hash));
    await expect.poll(async () => (await receipt()).blockNumber).toBe(1);
    expect(await ask("node_getBlock", 1)).toMatchObject({ body: { txEffects: [{ txHash: toHex(hash) }] } });
  });
});

/** The native program, or why it cannot be tested here. SVC_TEST_BB names one where the package's does not run. */
async function nativeProgram(): Promise<BbProgram | string> {
  if (process.arch !== "x64") return `its code for ${process.arch} is another one`;
  try {
    return await findBbProgram(process.env.SVC_TEST_BB);
  } catch (error) {
    if (!(error instanceof BbProgramError)) throw error;
    return error.message.replace(/\s+/g, " ");
  }
}

describe("the native program with the translator key of the setup", async () => {
  const program = await nativeProgram();
  if (typeof program === "string") console.info(`skipped: proofs in the native program: ${program}`);

  test.skipIf(typeof program === "string")("accepts the proof and refuses the altered ones", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-real-proof-"));
    const path = join(folder, "bb");
    writeFileSync(path, programOfSetup(readFileSync((program as BbProgram).path)), { mode: 0o755 });
    const bb = new BbProcess({ program: path, threads: 1 });
    try {
      const grumpkin = await grumpkinPoints(async (values) =>
        (await Promise.all(values.map((value) => bb.call(squareRootCommand(value))))).map(rootOf),
      );
      for (const command of stringCommands({ g1: BN254_GENERATOR, g2: knownG2(), grumpkin })) {
        assertStringsTaken(await bb.call(command));
      }
      const verdict = async (given: Tx) => verdictOf(await bb.call(verifyCommand(given, key)));
      expect(await verdict(tx)).toBe(true);
      for (const [name, altered] of ALTERED) expect([name, await verdict(altered)]).toEqual([name, false]);
    } finally {
      await bb.close();
      rmSync(folder, { recursive: true });
    }
  });
});
