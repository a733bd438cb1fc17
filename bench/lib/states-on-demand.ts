import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startOwnNode, startRecordedL1 } from "./recorded-nodes.ts";
import { inStateProcess, type Size, type Taken } from "./state-processes.ts";

/** A large state on disk, and figures from making it. */
export interface LargeState {
  readonly directory: string;
  /** Leaves of the nullifier tree and of the public data tree below the real blocks. */
  readonly leaves: number;
  /** Cost of the blocks of 64 nullifiers on top, and the size that they added to the store. */
  readonly ofNullifiers: Taken & Size;
  /** The latest block, and the block 1,000 real blocks before it. */
  readonly tip: number;
  readonly past: number;
}

/** One of several states with nullifier trees of different sizes, with a few real blocks on top. */
export interface GrowingState {
  readonly directory: string;
  readonly leaves: number;
}

/** A data directory with which a node follows the recorded chain, but for a larger nullifier tree (node-store.ts). */
export interface NodeState {
  readonly directory: string;
  /** Folder of its chain store. */
  readonly chain: string;
  readonly leaves: number;
}

export type StateKind = "large" | "growing" | "node";

const FULL = {
  large: { leaves: 1_000_000, nullifierBlocks: 400, mixedBlocks: 650, back: 1000 },
  growing: { sizes: [10_000, 100_000, 1_000_000, 10_000_000], blocks: 20 },
};
const QUICK = {
  large: { leaves: 20_000, nullifierBlocks: 10, mixedBlocks: 15, back: 20 },
  growing: { sizes: [1_000, 10_000], blocks: 2 },
};
/** Blocks per commit, as in a sync. */
const TOGETHER = 50;

/**
 * Synthetic leaves, then real blocks, so that reads of old states meet replaced versions of tiles, leaves and slots.
 */
async function makeLarge(directory: string, { leaves, nullifierBlocks, mixedBlocks, back }: typeof FULL.large) {
  await inStateProcess("fill", directory, leaves, leaves);
  const before = await inStateProcess<Size>("size", directory);
  const taken = await inStateProcess<Taken>("extend", directory, nullifierBlocks, 64, 0, TOGETHER);
  const { bytes } = await inStateProcess<Size>("size", directory);
  await inStateProcess("extend", directory, mixedBlocks, 16, 16, TOGETHER);
  // The synthetic state is the state after block 1.
  const tip = 1 + nullifierBlocks + mixedBlocks;
  return { directory, leaves, ofNullifiers: { ...taken, bytes: bytes - before.bytes }, tip, past: tip - back };
}

async function makeGrowing(directory: string, leaves: number, blocks: number): Promise<GrowingState> {
  await inStateProcess("fill", directory, leaves, 0);
  await inStateProcess("extend", directory, blocks, 64, 0);
  return { directory, leaves };
}

/** Gives `directory` to a node of the recorded chain, and puts a copy of a synthetic state into its store. */
async function makeNode(directory: string, { directory: state, leaves }: GrowingState): Promise<NodeState> {
  const l1 = await startRecordedL1();
  try {
    const node = await startOwnNode(l1, { flags: ["--data-directory", directory] });
    await node.process.stop();
  } finally {
    l1.stop();
  }
  const chain = join(directory, "chain");
  const recorded = `${directory}-recorded`;
  renameSync(chain, recorded);
  mkdirSync(chain);
  copyFileSync(join(state, "data.mdb"), join(chain, "data.mdb"));
  await inStateProcess("become-node", chain, recorded);
  return { directory, chain, leaves };
}

/**
 * The states that suites measure, made on first use. All wanted states are made together, because making one keeps a
 * processor busy, which would disturb measurements.
 */
export class StatesOnDemand {
  readonly #wanted: readonly StateKind[];
  readonly #sizes: typeof FULL;
  readonly #progress: (text: string) => void;
  #folder: string | undefined;
  #large: Promise<LargeState> | undefined;
  readonly #bySize = new Map<number, Promise<GrowingState>>();
  #node: Promise<NodeState> | undefined;

  constructor(wanted: readonly StateKind[], quick: boolean, progress: (text: string) => void) {
    this.#wanted = wanted;
    this.#sizes = quick ? QUICK : FULL;
    this.#progress = progress;
  }

  large(): Promise<LargeState> {
    return this.#withAllWanted(this.#startLarge());
  }

  /** In ascending order of size. */
  growing(): Promise<GrowingState[]> {
    return this.#withAllWanted(this.#startGrowing());
  }

  /** With the largest of the growing trees. */
  node(): Promise<NodeState> {
    return this.#withAllWanted(this.#startNode());
  }

  async #withAllWanted<T>(state: Promise<T>): Promise<T> {
    const start = {
      large: () => this.#startLarge(),
      growing: () => this.#startGrowing(),
      node: () => this.#startNode(),
    };
    await Promise.allSettled([state, ...this.#wanted.map((kind) => start[kind]())]);
    return state;
  }

  #startLarge(): Promise<LargeState> {
    this.#large ??= this.#makeLarge();
    return this.#large;
  }

  async #startGrowing(): Promise<GrowingState[]> {
    const made = this.#sizes.growing.sizes.map((leaves) => this.#startOfSize(leaves));
    await Promise.allSettled(made);
    return Promise.all(made);
  }

  #startOfSize(leaves: number): Promise<GrowingState> {
    let state = this.#bySize.get(leaves);
    if (state === undefined) {
      this.#progress(`making a state of ${leaves} nullifiers`);
      state = makeGrowing(this.#directory(String(leaves)), leaves, this.#sizes.growing.blocks);
      this.#bySize.set(leaves, state);
    }
    return state;
  }

  #startNode(): Promise<NodeState> {
    this.#node ??= this.#startOfSize(Math.max(...this.#sizes.growing.sizes)).then((largest) =>
      makeNode(this.#directory("node"), largest),
    );
    return this.#node;
  }

  async #makeLarge(): Promise<LargeState> {
    const { leaves, nullifierBlocks, mixedBlocks } = this.#sizes.large;
    const blocks = nullifierBlocks + mixedBlocks;
    this.#progress(`making a state of ${leaves} nullifiers and as many slots, ${blocks} blocks on top`);
    return makeLarge(this.#directory("large"), this.#sizes.large);
  }

  #directory(name: string): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), "svc-bench-state-"));
    const directory = join(this.#folder, name);
    mkdirSync(directory);
    return directory;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}
