import { randomFillSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { type BbAnswer, decodeAnswer } from "./bb-api.ts";

/** The module imports its memory, shared and with these bounds in pages of 64 KiB. */
const BOUNDS = { initial: 36, maximum: 65_536, shared: true };
/** Room for the place and length of an answer, which the module reads and writes, and for a short answer. */
const SCRATCH_BYTES = 4096;
const SCRATCH_HEAD = 8;

/** A check in the module's code failed: it cannot throw across its frames, so the instance must not be used again. */
export class BbAbortError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BbAbortError";
  }
}

interface BbExports {
  _initialize(): void;
  bbmalloc(bytes: number): number;
  bbfree(at: number): void;
  bbapi(input: number, length: number, outputAt: number, outputLength: number): void;
}

/** Compiles the gzipped module of the package. */
export function compileBb(path: string): WebAssembly.Module {
  return new WebAssembly.Module(gunzipSync(readFileSync(path)));
}

/** An instance of bb in WebAssembly, with one thread. */
export class BbInstance {
  readonly #memory = new WebAssembly.Memory(BOUNDS);
  readonly #exports: BbExports;
  readonly #scratch: number;

  constructor(module: WebAssembly.Module) {
    const instance = new WebAssembly.Instance(module, this.#imports());
    this.#exports = instance.exports as unknown as BbExports;
    this.#exports._initialize();
    this.#scratch = this.#exports.bbmalloc(SCRATCH_BYTES) >>> 0;
  }

  /** Bytes of memory that the instance has taken. It never gives memory back. */
  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /** Throws a BbAbortError, after which the instance must not be used, or a BbAnswerError. */
  call(command: Uint8Array): BbAnswer {
    const { bbmalloc, bbfree, bbapi } = this.#exports;
    const input = bbmalloc(command.length) >>> 0;
    this.#bytes().set(command, input);
    const head = new DataView(this.#memory.buffer, this.#scratch, SCRATCH_HEAD);
    head.setUint32(0, this.#scratch + SCRATCH_HEAD, true);
    head.setUint32(4, SCRATCH_BYTES - SCRATCH_HEAD, true);
    bbapi(input, command.length, this.#scratch, this.#scratch + 4);
    // The memory may have grown, which leaves views of the old size.
    const answered = new DataView(this.#memory.buffer, this.#scratch, SCRATCH_HEAD);
    const [at, length] = [answered.getUint32(0, true), answered.getUint32(4, true)];
    const answer = this.#bytes().slice(at, at + length);
    if (at !== this.#scratch + SCRATCH_HEAD) bbfree(at);
    bbfree(input);
    return decodeAnswer(answer);
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.#memory.buffer);
  }

  #text(at: number): string {
    const bytes = this.#bytes();
    const from = at >>> 0;
    return Buffer.from(bytes.slice(from, bytes.indexOf(0, from))).toString("latin1");
  }

  #imports() {
    const none = (name: string) => () => {
      throw new BbAbortError(`${name} is not available`);
    };
    return {
      env: {
        memory: this.#memory,
        env_hardware_concurrency: () => 1,
        logstr: () => {},
        throw_or_abort_impl: (at: number) => {
          throw new BbAbortError(this.#text(at));
        },
      },
      wasi: { "thread-spawn": none("a second thread") },
      wasi_snapshot_preview1: {
        clock_time_get: (_clock: number, _precision: bigint, at: number) => {
          new DataView(this.#memory.buffer).setBigUint64(at >>> 0, BigInt(Date.now()) * 1_000_000n, true);
          return 0;
        },
        random_get: (at: number, length: number) => {
          this.#bytes().set(randomFillSync(new Uint8Array(length)), at >>> 0);
          return 0;
        },
        proc_exit: none("an exit"),
      },
    };
  }
}
