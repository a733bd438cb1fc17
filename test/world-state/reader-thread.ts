import { parentPort, workerData } from "node:worker_threads";
import { loadCore } from "../../src/core/load-core.ts";
import { equal } from "../../src/protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { openStore } from "../../src/storage/store.ts";
import { writePreimage } from "../../src/world-state/indexed-overlay.ts";
import type { StateAt } from "../../src/world-state/types.ts";
import { WorldState } from "../../src/world-state/world-state.ts";

/**
 * Reads witnesses of the latest and of earlier blocks until `stop` is set, each checked against the root of its state. Says "reading"
 * after the first, and reports at the end.
 */
export interface ReaderThreadData {
  path: string;
  stop: SharedArrayBuffer;
}

export interface ReaderThreadReport {
  checked: number;
  wrong: string[];
  /** Different states that were the latest. */
  latestRoots: number;
}

const { path, stop } = workerData as ReaderThreadData;
const core = loadCore();
const store = openStore({ path, readOnly: true });
const world = new WorldState(core, store, []);
const stopped = new Int32Array(stop);

function hashesToRoot(state: StateAt, tree: 0 | 2, key: Uint8Array): boolean {
  const { leaf } = state.lowLeaf(tree, key);
  const preimage = new Uint8Array(tree === NULLIFIER_TREE ? 96 : 128);
  writePreimage(leaf, preimage, 0);
  let node = core.hash(preimage);
  const siblings = state.siblingPath(tree, leaf.index);
  for (let at = 0, i = leaf.index; at < siblings.length; at += 32, i = Math.floor(i / 2)) {
    const sibling = siblings.subarray(at, at + 32);
    node = core.hash(Buffer.concat(i % 2 === 1 ? [sibling, node] : [node, sibling]));
  }
  return equal(node, state.snapshot(tree).root);
}

const report: ReaderThreadReport = { checked: 0, wrong: [], latestRoots: 0 };
const roots = new Set<string>();
for (let round = 0; Atomics.load(stopped, 0) === 0; round++) {
  const { tip, oldest } = world.status();
  const latest = world.at("latest");
  roots.add(Buffer.from(latest.snapshot(NULLIFIER_TREE).root).toString("hex"));
  const earlier = world.at(oldest + ((round * 7) % (tip - oldest + 1)));
  const key = fr((BigInt(round) * 0x9e3779b97f4a7c15n) % 2n ** 40n);
  for (const state of [latest, earlier]) {
    for (const tree of [NULLIFIER_TREE, PUBLIC_DATA_TREE] as const) {
      if (!hashesToRoot(state, tree, key)) report.wrong.push(`block ${state.block} tree ${tree} key ${key}`);
      report.checked++;
    }
  }
  if (round === 0) parentPort?.postMessage("reading");
  await new Promise((resolve) => setTimeout(resolve, 1));
}
report.latestRoots = roots.size;
await store.close();
parentPort?.postMessage(report);
