import type { BlockRecord } from "../../../src/archiver/tables/records.ts";
import type { ChainReader } from "../../../src/archiver/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { CommitWatch } from "../../../src/storage/commit-watch.ts";
import { fakeChain, GENESIS_BLOCK } from "./fakes.ts";

/** A chain in memory that grows and loses blocks; each change is a commit. No two blocks have the same hash. */
export class MovingChain implements CommitWatch {
  blocks: BlockRecord[] = [GENESIS_BLOCK];
  bodies = new Map<number, Uint8Array>();
  marks = { checkpointed: 0, proven: 0, finalized: 0 };
  #made = 0;
  #version = 0;
  readonly #listeners = new Set<() => void>();

  get latest(): number {
    return this.blocks.length - 1;
  }

  hashes(): string[] {
    return this.blocks.map(({ hash }) => toHex(hash));
  }

  /** Removes the last `removed` blocks, but no final one, and adds others, in one commit. */
  change({ removed = 0, added = 0 }: { removed?: number; added?: number }): void {
    this.blocks.length = Math.max(this.blocks.length - removed, this.marks.finalized + 1);
    for (let i = 0; i < added; i++) {
      this.#made += 1;
      const hash = new Uint8Array(32);
      // In the first bytes too: cursors compare those.
      new DataView(hash.buffer).setUint32(1, this.#made);
      this.blocks.push({ ...GENESIS_BLOCK, number: this.blocks.length, hash });
    }
    for (const name of ["checkpointed", "proven"] as const) {
      this.marks[name] = Math.min(this.marks[name], this.latest);
    }
    this.commit();
  }

  /** Moves the tips of what is on L1. */
  mark(marks: Partial<MovingChain["marks"]>): void {
    Object.assign(this.marks, marks);
    this.commit();
  }

  commit(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  version(): number {
    return this.#version;
  }

  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  readonly reader: ChainReader = {
    ...fakeChain(),
    tips: () => {
      const id = (number: number) => ({ number, hash: toHex(this.blocks[number].hash) });
      const tip = (number: number) => ({ block: id(number), checkpoint: id(0) });
      const { checkpointed, proven, finalized } = this.marks;
      return {
        proposed: id(this.latest),
        checkpointed: tip(checkpointed),
        proven: tip(proven),
        finalized: tip(finalized),
      };
    },
    latestBlockNumber: () => this.latest,
    checkpointedBlockNumber: () => this.marks.checkpointed,
    provenBlockNumber: () => this.marks.proven,
    finalizedBlockNumber: () => this.marks.finalized,
    block: (number) => this.blocks[number],
    blockBody: (number) => (number <= this.latest ? (this.bodies.get(number) ?? new Uint8Array()) : undefined),
  };
}
