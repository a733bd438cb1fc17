import { randomBytes } from "node:crypto";
import { bigUintBytes } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";
import type { VmRules } from "../../protocol/generations/execution.ts";
import type { Gas } from "./gas.ts";
import type { Program } from "./program.ts";
import type { RunRequest } from "./run.ts";
import type { VmExports, VmImports } from "./vm-exports.ts";

const MAIL_WORDS = 4;
const PAGE = 65536;

/** Byte offsets in a frame, see assembly/vm/frame.ts. */
const FRAME = {
  program: 4,
  instruction: 8,
  givenL2: 40,
  givenDA: 44,
  stackUsed: 52,
  isStatic: 60,
  dataSize: 68,
  callPc: 92,
  addressWord: 160,
} as const;

/** Byte offset of the pc in an instruction, see assembly/vm/program.ts. */
const INSTRUCTION_PC = 12;

interface VmSettings {
  readonly rules: VmRules;
  /** Maximum size of the memory in bytes. */
  readonly memoryBytes: number;
}

/** One instance of the module with views of its memory. Any call may grow the memory, which invalidates the views. */
export class VmInstance {
  readonly exports: VmExports;
  readonly #programs = new Map<Program, number>();
  readonly #mailAt: number;
  #bytes: Uint8Array;
  #view: DataView;
  #mail: readonly Uint8Array[] = [];
  #calldata = 0;
  #calldataBytes = 0;

  constructor(module: WebAssembly.Module, imports: VmImports, { rules, memoryBytes }: VmSettings) {
    this.exports = new WebAssembly.Instance(module, { host: imports }).exports as VmExports;
    this.exports.initialize();
    this.exports.setRules(rules.pointCells, rules.pointAdditionGas, rules.copiedWordGas, rules.instanceMembers);
    this.exports.setMemoryLimit(Math.floor(memoryBytes / PAGE));
    const seeds = randomBytes(8);
    this.exports.seedFarTables(seeds.readInt32LE(0), seeds.readInt32LE(4));
    this.#mailAt = this.exports.mailAt();
    this.#bytes = new Uint8Array(0);
    this.#view = new DataView(this.#bytes.buffer);
    this.#refresh();
  }

  /** The whole memory. */
  get bytes(): Uint8Array {
    if (this.#bytes.buffer !== this.exports.memory.buffer) this.#refresh();
    return this.#bytes;
  }

  /** Words that module and host exchange, see MAIL in assembly/vm/host.ts. */
  get mail(): readonly Uint8Array[] {
    if (this.#bytes.buffer !== this.exports.memory.buffer) this.#refresh();
    return this.#mail;
  }

  u32(at: number): number {
    if (this.#bytes.buffer !== this.exports.memory.buffer) this.#refresh();
    return this.#view.getUint32(at, true);
  }

  /** Size of the instance's memory; it never shrinks. */
  get memoryBytes(): number {
    return this.exports.memory.buffer.byteLength;
  }

  /** Creates the frame of a run and makes it the current one. */
  prepare(request: RunRequest, debugLogs: boolean): number {
    const { calldata, globals, gas } = request;
    const at = this.exports.requestAt();
    const words = [
      request.address,
      request.sender,
      request.transactionFee,
      globals.chainId,
      globals.version,
      bigUintBytes(BigInt(globals.blockNumber), 32),
      bigUintBytes(globals.timestamp, 32),
      bigUintBytes(globals.feePerL2Gas, 32),
      bigUintBytes(globals.feePerDaGas, 32),
    ];
    this.#calldataBytes = Math.max(calldata.length, 32);
    this.#calldata = this.exports.allocate(this.#calldataBytes) >>> 0;
    const { bytes } = this;
    for (const [i, word] of words.entries()) bytes.set(word, at + i * 32);
    bytes.set(calldata, this.#calldata);
    const isStatic = request.isStatic ? 1 : 0;
    const fields = calldata.length / 32;
    return this.exports.prepare(this.#calldata, fields, isStatic, gas.l2, gas.da, debugLogs ? 1 : 0) >>> 0;
  }

  /** Frees the frames and the calldata of the run. */
  finish(): void {
    this.exports.finish();
    if (this.#calldata !== 0) this.exports.release(this.#calldata, this.#calldataBytes);
    this.#calldata = 0;
  }

  /** Gas of the running frame. */
  gasLeft(): Gas {
    return { l2: this.exports.gasL2.value >>> 0, da: this.exports.gasDA.value >>> 0 };
  }

  /** Returns the program's address; loads the program if necessary. */
  address(program: Program): number {
    let at = this.#programs.get(program);
    if (at === undefined) {
      const { bytecode } = program;
      const copy = this.exports.allocate(Math.max(bytecode.length, 1)) >>> 0;
      this.bytes.set(bytecode, copy);
      at = this.exports.newProgram(copy, bytecode.length) >>> 0;
      this.#programs.set(program, at);
    }
    return at;
  }

  /** Bytes used by loaded programs. */
  get programBytes(): number {
    return this.exports.programBytes.value >>> 0;
  }

  frameAddress(frame: number): Fr {
    return this.bytes.slice(frame + FRAME.addressWord, frame + FRAME.addressWord + 32);
  }

  frameGas(frame: number): Gas {
    return { l2: this.u32(frame + FRAME.givenL2), da: this.u32(frame + FRAME.givenDA) };
  }

  frameIsStatic(frame: number): boolean {
    return this.u32(frame + FRAME.isStatic) !== 0;
  }

  /** pc of the call that created the frame. */
  frameCallPc(frame: number): number {
    return this.u32(frame + FRAME.callPc);
  }

  /** pc of the instruction at which a stopped frame continues. */
  framePc(frame: number): number {
    return this.u32(this.u32(frame + FRAME.instruction) + INSTRUCTION_PC);
  }

  /** pcs of the frame's active INTERNALCALLs, outermost first. */
  internalCallPcs(frame: number): number[] {
    const used = this.u32(frame + FRAME.stackUsed);
    return Array.from({ length: used }, (_, depth) => this.exports.internalCallPc(frame, depth) >>> 0);
  }

  /** The first fields of the frame's calldata, at most `most`. */
  calldata(frame: number, most: number): Uint8Array {
    const count = Math.min(this.u32(frame + FRAME.dataSize), most);
    return this.#words(count, (out) => this.exports.calldataToWords(frame, count, out));
  }

  /** The bytes of a memory cell, see assembly/vm/cell.ts. */
  cell(frame: number, address: number): Uint8Array {
    return this.#words(1, (out) => this.exports.peek(frame, address, out));
  }

  /** `count` cells of a frame's memory as fields; addresses wrap. */
  memory(frame: number, address: number, count: number): Uint8Array {
    return this.#words(count, (out) => this.exports.memoryToWords(frame, address, count, out));
  }

  #words(count: number, write: (out: number) => void): Uint8Array {
    if (count === 0) return new Uint8Array(0);
    const out = this.exports.allocate(count * 32) >>> 0;
    write(out);
    const words = this.bytes.slice(out, out + count * 32);
    this.exports.release(out, count * 32);
    return words;
  }

  #refresh(): void {
    const { buffer } = this.exports.memory;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
    this.#mail = Array.from({ length: MAIL_WORDS }, (_, i) => new Uint8Array(buffer, this.#mailAt + i * 32, 32));
  }
}
