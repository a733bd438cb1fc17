import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serialize } from "node:v8";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ProposedBlock } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { ARCHIVE, PUBLIC_DATA_TREE } from "../../../src/protocol/constants.ts";
import { dump as dumpChain } from "../../world/archiver/open-chain.ts";
import { type L1Recording, RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import {
  emptyAfter,
  type RecordedNode,
  recordedBlocks,
  recordedNode,
  rivalOf,
} from "../../world/archiver/recorded-node.ts";
import { dump as dumpState } from "../../world/world-state/open-state.ts";

/**
 * Proposed blocks with real trees: blocks of the recorded chain are given to a node before L1 has their checkpoints.
 */
const core = loadCore();
const folder = mkdtempSync(join(tmpdir(), "svc-proposed-"));
const open: RecordedNode[] = [];
let recording: L1Recording;
let blocks: ProposedBlock[][];
let expected: Record<string, [string, string][]>;

const rowsOf = ({ store }: RecordedNode) => ({ ...dumpChain(store), ...dumpState(store) });

function node(l1: RecordedL1, name: string): RecordedNode {
  const opened = recordedNode(core, l1, join(folder, name));
  open.push(opened);
  return opened;
}

beforeAll(async () => {
  recording = await readRecordedL1();
  blocks = await recordedBlocks(core, recording);
  const fresh = node(new RecordedL1(recording), "fresh");
  await fresh.synchronizer.syncOnce();
  // The last L1 block contains nothing new, so every node ends with the same position on L1.
  expected = rowsOf(fresh);
});
afterAll(async () => {
  for (const each of open) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Follows L1 checkpoint by checkpoint; `before` is called before each. */
async function followed(name: string, before: (node: RecordedNode, checkpoint: number) => Promise<void>) {
  const l1 = new RecordedL1(recording);
  const last = l1.height;
  const follower = node(l1, name);
  for (const [c, { l1: arrival }] of recording.checkpoints.entries()) {
    l1.height = arrival.number - 1;
    await follower.synchronizer.syncOnce();
    await before(follower, c);
    l1.height = arrival.number;
    await follower.synchronizer.syncOnce();
    expect(follower.chain.tips().proposed.number).toBe(follower.chain.checkpointedBlockNumber());
    expect(follower.world.status().tip).toBe(follower.chain.latestBlockNumber());
  }
  l1.height = last;
  await follower.synchronizer.syncOnce();
  return { follower, l1 };
}

test("recorded blocks proposed before they are on L1 need no blob and give the rows of a sync from L1", async () => {
  const { follower, l1 } = await followed("equal", async ({ synchronizer, chain }, c) => {
    for (const block of blocks[c]) await synchronizer.addProposedBlock(block);
    expect(chain.latestBlockNumber() - chain.checkpointedBlockNumber()).toBe(blocks[c].length);
  });
  expect(l1.fetched).toBe(0);
  expect(rowsOf(follower)).toEqual(expected);
});

test("checkpoints on L1 replace rival proposed blocks and remove surplus ones, and old states read as before", async () => {
  const states = new Map<number, string>();
  const removed: string[] = [];
  const { follower } = await followed("rivals", async (own, c) => {
    if (c === 0) own.synchronizer.on("blocksRemoved", ({ reason }) => void removed.push(reason));
    const [block] = blocks[c];
    const first = c % 3 === 0 ? rivalOf(core, own, block) : block;
    const second = emptyAfter(core, own, first);
    const { tip } = own.world.status();
    states.set(tip, toHex(own.world.snapshot(tip, PUBLIC_DATA_TREE).root));
    await own.synchronizer.addProposedBlock(first);
    if (c % 2 === 0) await own.synchronizer.addProposedBlock(second);
    const paths = own.world.siblingPath(tip, ARCHIVE, tip);
    expect(paths.length % 32).toBe(0);
    expect(toHex(own.world.snapshot(tip, PUBLIC_DATA_TREE).root)).toBe(states.get(tip));
  });
  expect(removed.length).toBeGreaterThan(30);
  expect(new Set(removed)).toEqual(new Set(["replaced"]));
  expect(rowsOf(follower)).toEqual(expected);
  for (const [tip, root] of states) expect(toHex(follower.world.snapshot(tip, PUBLIC_DATA_TREE).root)).toBe(root);
});

test("a proposed block whose header states another root is refused", async () => {
  const l1 = new RecordedL1(recording, recording.checkpoints[5].l1.number - 1);
  const follower = node(l1, "refused");
  await follower.synchronizer.syncOnce();
  const before = rowsOf(follower);
  const [block] = blocks[5];
  const header = Uint8Array.from(block.record.header);
  header[72] ^= 1;
  const spoilt = { ...block, record: { ...block.record, header } };
  await expect(follower.synchronizer.addProposedBlock(spoilt)).rejects.toMatchObject({ name: "StateMismatchError" });
  expect(rowsOf(follower)).toEqual(before);
});

test("a node that is killed at any moment while it proposes blocks ends in the same rows", {
  timeout: 300_000,
}, async () => {
  const file = join(folder, "recording");
  writeFileSync(file, serialize({ recording, blocks }));
  const script = fileURLToPath(new URL("./proposing-process.ts", import.meta.url));
  const path = join(folder, "killed");
  for (let kill = 0; kill < 6; kill++) {
    const child = fork(script, [file, path], {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    const exited = once(child, "exit");
    let told = 0;
    const ended = child.exitCode;
    expect(ended).toBe(null);
    await new Promise<void>((resolve) => {
      child.on("message", () => (told++ === kill ? resolve() : undefined));
      child.on("exit", () => resolve());
    });
    await sleep(Math.random() * 30);
    child.kill("SIGKILL");
    const [code, signal] = await exited;
    expect(signal === "SIGKILL" || code === 0, `ended with ${code}`).toBe(true);
    const l1 = new RecordedL1(recording);
    const found = recordedNode(core, l1, path);
    expect(found.world.status().tip).toBe(found.chain.latestBlockNumber());
    await found.close();
  }
  const final = node(new RecordedL1(recording), "killed");
  await final.synchronizer.syncOnce();
  expect(rowsOf(final)).toEqual(expected);
});
