import { rename } from "node:fs/promises";
import { oneAtATime } from "../events/one-at-a-time.ts";
import type { NodeLogger } from "../process/logging/logging.ts";
import { toHex } from "../protocol/bytes.ts";
import type { DevelopmentL1 } from "./development-l1.ts";
import { L1Journal } from "./l1-journal.ts";
import type { AnvilStarts } from "./lasting-anvil.ts";
import { replayJournal } from "./replay-journal.ts";

/** Shortest pause between two copies; copying may take a twentieth of the time. Milliseconds. */
const MIN_PAUSE_MS = 30_000;
const SHARE = 20;
/** Interval between checks for new L1 blocks. Milliseconds. */
const LOOK_MS = 50;
/** A larger journal triggers a copy early. */
const MAX_JOURNAL_BYTES = 128 * 1024 * 1024;

interface StateKeeperOptions {
  /** RPC without retries: a failed call is retried later. */
  l1: DevelopmentL1;
  /** An L1 at another URL, asked in the same way. */
  l1At(url: string): DevelopmentL1;
  /** The copy that an L1 starts from. */
  stateFile: string;
  /** Folder of the journal. */
  journal: string;
  log: NodeLogger;
}

/**
 * Keeps the chain of a development L1 on disk in case L1 is killed or the machine stops (on a regular exit L1 writes
 * its state itself). A copy is made from time to time; in between, each block is appended to a journal within about
 * LOOK_MS, which bounds what can be lost. The node's own store then follows L1 back.
 */
export class StateKeeper {
  readonly #options: StateKeeperOptions;
  readonly #journal: L1Journal;
  /** Serializes everything that compares the journal with L1 or replaces L1's state. */
  readonly #exclusive = oneAtATime();
  #copyTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;
  #copying: Promise<void> | undefined;
  #stopped = false;
  /** Counts the starts of L1: a copy begun before the last start is discarded. */
  #starts = 0;
  /** The last journaled block; undefined until there is a copy to build on. */
  #last: { number: number; hash: string } | undefined;
  #copiedHeight = -1;
  /** Whether L1 went back: its journal is of another chain, and a new copy replaces it. */
  #rewound = false;
  #failing = false;

  constructor(options: StateKeeperOptions) {
    this.#options = options;
    this.#journal = new L1Journal(options.journal);
  }

  /** Called when a word of L1's storage was set while block `at` was the latest. */
  async storageSet(at: number, address: string, slot: Uint8Array, word: Uint8Array): Promise<void> {
    if (this.#last === undefined) return;
    const entry = { word: { at, address, slot: toHex(slot), word: toHex(word) } };
    await this.#exclusive(async () => {
      // Earlier blocks must precede it in the journal.
      await this.#writeBlocks(at);
      await this.#journal.append(entry);
    });
  }

  /** Brings an L1 that was just started from its copy to where it was, and goes on from there. */
  restore(interval: number): Promise<void> {
    return this.#restore(interval, async () => {});
  }

  /**
   * Starts an L1 that ended by itself, and goes on from where it was. The running node and others follow its port, so
   * what answers there is already at the last block: the copy is brought up to it by an L1 that only the keeper knows.
   */
  restart(interval: number, { aside, start }: AnvilStarts): Promise<void> {
    return this.#restore(interval, async () => {
      const hidden = await aside();
      try {
        const { l1At, journal, log } = this.#options;
        const l1 = l1At(hidden.url);
        await replayJournal(l1, journal, log);
        await rename(await this.#writePart(l1), this.#options.stateFile);
      } finally {
        await hidden.stop();
      }
      await start();
    });
  }

  /** Takes over an L1 that `start` starts from another copy, without a journal. */
  replace(interval: number, start: () => Promise<void>): Promise<void> {
    return this.#restore(interval, start);
  }

  /** Stops keeping anything until the next copy(), while `start` starts an L1 with a new chain. */
  async renew(start: () => Promise<void>): Promise<void> {
    this.#starts++;
    clearTimeout(this.#copyTimer);
    await this.#copying;
    await this.#exclusive(async () => {
      this.#last = undefined;
      this.#copiedHeight = -1;
      await this.#journal.close();
      await start();
    });
  }

  /** Makes a copy after L1 went back to an earlier block, which a journal of blocks cannot express. */
  async wentBack(): Promise<void> {
    // A copy that has begun is of the blocks that are gone.
    this.#starts++;
    this.#rewound = true;
    await this.#copying;
    await this.copy();
  }

  async #restore(interval: number, start: () => Promise<void>): Promise<void> {
    this.#starts++;
    clearTimeout(this.#copyTimer);
    await this.#copying;
    const { l1, journal, log } = this.#options;
    const complete = await this.#exclusive(async () => {
      this.#last = undefined;
      await this.#journal.close();
      await start();
      const replayed = await replayJournal(l1, journal, log);
      // The next block is journaled like any other.
      await this.#begin();
      await l1.resume(interval);
      return replayed;
    });
    this.#schedule(complete ? MIN_PAUSE_MS : 0);
    this.#look();
  }

  /** Whether there is a copy to start L1 from. */
  get hasCopy(): boolean {
    return this.#last !== undefined;
  }

  /** Makes a copy now; later blocks are journaled. */
  async copy(): Promise<void> {
    clearTimeout(this.#copyTimer);
    this.#copying ??= this.#copy().finally(() => {
      this.#copying = undefined;
    });
    await this.#copying;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#copyTimer);
    clearTimeout(this.#lookTimer);
    await this.#copying;
    await this.#exclusive(() => this.#journal.close());
  }

  /** Starts a segment after the latest block. */
  async #begin(): Promise<number> {
    const { number, hash } = await this.#options.l1.latestFull();
    await this.#journal.begin(number);
    this.#last = { number, hash };
    return number;
  }

  /** Writes a state beside the copy, for a rename. Returns its file. */
  async #writePart(l1: DevelopmentL1): Promise<string> {
    const part = `${this.#options.stateFile}.part`;
    await l1.writeState(part);
    return part;
  }

  #schedule(pauseMs: number): void {
    if (this.#stopped) return;
    clearTimeout(this.#copyTimer);
    this.#copyTimer = setTimeout(() => void this.copy(), pauseMs);
    this.#copyTimer.unref();
  }

  async #copy(): Promise<void> {
    const { l1, stateFile, log } = this.#options;
    const began = performance.now();
    const starts = this.#starts;
    try {
      if (this.#rewound) await this.#copyRewound();
      else if ((await l1.height()) !== this.#copiedHeight || this.#last === undefined) {
        const first = await this.#exclusive(async () => {
          await this.#writeBlocks();
          return await this.#begin();
        });
        const part = await this.#writePart(l1);
        await this.#exclusive(async () => {
          if (starts !== this.#starts || this.#rewound) return;
          await rename(part, stateFile);
          this.#journal.dropBefore(first);
          this.#copiedHeight = first;
          log.debug({ height: first }, "saved a copy of L1's state");
        });
      }
    } catch (error) {
      if (!this.#stopped) log.warn({ err: error }, "saving L1's state failed: trying again");
    }
    this.#look();
    this.#schedule(Math.max(MIN_PAUSE_MS, SHARE * (performance.now() - began)));
  }

  /** Makes a copy that replaces the journal too: segments of the earlier chain would continue the copy. */
  #copyRewound(): Promise<void> {
    const { l1, stateFile, log } = this.#options;
    return this.#exclusive(async () => {
      this.#last = undefined;
      await this.#journal.close();
      const height = await l1.height();
      await rename(await this.#writePart(l1), stateFile);
      this.#journal.clear();
      this.#rewound = false;
      // A block that was mined meanwhile is in neither: the next copy has it.
      this.#copiedHeight = (await this.#begin()) === height ? height : -1;
      log.debug({ height }, "saved a copy of L1's state, which went back");
    });
  }

  /** Checks for new blocks now and periodically. */
  #look(): void {
    if (this.#stopped) return;
    clearTimeout(this.#lookTimer);
    this.#lookTimer = setTimeout(() => {
      this.#exclusive(() => this.#writeBlocks())
        .then(() => this.#succeeded())
        .catch((error: unknown) => this.#failed(error))
        .finally(() => this.#look());
    }, LOOK_MS);
    this.#lookTimer.unref();
  }

  /** Journals what L1 has mined since, up to block `limit`. */
  async #writeBlocks(limit = Number.POSITIVE_INFINITY): Promise<void> {
    const { l1 } = this.#options;
    if (this.#last === undefined || this.#stopped) return;
    const height = Math.min(await l1.height(), Math.max(limit, this.#last.number));
    let goesOn = height >= this.#last.number;
    while (goesOn && this.#last.number < height) {
      const block = await l1.fullBlock(this.#last.number + 1);
      goesOn = block.parentHash === this.#last.hash;
      if (!goesOn) break;
      await this.#journal.append({ block });
      this.#last = { number: block.number, hash: block.hash };
    }
    if (!goesOn) {
      this.#rewound = true;
      this.#last = undefined;
      this.#schedule(0);
    } else if (this.#journal.bytes > MAX_JOURNAL_BYTES) {
      this.#last = { number: height, hash: (await l1.fullBlock(height)).hash };
      this.#schedule(0);
    }
  }

  #succeeded(): void {
    this.#failing = false;
  }

  #failed(error: unknown): void {
    const { log } = this.#options;
    if (!this.#failing && !this.#stopped)
      log.warn({ err: error }, "writing L1's blocks to the journal failed: trying again");
    this.#failing = true;
  }
}
