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
import { PointFolder } from "../../../src/mempool/proofs/point-folder.ts";
import { BN254_GENERATOR, grumpkinPoints, IGNITION_G2 } from "../../../src/mempool/proofs/reference-strings.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { concat, readBigUint, readU32, toHex, writeU32 } from "../../../src/protocol/bytes.ts";
import { ARCHIVE } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { privateAccumulatedData } from "../../../src/protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { withTerms } from "../../../src/protocol/tx/template.ts";
import { emptyProof, type Tx } from "../../../src/protocol/tx/tx.ts";
import { txFromBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";
import { NODE_OPTIONS, SVC_SOURCE } from "../../support/program.ts";
import type { Replacement } from "../../support/replace-texts.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { recordedPublicData, V5_CHAIN } from "../../world/l1/recorded-networks.ts";
import { ServedRecording } from "../../world/l1/served-recording.ts";
import { call, startNetwork } from "../../world/local-network/network-process.ts";
import { v5Environment } from "../../world/node/v5-environment.ts";
import { knownG2, moduleOfSetup, programOfSetup } from "./known-setup.ts";

const core = loadCore();

/** A transaction with its proof, and the key that the proof belongs to. */
interface Proven {
  generation: Generation;
  tx: Tx;
  hash: Uint8Array;
  key: Buffer;
}

function proven(generation: Generation, folder: string): Proven {
  const read = (name: string) => readFileSync(new URL(`../../fixtures/${folder}/${name}`, import.meta.url));
  const { tx, hash } = txFromBytes(gunzipSync(read("tx.bin.gz")), 0, generation.transactions.proofFields);
  return { generation, tx, hash, key: read("hiding-kernel-to-rollup.vk") };
}

const OF_V4 = proven(V4, "real-proof");
const OF_V5 = proven(V5, "v5/real-proof");

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
function withRaisedField(tx: Tx, index: number): Tx {
  const chonkProof = new Uint8Array(tx.chonkProof);
  const field = chonkProof.subarray(4 + 32 * index, 36 + 32 * index);
  field.set(fr(readBigUint(field, 0, 32) + 1n));
  return { ...tx, chonkProof };
}

/** As many fields as a proof has, from hashes. */
function withOtherFields(tx: Tx): Tx {
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

function withOtherNullifier(tx: Tx): Tx {
  const data = new Uint8Array(tx.data);
  const [nullifier] = privateAccumulatedData(data).nullifiers;
  nullifier.set(fr(readBigUint(nullifier, 0, 32) + 1n));
  return { ...tx, data };
}

/**
 * The first and the last field of each part of the proof raised, all fields replaced, values of the statement changed.
 */
function alteredFrom({ generation, tx }: Proven): [name: string, altered: Tx][] {
  const gasUsed = {
    daGas: readU32(tx.data, TX_DATA_AT.gasUsed),
    l2Gas: readU32(tx.data, TX_DATA_AT.gasUsed + 4) + 1,
  };
  const expirationTimestamp = readBigUint(tx.data, TX_DATA_AT.expirationTimestamp, 8) - 1n;
  let end = 0;
  const ends = generation.transactions.proofParts.flatMap(({ path, fields }) => {
    end += fields;
    return [end - fields, end - 1].map((index): [string, Tx] => [
      `field ${index} (${path.at(-1)})`,
      withRaisedField(tx, index),
    ]);
  });
  return [
    ...ends,
    ["every field", withOtherFields(tx)],
    ["gas used", withTerms(tx, { gasUsed })],
    ["first nullifier", withOtherNullifier(tx)],
    ["expiration", withTerms(tx, { expirationTimestamp })],
  ];
}

const textAt = (tx: Tx, at: number) => toHex(tx.data.subarray(at, at + 32));

/** The constants of a network whose keys rest on our setup, and bb as a package that has only its WebAssembly form. */
async function replacementsIn(folder: string, { generation, tx, key }: Proven): Promise<Replacement[]> {
  const { name, contracts, circuits, transactions } = generation;
  const { package: packageName } = transactions.proofProgram;
  const published = await packagedModule(transactions.proofProgram);
  if (published === undefined) throw new Error(`the package ${packageName} is not installed`);
  const entry = join(folder, "bb.js", "dest", "index.js");
  const module = join(folder, "bb.js", "dest", "node", "barretenberg_wasm", "barretenberg-threads.wasm.gz");
  mkdirSync(join(module, ".."), { recursive: true });
  writeFileSync(entry, "");
  writeFileSync(join(folder, "bb.js", "package.json"), JSON.stringify({ version: published.version }));
  writeFileSync(module, gzipSync(moduleOfSetup(gunzipSync(readFileSync(published.path)), generation), { level: 1 }));
  const { fields } = circuits.verificationKeys.HIDING_KERNEL_TO_ROLLUP;
  const [g2, own] = [IGNITION_G2, knownG2()].map((point) => Buffer.from(point).toString("hex").match(/.{64}/g) ?? []);
  return [
    {
      module: `/generations/${name}/contracts`,
      from: contracts.vkTreeRoot,
      to: textAt(tx, TX_DATA_AT.vkTreeRoot),
    },
    { module: `/generations/${name}/data/verification-keys.json`, from: fields, to: key.toString("base64") },
    {
      module: `/generations/${name}/transactions`,
      from: JSON.stringify(packageName),
      to: JSON.stringify(entry),
    },
    ...g2.map((from, i) => ({ module: "/proofs/reference-strings", from, to: own[i] })),
  ];
}

/** A node whose keys rest on our setup, at a block 0 that funds the transaction's fee payer. */
interface ProofNode {
  readonly svc: Svc;
  readonly url: string;
  readonly l1?: ServedRecording;
}

/** The network that the transaction of v4 was made for. */
function nodeOfV4(program: string[]): Promise<ProofNode> {
  const feePayer = textAt(OF_V4.tx, TX_DATA_AT.feePayer);
  const environment = {
    TEST_ACCOUNTS: "false",
    PREFUND_ADDRESSES: feePayer,
    DEBUG_FORCE_TX_PROOF_VERIFICATION: "true",
  };
  return startNetwork([], environment, program);
}

/** Follows the recorded v5 network before its first block, with the genesis and the keys of the transaction. */
async function nodeOfV5(program: string[], folder: string): Promise<ProofNode> {
  const { tx } = OF_V5;
  const feePayer = tx.data.subarray(TX_DATA_AT.feePayer, TX_DATA_AT.feePayer + 32);
  const funded = { testAccounts: false, sponsoredFpc: false, prefundAddresses: [feePayer] };
  const roots = [recordedPublicData(core, V5_CHAIN), genesisPublicData(core, funded, V5)].map((publicData) =>
    toHex(genesisState(core, genesisContent(V5, publicData)).fork.snapshot(ARCHIVE).root),
  );
  const l1 = await ServedRecording.start("chain", [
    [roots[0], roots[1]],
    [V5.contracts.vkTreeRoot, textAt(tx, TX_DATA_AT.vkTreeRoot)],
  ]);
  l1.until = 33;
  // getManaMinFeeAt and getCheckpoint, which were not recorded there.
  l1.answers.set("0x766d01b4", `0x${"0".repeat(58)}0f4240`);
  l1.answers.set("0x20fc4881", `0x${"0".repeat(32 * 64)}`);
  const place = ["--data-directory", join(folder, "data"), "--port", "0", "--rpc-host", "127.0.0.1"];
  const environment = {
    ...v5Environment(l1, "chain"),
    TEST_ACCOUNTS: "false",
    SPONSORED_FPC: "false",
    PREFUND_ADDRESSES: toHex(feePayer),
  };
  const svc = spawnSvc(["start", "--node", ...place], environment, program);
  const [, port] = await svc.shows(/answering JSON-RPC on \S+:(\d+)/);
  await svc.shows(/initial sync is complete/);
  return { svc, url: `http://127.0.0.1:${port}`, l1 };
}

describe.each([
  { ...OF_V4, name: "v4", start: nodeOfV4 },
  { ...OF_V5, name: "v5", start: nodeOfV5 },
])("a transaction of $name with its proof, at a node with the keys that the proof belongs to", (given) => {
  const { tx, hash, generation, start } = given;
  let folder: string;
  let node: ProofNode;

  beforeAll(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "svc-real-proof-")));
    const file = join(folder, "replacements.json");
    writeFileSync(file, JSON.stringify(await replacementsIn(folder, given)));
    const hooks = `${new URL("../../support/replace-texts.ts", import.meta.url).href}?${encodeURIComponent(file)}`;
    node = await start([...NODE_OPTIONS, "--import", hooks, SVC_SOURCE], folder);
  });

  afterAll(async () => {
    node?.svc.child.kill("SIGINT");
    await node?.svc.ended;
    await node?.l1?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  const ask = <T>(method: string, ...params: unknown[]) => call<T>(node.url, method, ...params);

  test("the node checks proofs with bb in WebAssembly", () => {
    const { majorVersion } = generation.transactions.proofProgram;
    expect(node.svc.output.stderr).toMatch(
      new RegExp(`checking proofs of transactions with bb ${majorVersion}\\.[0-9.]+ in WebAssembly`),
    );
  });

  test.each(alteredFrom(given))("with %s changed it is refused", async (_name, altered) => {
    expect(altered).not.toEqual(tx);
    await expect(ask("node_sendTx", jsonOf(altered))).rejects.toThrow("Invalid tx: Invalid proof");
    expect(await ask("node_getPendingTxCount")).toBe(0);
  });

  test("with a proof of the other generation it is refused by its length", async () => {
    const { chonkProof } = generation === V4 ? OF_V5.tx : OF_V4.tx;
    await expect(ask("node_sendTx", jsonOf({ ...tx, chonkProof }))).rejects.toThrow(
      `Invalid ChonkProof length: ${readU32(chonkProof, 0)}`,
    );
  });

  test("with zeros, as clients of networks without proofs send it, it is invalid", async () => {
    const chonkProof = emptyProof(generation.transactions.proofFields);
    expect(await ask("node_isValidTx", jsonOf({ ...tx, chonkProof }))).toMatchObject({
      result: "invalid",
      reason: ["Invalid proof"],
    });
  });

  test("as it is it is valid and accepted", async () => {
    expect(jsonOf(tx).txHash).toBe(toHex(hash));
    expect(await ask("node_isValidTx", jsonOf(tx))).toEqual({ result: "valid" });
    await ask("node_sendTx", jsonOf(tx));
  });

  test.runIf(generation === V4)("it is mined in block 1", async () => {
    const receipt = () => ask<{ blockNumber?: number; status: string }>("node_getTxReceipt", toHex(hash));
    await expect.poll(async () => (await receipt()).blockNumber).toBe(1);
    expect(await ask("node_getBlock", 1)).toMatchObject({ body: { txEffects: [{ txHash: toHex(hash) }] } });
  });

  test.runIf(generation === V5)("it is pending", async () => {
    expect(await ask("node_getPendingTxCount")).toBe(1);
    expect(await ask("node_getTxReceipt", toHex(hash))).toMatchObject({ status: "pending" });
  });
});

/** The native program, or why it cannot be tested here. SVC_TEST_BB names one where the package's does not run. */
async function nativeProgram({ transactions }: Generation): Promise<BbProgram | string> {
  if (process.arch !== "x64") return `its code for ${process.arch} is another one`;
  try {
    return await findBbProgram(process.env.SVC_TEST_BB, transactions.proofProgram);
  } catch (error) {
    if (!(error instanceof BbProgramError)) throw error;
    return error.message.replace(/\s+/g, " ");
  }
}

describe.each([OF_V4, OF_V5])(
  "the native program of $generation.name with the translator key of the setup",
  async (given) => {
    const { generation, tx, key } = given;
    const program = await nativeProgram(generation);
    if (typeof program === "string") console.info(`skipped: proofs in the native program: ${program}`);

    test.skipIf(typeof program === "string")("accepts the proof and refuses the altered ones", async () => {
      const folder = mkdtempSync(join(tmpdir(), "svc-real-proof-"));
      const path = join(folder, "bb");
      writeFileSync(path, programOfSetup(readFileSync((program as BbProgram).path), generation), { mode: 0o755 });
      const points = new PointFolder(join(folder, "crs"));
      points.write();
      const bb = new BbProcess({ program: path, threads: 1, points: points.path });
      try {
        const grumpkin = await grumpkinPoints(
          async (values) => (await Promise.all(values.map((value) => bb.call(squareRootCommand(value))))).map(rootOf),
          generation.transactions.proofProgram,
        );
        for (const command of stringCommands({ g1: BN254_GENERATOR, g2: knownG2(), grumpkin })) {
          assertStringsTaken(await bb.call(command));
        }
        const verdict = async (changed: Tx) => verdictOf(await bb.call(verifyCommand(generation, changed, key)));
        expect(await verdict(tx)).toBe(true);
        for (const [name, altered] of alteredFrom(given)) expect([name, await verdict(altered)]).toEqual([name, false]);
      } finally {
        await bb.close();
        rmSync(folder, { recursive: true });
      }
    });
  },
);
