import type { Program } from "./program.ts";

/** Approximate size of an entry besides its bytecode. */
const ENTRY_BYTES = 256;

/** An LRU cache of programs by key, bounded by the size of their bytecode. */
export class ProgramCache {
  readonly #bound: number;
  readonly #programs = new Map<string, Program>();
  #bytes = 0;

  constructor(boundBytes: number) {
    this.#bound = boundBytes;
  }

  get(key: string): Program | undefined {
    const program = this.#programs.get(key);
    if (program !== undefined) {
      this.#programs.delete(key);
      this.#programs.set(key, program);
    }
    return program;
  }

  /** Adds a program; its key must not be in the cache. */
  add(program: Program): void {
    this.#programs.set(program.key, program);
    this.#bytes += program.bytecode.length + ENTRY_BYTES;
    for (const [key, oldest] of this.#programs) {
      if (this.#bytes <= this.#bound || oldest === program) break;
      this.#programs.delete(key);
      this.#bytes -= oldest.bytecode.length + ENTRY_BYTES;
    }
  }
}
