import type { Fr } from "../../protocol/field.ts";
import type { Gas } from "./gas.ts";

/**
 * The record of one frame, used for revert reasons of simulations
 * (docs/protocol/06-public-execution.md#631-revert-reasons).
 */
export interface CallRecord {
  readonly contract: Fr;
  /** pc of the CALL or STATICCALL in the caller; 0 for an enqueued call. */
  readonly callerPc: number;
  /** First fields of the calldata, n x 32. */
  readonly calldata: Uint8Array;
  readonly isStatic: boolean;
  /** Gas given to the frame; for an enqueued call, including what the transaction had used before it. */
  readonly gasLimit: Gas;
  /** First fields of its return or revert data, n x 32; empty when it halted. */
  output: Uint8Array;
  /** pcs of the INTERNALCALLs active at the exit, outermost first, then the pc of the exit. */
  exitPcs: readonly number[];
  /** Why it ended other than by RETURN. */
  haltMessage?: string;
  reverted: boolean;
  readonly nested: CallRecord[];
}

/** Limits on what is recorded of a transaction's frames. */
export interface CallRecordCaps {
  /** Fields of calldata. */
  readonly calldata: number;
  /** Fields of output. */
  readonly output: number;
  /** Nesting depth; the enqueued call has depth 1. */
  readonly depth: number;
  /** Frames of the transaction. */
  readonly items: number;
}

export const DEFAULT_CALL_RECORD_CAPS: CallRecordCaps = { calldata: 300, output: 300, depth: 5, items: 100 };

/**
 * Collects the frames of a transaction's runs. A frame beyond a cap is left out, and so are the frames nested in it.
 */
export class CallRecords {
  /** One per run, in order. */
  readonly roots: CallRecord[] = [];
  readonly caps: CallRecordCaps;
  readonly #open: (CallRecord | undefined)[] = [];
  #items = 0;

  constructor(caps: CallRecordCaps = DEFAULT_CALL_RECORD_CAPS) {
    this.caps = caps;
  }

  /** Called when a frame starts. `make` is called only when the caps leave room for its record. */
  enter(make: () => CallRecord): void {
    const parent = this.#open.at(-1);
    const hasRoom = this.#items < this.caps.items && this.#open.length < this.caps.depth;
    const record = hasRoom && (parent !== undefined || this.#open.length === 0) ? make() : undefined;
    if (record !== undefined) {
      this.#items++;
      (parent?.nested ?? this.roots).push(record);
    }
    this.#open.push(record);
  }

  /** Called when the innermost open frame ends. */
  exit(end: (record: CallRecord) => void): void {
    const record = this.#open.pop();
    if (record !== undefined) end(record);
  }

  /** Drops the frames that a thrown error left open. */
  abandon(): void {
    this.#open.length = 0;
  }
}
