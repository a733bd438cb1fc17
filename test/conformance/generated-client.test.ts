import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenRpcDocument, openRpcDocument } from "../../src/rpc/openrpc/document.ts";
import { publicRegistry } from "../../src/rpc/server/public-registry.ts";
import {
  type GoldenCase,
  goldenCases,
  NodeProcess,
  type RecordedL1,
  startRecordedL1,
} from "../world/node/recorded-node.ts";
import { fakeServices } from "../world/rpc/fakes.ts";
import { Checker } from "../world/rpc/json-schema.ts";
import { SocketClient } from "../world/rpc/socket-client.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const script = join(root, "scripts/typescript-client.ts");
const run = (...args: string[]) =>
  spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });

/** A program that uses the generated client and its types of parameters and results. */
const PROGRAM = `
import { type BlockResponse, type BlockSelector, client, type LogResult, RpcError, type TxReceipt } from "./client.ts";

export async function program(url: string) {
  const call = client(url);
  const tip: number = await call("svc_getBlockNumber");
  const selectors: BlockSelector[] = [tip, "latest", "proven", { number: tip }, { tag: "finalized" }];
  const blocks: (BlockResponse | null)[] = [];
  for (const selector of selectors) blocks.push(await call("svc_getBlock", selector, { includeTransactions: true }));
  const block = blocks[0];
  if (block === null) throw new Error("no block at the tip");
  const same = await Promise.all([
    call("svc_getBlockData", block.hash),
    call("svc_getBlockData", block.hash.slice(2)),
    call("svc_getBlockData", block.archive.root),
    call("svc_getBlockData", { hash: block.hash }),
    call("svc_getBlockData", { archive: block.archive.root }),
  ]);
  const receipts: TxReceipt[] = [];
  for (const effect of block.body?.txEffects ?? []) {
    const receipt = await call("svc_getTxReceipt", effect.txHash, { includeTxEffect: true });
    // The status discriminates the union type.
    if (receipt.status !== "pending" && receipt.status !== "dropped") receipt.blockNumber satisfies number;
    receipts.push(receipt);
  }
  const logs: LogResult[][] = await call("svc_getPrivateLogsByTags", { tags: ["0x1", { tag: "2" }], limitPerTag: 3 });
  const witness = await call("svc_getL1ToL2MessageMembershipWitness", "latest", "0x1");
  const index: string | undefined = witness?.[0];
  const refused = await call("svc_getBlock", "nothing" as "latest").catch((error: unknown) => error);
  return { tip, blocks, same, receipts, logs, index, refused: refused instanceof RpcError ? refused.message : undefined };
}

export async function mistakes(url: string) {
  const call = client(url);
  // @ts-expect-error An unknown method.
  await call("svc_getNothing");
  // @ts-expect-error An unknown form of selector.
  await call("svc_getBlock", { height: 1 });
  // @ts-expect-error An unknown member.
  (await call("svc_getNodeInfo")).compatibleVersion;
}
`;

interface Program {
  program(url: string): Promise<{
    tip: number;
    blocks: ({ number: number } | null)[];
    same: { blockHash: string }[];
    receipts: { status: string }[];
    logs: unknown[][];
    index: string | undefined;
    refused: string | undefined;
  }>;
}

const folder = mkdtempSync(join(tmpdir(), "svc-client-"));
let l1: RecordedL1;
let node: NodeProcess;
beforeAll(async () => {
  l1 = await startRecordedL1();
  node = await NodeProcess.start(l1);
  await node.ready();
});
afterAll(async () => {
  await node?.remove();
  l1?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a TypeScript client generated from the API description type-checks and gets a node's answers", async () => {
  const generated = run(script, node.url);
  expect(generated.stderr).toBe("");
  writeFileSync(join(folder, "client.ts"), generated.stdout);
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const options = {
    strict: true,
    noEmit: true,
    target: "es2023",
    module: "nodenext",
    lib: ["es2023"],
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    skipLibCheck: true,
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, include: ["*.ts"] }));
  const checked = run(join(root, "node_modules/typescript-7/bin/tsc"), "-p", folder);
  expect(checked.stdout).toBe("");
  expect(checked.status).toBe(0);

  const { program } = (await import(/* @vite-ignore */ pathToFileURL(join(folder, "program.ts")).href)) as Program;
  const { tip, blocks, same, receipts, logs, index, refused } = await program(node.url);
  expect(tip).toBe(59);
  expect(blocks.map((block) => block?.number)).toEqual([59, 59, 59, 59, 0]);
  expect(new Set(same.map(({ blockHash }) => blockHash)).size).toBe(1);
  expect(receipts.length).toBeGreaterThan(0);
  expect(logs).toHaveLength(2);
  expect(index).toBeUndefined();
  expect(refused).toMatch(/^Expected a block number, a block hash or archive root of 64 hex digits/);
});

test("the client generator prints its usage when called without a URL", () => {
  expect(run(script)).toMatchObject({ status: 2, stderr: expect.stringContaining("URL|-") });
});

describe("answers over the recorded chain", () => {
  // The answers were recorded from 4.1.2.
  const services = fakeServices({ status: { ...fakeServices().status, revertWords: "4.1" } });
  const document: OpenRpcDocument = openRpcDocument(publicRegistry(services), ["svc", "node"]);
  const checker = new Checker(document);
  const golden = goldenCases();
  const recorded = (method: string): GoldenCase[] => golden.filter((c) => c.method === method && c.error === undefined);
  /** Selectors for calls of methods that the release does not have, or has with other parameters. */
  const blocks = [0, 1, 30, 59, 99, "latest", { tag: "proven" }];
  const all = { includeTransactions: true, includeL1PublishInfo: true, includeAttestations: true };
  const hashes = recorded("getTxEffect").map(({ params }) => params[0]);
  const tags = recorded("getPublicLogs").flatMap(({ result }) =>
    (result as { logs: { log: { contractAddress: string; fields: string[] } }[] }).logs.slice(0, 3),
  );
  const OWN: Record<string, unknown[][]> = {
    svc_getBlock: blocks.flatMap((block) => [[block], [block, all]]),
    svc_getBlockData: blocks.map((block) => [block]),
    svc_getBlocks: [
      [1, 50, all],
      [50, 100],
    ],
    svc_getCheckpoint: [[1], ["proven", { ...all, includeBlocks: true }], [{ slot: 1 }]],
    svc_getCheckpoints: [
      [1, 50, { ...all, includeBlocks: true }],
      [1, 100],
    ],
    svc_getCheckpointsData: [[{ from: 1, limit: 200 }], [{ epoch: 2 }], [{ fromSlot: 40, limit: 9, reverse: true }]],
    svc_getTxReceipt: hashes.flatMap((hash) => [[hash], [hash, { includeTxEffect: true }]]),
    svc_getTxEffect: hashes.map((hash) => [hash]),
    svc_getPrivateLogsByTags: [[{ tags: ["0x1"], includeEffects: true }]],
    svc_getPublicLogsByTags: tags.map(({ log }) => [
      { contractAddress: log.contractAddress, tags: [log.fields[0]], includeEffects: true },
    ]),
    svc_getL2ToL1MembershipWitness: hashes.map((hash) => [hash, "0x1"]),
    svc_getCheckpointAttestationsForSlot: [[40]],
    svc_getProposalsForSlot: [[40]],
    svc_getTxsByHash: [[[`0x${"01".repeat(32)}`]]],
    node_getTxsByHash: [[[`0x${"01".repeat(32)}`]]],
    svc_getValidatorStats: [[`0x${"11".repeat(20)}`]],
    node_getValidatorStats: [[`0x${"11".repeat(20)}`]],
    svc_findLeavesIndexes: recorded("findLeavesIndexes").map(({ params }) => params),
  };
  const NOT_BY_HTTP = new Set(["subscribe", "unsubscribe"]);
  const TAKES_A_TX = new Set(["sendTx", "isValidTx", "simulatePublicCalls"]);
  const asked = document.methods.filter(({ name }) => {
    const method = name.split("_")[1];
    return !TAKES_A_TX.has(method) && !NOT_BY_HTTP.has(method);
  });

  test.each(asked.map(({ name }) => name))("answers of %s match the API description", async (name) => {
    const [, method] = name.split("_");
    const known = OWN[name] ?? recorded(method).map(({ params }) => params);
    const questions = known.length > 0 ? known : [[]];
    let answered = 0;
    for (const params of questions) {
      const { body } = await node.call(name, params);
      if (body.error !== undefined) continue;
      expect(checker.resultViolations(name, body.result), JSON.stringify(params).slice(0, 200)).toEqual([]);
      answered += 1;
    }
    if (name !== "svc_getL2ToL1MembershipWitness") expect(answered).toBeGreaterThan(0);
  });

  test("answers of subscribing and unsubscribing over WebSocket match the API description", async () => {
    const socket = await SocketClient.to(Number(new URL(node.url).port));
    const subscription = await socket.subscribe("tips");
    expect(checker.resultViolations("svc_subscribe", subscription)).toEqual([]);
    const ended = await socket.call("svc_unsubscribe", subscription.subscription);
    expect(ended).toBe(true);
    expect(checker.resultViolations("svc_unsubscribe", ended)).toEqual([]);
    await socket.leave();
  });

  test("svc_findLeavesIndexes finds a public data leaf by a slot that a block wrote", async () => {
    const { body } = await node.call("svc_getBlocks", [1, 50, { includeTransactions: true }]);
    const written = (
      body.result as {
        number: number;
        hash: string;
        body: { txEffects: { publicDataWrites: { leafSlot: string }[] }[] };
      }[]
    ).find((block) => block.body.txEffects.some(({ publicDataWrites }) => publicDataWrites.length > 0))!;
    const slot = written.body.txEffects.flatMap(({ publicDataWrites }) => publicDataWrites)[0].leafSlot;
    const found = await node.call("svc_findLeavesIndexes", ["latest", 2, [slot, "0x1234"]]);
    const witness = await node.call("svc_getPublicDataWitness", ["latest", slot]);
    const [leaf, missing] = found.body.result as [{ data: string; l2BlockNumber: number } | null, null];
    expect(leaf?.data).toBe((witness.body.result as { index: string }).index);
    expect(leaf?.l2BlockNumber).toBeLessThanOrEqual(written.number);
    expect(missing).toBeNull();
  });
});
