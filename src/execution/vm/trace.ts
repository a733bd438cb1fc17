import type { Fr } from "../../protocol/field.ts";
import type { Gas } from "./gas.ts";

/** A cell of memory: tag 0 to 6 (sheet 05 section 2) and value. */
export interface Cell {
  readonly tag: number;
  readonly value: bigint;
}

/** The state between two instructions, valid until the callback returns. */
export interface TraceState {
  /** Frames on top of each other; 1 for the run's own. */
  readonly depth: number;
  readonly contract: Fr;
  readonly bytecode: Uint8Array;
  /** pc of the instruction that comes next. */
  readonly pc: number;
  readonly gas: Gas;
  /** Cell of the running frame. */
  cell(address: number): Cell;
}

/** Called before every instruction. */
export type Tracer = (state: TraceState) => void;
