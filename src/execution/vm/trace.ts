import type { Fr } from "../../protocol/field.ts";
import type { Gas } from "./gas.ts";

/** A cell of memory: tag 0 to 6 (docs/protocol/06-public-execution.md#64-addressing) and value. */
export interface Cell {
  readonly tag: number;
  readonly value: bigint;
}

/** The state between two instructions, valid until the callback returns. */
export interface TraceState {
  /** Number of open frames; 1 in the run's own frame. */
  readonly depth: number;
  readonly contract: Fr;
  readonly bytecode: Uint8Array;
  /** pc of the next instruction. */
  readonly pc: number;
  readonly gas: Gas;
  /** Reads a memory cell of the running frame. */
  cell(address: number): Cell;
}

/** Called before every instruction. */
export type Tracer = (state: TraceState) => void;
