import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Extended, inStateProcess } from "./state-processes.ts";

/** A large state on disk, and what making it told. */
export interface LargeState {
  readonly directory: string;
  /** Leaves of the nullifier tree and of the public data tree below the real blocks. */
  readonly leaves: number;
  /** Blocks of 64 nullifiers on top. */
  readonly ofNullifiers: Extended;
  /** The latest block, and one 1,000 real blocks before it. */
  readonly tip: number;
  readonly past: number;
}

const FULL = { leaves: 1_000_000, nullifierBlocks: 400, mixedBlocks: 650, back: 1000 };
const QUICK = { leaves: 20_000, nullifierBlocks: 10, mixedBlocks: 15, back: 20 };

/**
 * The state that several suites measure, made on first use: synthetic leaves, then real blocks, so that looking back passes through versions
 * of tiles, leaves and slots that blocks have replaced.
 */
export class LargeStateOnDemand {
  readonly #quick: boolean;
  readonly #progress: (text: string) => void;
  readonly #folder = mkdtempSync(join(tmpdir(), "svc-bench-state-"));
  #made: Promise<LargeState> | undefined;

  constructor(quick: boolean, progress: (text: string) => void) {
    this.#quick = quick;
    this.#progress = progress;
  }

  get(): Promise<LargeState> {
    this.#made ??= this.#make();
    return this.#made;
  }

  async #make(): Promise<LargeState> {
    const { leaves, nullifierBlocks, mixedBlocks, back } = this.#quick ? QUICK : FULL;
    const directory = this.#folder;
    this.#progress(
      `making a state of ${leaves} nullifiers and as many slots, ${nullifierBlocks + mixedBlocks} blocks on top`,
    );
    await inStateProcess("fill", directory, leaves, leaves);
    const ofNullifiers = await inStateProcess<Extended>("extend", directory, nullifierBlocks, 64, 0);
    await inStateProcess<Extended>("extend", directory, mixedBlocks, 16, 16);
    // The synthetic state is that of block 1.
    const tip = 1 + nullifierBlocks + mixedBlocks;
    return { directory, leaves, ofNullifiers, tip, past: tip - back };
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
