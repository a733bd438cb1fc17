import { parentPort, workerData } from "node:worker_threads";
import { loadCore } from "../../../src/core/load-core.ts";
import { equal, fromHex } from "../../../src/protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { openStore } from "../../../src/storage/store.ts";
import { genesisContent } from "../../../src/world-state/genesis.ts";
import { writePreimage } from "../../../src/world-state/indexed-overlay.ts";
import type { IndexedLeaf } from "../../../src/world-state/tables/leaf-row.ts";
import type { LeafText, StateAt } from "../../../src/world-state/types.ts";
import { WorldState } from "../../../src/world-state/world-state.ts";

/**
 * Reads witnesses of the latest and of earlier blocks until `stop` is set, each checked against the root of its state.
 * Says "reading" after the first, and reports at the end.
 */
export interface ReaderThreadData {
  path: string;
  /** Commit counts of the store that writes. */
  commits: SharedArrayBuffer;
  /** Two 32-bit numbers: not 0 to stop, and how many latest states the thread has read. */
  stop: SharedArrayBuffer;
}

export interface ReaderThreadReport {
  checked: number;
  /** How many of these were read as text. */
  texts: number;
  wrong: string[];
  /** Number of different latest states that were read. */
  latestRoots: number;
}

const { path, commits, stop } = workerData as ReaderThreadData;
const core = loadCore();
const store = openStore({ path, commits, readOnly: true });
const world = new WorldState(core, store, genesisContent(V4, []));
const stopped = new Int32Array(stop);

const SLOT_TEXT: LeafText = ["0x", { of: "value" }, " "];
const LEAF_TEXT: LeafText = [
  { of: "index" },
  " 0x",
  { of: "key" },
  " 0x",
  { of: "nextKey" },
  " ",
  { of: "nextIndex" },
  " ",
  { of: "path" },
];
const TEXTS = { [NULLIFIER_TREE]: ["- ", ...LEAF_TEXT], [PUBLIC_DATA_TREE]: [...SLOT_TEXT, ...LEAF_TEXT] };

interface Witness {
  leaf: IndexedLeaf;
  siblings: Uint8Array;
}

function witnessOf(state: StateAt, tree: 0 | 2, key: Uint8Array): Witness {
  const { leaf } = state.lowLeaf(tree, key);
  return { leaf, siblings: state.siblingPath(tree, leaf.index) };
}

/** The same witness, read as text. */
function witnessInText(block: number | "latest", tree: 0 | 2, key: Uint8Array): Witness | undefined {
  const text = world.lowLeafText(block, tree, key, "either", TEXTS[tree]);
  if (text === undefined) return undefined;
  const [value, index, own, nextKey, nextIndex, path] = Buffer.from(text).toString().split(" ");
  const leaf = { index: Number(index), key: fromHex(own), nextKey: fromHex(nextKey), nextIndex: Number(nextIndex) };
  const siblings = Buffer.from(path, "base64").subarray(4);
  return { leaf: tree === NULLIFIER_TREE ? leaf : { ...leaf, value: fromHex(value) }, siblings };
}

function hashesToRoot(state: StateAt, tree: 0 | 2, { leaf, siblings }: Witness): boolean {
  const preimage = new Uint8Array(tree === NULLIFIER_TREE ? 96 : 128);
  writePreimage(leaf, preimage, 0);
  let node = core.hash(preimage);
  for (let at = 0, i = leaf.index; at < siblings.length; at += 32, i = Math.floor(i / 2)) {
    const sibling = siblings.subarray(at, at + 32);
    node = core.hash(Buffer.concat(i % 2 === 1 ? [sibling, node] : [node, sibling]));
  }
  return equal(node, state.snapshot(tree).root);
}

const report: ReaderThreadReport = { checked: 0, texts: 0, wrong: [], latestRoots: 0 };
const roots = new Set<string>();
for (let round = 0; Atomics.load(stopped, 0) === 0; round++) {
  store.version();
  const { tip, oldest } = world.status();
  const latest = world.at("latest");
  roots.add(Buffer.from(latest.snapshot(NULLIFIER_TREE).root).toString("hex"));
  Atomics.store(stopped, 1, roots.size);
  const earlier = world.at(oldest + ((round * 7) % (tip - oldest + 1)));
  const key = fr((BigInt(round) * 0x9e3779b97f4a7c15n) % 2n ** 40n);
  for (const state of [latest, earlier]) {
    for (const tree of [NULLIFIER_TREE, PUBLIC_DATA_TREE] as const) {
      const texts = [witnessInText(state === latest ? "latest" : state.block, tree, key)];
      for (const witness of [witnessOf(state, tree, key), ...texts]) {
        if (witness === undefined) continue;
        if (!hashesToRoot(state, tree, witness)) report.wrong.push(`block ${state.block} tree ${tree} key ${key}`);
        report.checked++;
        if (witness === texts[0]) report.texts++;
      }
    }
  }
  if (round === 0) parentPort?.postMessage("reading");
  await new Promise((resolve) => setTimeout(resolve, 1));
}
report.latestRoots = roots.size;
await store.close();
parentPort?.postMessage(report);
