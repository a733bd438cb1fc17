import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkStores } from "../../../src/chain-store/check/check-stores.ts";
import type { Fault } from "../../../src/chain-store/check/fault.ts";
import { openTrees } from "../../../src/cli/bench-witness/open-trees.ts";
import { sampleKeys } from "../../../src/cli/bench-witness/sample-keys.ts";
import { TREE_TEXTS } from "../../../src/cli/bench-witness/tree-texts.ts";
import { TREES } from "../../../src/cli/bench-witness/witness-kinds.ts";
import { writeNodeRecord } from "../../../src/process/node-record.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { L1_TO_L2_MESSAGE_TREE, NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../../../src/protocol/constants.ts";
import { hashAfter } from "../../../src/protocol/generations/hashing.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { openStore } from "../../../src/storage/store.ts";
import { preimageBytes, writePreimage } from "../../../src/world-state/indexed-overlay.ts";
import { runSvc, spawnSvc } from "../../world/cli/run-svc.ts";
import { V5_CHAIN } from "../../world/l1/recorded-networks.ts";
import {
  answers,
  core,
  MAP_SIZE_KB,
  restore,
  type SyncedChain,
  syncRecordedChain,
  uploaderOf,
} from "../../world/snapshots/synced-chain.ts";

const BLOCKS = V5_CHAIN.blocks;

let folder: string;
let chain: SyncedChain;
/** Data directory of a stopped node. */
let stopped: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-v5-store-"));
  chain = await syncRecordedChain(V5_CHAIN);
  stopped = join(folder, "stopped");
  await copyTo(stopped);
});
afterAll(async () => {
  await chain?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function copyTo(directory: string): Promise<void> {
  mkdirSync(directory);
  await chain.services.store.copyTo(join(directory, "chain"));
}

async function faultsOf(directory: string): Promise<Fault[]> {
  const faults: Fault[] = [];
  await checkStores(directory, core, { fault: (fault) => void faults.push(fault), stage() {}, step() {} });
  return faults;
}

test("a snapshot of a v5 node is taken by another one, and refused by a node of a v4 rollup", async () => {
  const { uploader, logger } = uploaderOf(chain, folder);
  uploader.startUpload(`file://${folder}/published`);
  await uploader.settled();
  expect(logger.lines.at(-1)).toMatchObject({ level: "info", message: "snapshot is uploaded" });

  const [own, other] = ["own", "other"].map((name) => join(folder, name));
  mkdirSync(join(own, "chain"), { recursive: true });
  const { taken } = await restore(chain, own, [`file://${folder}/published`]);
  expect(taken?.l2BlockNumber).toBe(BLOCKS);
  const services = await chain.open(join(own, "chain"));
  expect(answers(services)).toEqual(answers(chain.services));
  await services.store.close();

  // By chain, version and address it would be the same rollup.
  mkdirSync(join(other, "chain"), { recursive: true });
  const { generation: _, ...identity } = chain.reader.identity;
  const reader = Object.create(chain.reader, { identity: { value: identity } });
  const refused = await restore(chain, other, [`file://${folder}/published`], { reader });
  expect(refused.taken).toBeUndefined();
  expect(refused.logger.lines.find(({ level }) => level === "error")).toMatchObject({
    facts: { rule: "identity", reason: "its generation is v5, this node follows v4" },
  });
});

test("svc db check finds no fault in a v5 store, and names damaged headers, bodies and leaves", async () => {
  expect(await faultsOf(stopped)).toEqual([]);
  const damaged = join(folder, "damaged");
  await copyTo(damaged);
  const store = openStore({ path: join(damaged, "chain") });
  /** Changes the byte `at` of a row, counted among those that have it. */
  const flip = (table: string, row: number, at: number): void => {
    const long = [...store.table(table).range({})].filter(({ value }) => value.length > at);
    const { key, value } = long[row];
    const changed = Uint8Array.from(value);
    changed[at] ^= 1;
    store.transaction(() => store.table(table).put(key, changed));
  };
  flip("chain-checkpoints", 20, V5.headers.accumulatedFeesAt! + 31);
  flip("chain-checkpoints", 30, CHECKPOINT_AT.inHash + 31);
  flip("chain-checkpoints", 40, CHECKPOINT_AT.coinbase);
  flip("chain-checkpoints", 50, V5.headers.checkpointBytes);
  flip("chain-block-bodies", 60, 40);
  flip("ws-leaves", 70, 20);
  flip("ws-tiles", 10, 40);
  await store.close();
  const faults = await faultsOf(damaged);
  const rulesOf = (table: string) =>
    faults.filter((fault) => fault.table === table).map(({ key, rule }) => [key, rule]);
  expect(rulesOf("chain-checkpoints")).toEqual([
    ["21", "accumulatedFees of its header is not the sum of its blocks' fees"],
    ["31", "inHash of its header is not that of its L1-to-L2 messages"],
    ["41", "the timestamp, coinbase, fee recipient or fees of its header are not those of its blocks"],
    ["51", "its archive root is not that of its last block"],
  ]);
  for (const table of ["chain-block-bodies", "ws-leaves", "ws-tiles"]) expect(rulesOf(table)).not.toEqual([]);
});

test("witnesses that bench-witness reads from a v5 store lead to the roots with the separators of its trees", async () => {
  const { world, close } = await openTrees(join(stopped, "chain"));
  for (const tree of TREE_TEXTS) {
    const { id } = TREES[tree];
    const separator = V5.hashing.treeNodes[id];
    const { root } = world.snapshot(BLOCKS, id);
    for (const key of sampleKeys(world, BLOCKS, tree, { count: 5, absent: 0 })) {
      const index = world.findLeaf(BLOCKS, id, key)!;
      const path = world.siblingPath(BLOCKS, id, index);
      let node = key;
      if (id === NULLIFIER_TREE || id === PUBLIC_DATA_TREE) {
        const preimage = new Uint8Array(preimageBytes(id));
        writePreimage(world.lowLeaf(BLOCKS, id, key).leaf, preimage, 0);
        node = core.hash(preimage);
      }
      for (let level = 0; level * 32 < path.length; level++) {
        const sibling = path.subarray(level * 32, level * 32 + 32);
        const pair = Math.floor(index / 2 ** level) % 2 === 0 ? concat(node, sibling) : concat(sibling, node);
        node = hashAfter(core, separator, pair);
      }
      expect(toHex(node), `${tree} ${index}`).toBe(toHex(root));
    }
  }
  await close();
  const short = ["--duration", "0.2", "--warm-up", "0", "--threads", "1", "--keys", "100", "--json"];
  const { stdout, code } = await runSvc(["bench-witness", "--data-directory", stopped, ...short]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ rollupVersion: 3627361747, tip: BLOCKS, skipped: [] });
});

test("a process of --rpc-only serves a v5 store, and refuses a node's record of an unknown generation", async () => {
  const directory = join(folder, "served");
  await copyTo(directory);
  const { identity } = chain.reader;
  const namespaces = ["svc", "node"] as const;
  const record = { rpcUrl: "http://127.0.0.1:1", namespaces, mapSizeKb: MAP_SIZE_KB, realProofs: false };
  writeNodeRecord(directory, { ...record, identity });
  const args = ["start", "--rpc-only", "--data-directory", directory, "--port", "0", "--rpc-threads", "1"];
  const svc = spawnSvc([...args, "--rpc-host", "127.0.0.1"]);
  try {
    const [, port] = await svc.shows(/answering JSON-RPC on \S+:(\d+)/);
    const ask = async (method: string, params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", headers, body });
      return ((await response.json()) as { result: unknown }).result;
    };
    expect(await ask("svc_getBlockNumber", [])).toBe(BLOCKS);
    const hash = toHex(chain.services.chain.block(BLOCKS)!.hash);
    expect(await ask("svc_getBlock", [BLOCKS])).toMatchObject({ hash });
    const [{ leaf }] = chain.services.chain.messages.range(0, 2 ** 48 - 1);
    const [index, path] = (await ask("svc_getL1ToL2MessageMembershipWitness", ["latest", toHex(leaf)])) as string[];
    const stored = chain.services.world.siblingPath(BLOCKS, L1_TO_L2_MESSAGE_TREE, Number(index));
    expect(Buffer.from(path, "base64").subarray(4)).toEqual(Buffer.from(stored));
  } finally {
    svc.child.kill("SIGTERM");
    await svc.ended;
  }
  writeNodeRecord(directory, { ...record, identity: { ...identity, generation: "v9" } });
  const refused = await runSvc(args);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/node\.json identity\.generation must be v5, or absent/);
});
