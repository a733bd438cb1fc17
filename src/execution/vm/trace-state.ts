import type { ActiveRun } from "./active-run.ts";
import type { Cell, TraceState } from "./trace.ts";

/** The top byte of an integer's cell is 0x40 + tag, see assembly/vm/cell.ts. */
const INTEGER = 0x40;

function parseCell(bytes: Uint8Array): Cell {
  const tag = bytes[31] < INTEGER ? 0 : bytes[31] - INTEGER;
  const digits = Buffer.from(bytes.subarray(0, tag === 0 ? 32 : 16)).reverse();
  return { tag, value: BigInt(`0x${digits.toString("hex")}`) };
}

/** The state of a run that is stopped between two instructions. */
export function traceState(run: ActiveRun): TraceState {
  const { instance } = run;
  const frame = instance.exports.current.value >>> 0;
  return {
    depth: run.depth,
    contract: run.contract,
    bytecode: run.program.bytecode,
    pc: instance.framePc(frame),
    gas: instance.gasLeft(),
    cell: (address) => parseCell(instance.cell(frame, address)),
  };
}
