import { createReadStream, readdirSync, rmSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeFolder } from "../storage/make-folder.ts";
import type { FullL1Block } from "./development-l1.ts";

/** A word of L1's storage that was set while `at` was the latest block; 0x texts. */
export interface SetWord {
  at: number;
  address: string;
  slot: string;
  word: string;
}

type JournalEntry = { block: FullL1Block; word?: undefined } | { word: SetWord; block?: undefined };

const SEGMENT = /^(\d+)\.jsonl$/;

/**
 * Journal of a development L1 since the last copy of its state: mined blocks with their raw transactions, blobs
 * included, and storage words that were set. An entry is one line of JSON, synced to disk when append() resolves; a
 * truncated line is ignored. A segment, `<number>.jsonl`, holds what came after L1 block `number`.
 */
export class L1Journal {
  readonly #folder: string;
  #segment: { first: number; file: FileHandle; bytes: number } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Size in bytes of the current segment. */
  get bytes(): number {
    return this.#segment?.bytes ?? 0;
  }

  /** Starts a new segment; earlier ones stay. */
  async begin(first: number): Promise<void> {
    makeFolder(this.#folder);
    const before = this.#segment;
    const file = await open(join(this.#folder, `${first}.jsonl`), "a");
    // An existing segment of the same number may end in a truncated line.
    if ((await file.stat()).size > 0) await file.appendFile("\n");
    this.#segment = { first, file, bytes: 0 };
    await before?.file.close();
  }

  async append(entry: JournalEntry): Promise<void> {
    if (this.#segment === undefined) return;
    const line = `${JSON.stringify(entry)}\n`;
    await this.#segment.file.appendFile(line);
    await this.#segment.file.datasync();
    this.#segment.bytes += line.length;
  }

  /** Removes the segments before that of L1 block `first`: the copy of L1's state includes them. */
  dropBefore(first: number): void {
    for (const segment of segments(this.#folder)) {
      if (segment.first < first) rmSync(segment.path, { force: true });
    }
  }

  /** Removes all segments. None may be begun. */
  clear(): void {
    this.dropBefore(Number.POSITIVE_INFINITY);
  }

  async close(): Promise<void> {
    const segment = this.#segment;
    this.#segment = undefined;
    await segment?.file.close();
  }
}

function segments(folder: string): { first: number; path: string }[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  return names
    .flatMap((name) => {
      const found = SEGMENT.exec(name);
      return found === null ? [] : [{ first: Number(found[1]), path: join(folder, name) }];
    })
    .sort((a, b) => a.first - b.first);
}

/** All entries, oldest first. */
export async function* readJournal(folder: string): AsyncGenerator<JournalEntry> {
  for (const { path } of segments(folder)) {
    const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
    for await (const line of lines) {
      const entry = parse(line);
      if (entry !== undefined) yield entry;
    }
  }
}

/** Undefined for a truncated or empty line. */
function parse(line: string): JournalEntry | undefined {
  try {
    return JSON.parse(line) as JournalEntry;
  } catch {
    return undefined;
  }
}
