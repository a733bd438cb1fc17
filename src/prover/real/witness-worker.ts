import { createRequire } from "node:module";
import { concat, fromHex, toHex } from "../../protocol/bytes.ts";
import { move, transferableSymbol, valueSymbol, workerData } from "../../threads/in-worker.ts";
import type { WitnessTask } from "./witness-solver.ts";

/** Module of the threads of an AcvmModule. */

export type WitnessAnswer =
  | {
      readonly kind: "solved";
      /** Compressed, as bb reads it. */
      readonly witness: Uint8Array;
      /** What the circuit returns: field elements back to back. */
      readonly returned: Uint8Array;
    }
  /** The input breaks a constraint. */
  | { readonly kind: "refused"; readonly message: string };

/** Wires and their values in hex. */
type Witness = Map<number, string>;

/** The used part of the package's interface. */
interface Acvm {
  executeProgram(program: Uint8Array, inputs: Witness, onForeignCall: () => Promise<never[]>): Promise<WitnessStack>;
  getReturnWitness(program: Uint8Array, witness: Witness): Witness;
  compressWitnessStack(stack: WitnessStack): Uint8Array;
}
type WitnessStack = { readonly index: number; readonly witness: Witness }[];

const acvm = createRequire(import.meta.url)(workerData<string>()) as Acvm;

export default async function solveInWorker({ bytecode, inputs }: WitnessTask): Promise<unknown> {
  const wires: Witness = new Map();
  for (let at = 0; at < inputs.length; at += 32) wires.set(at / 32, toHex(inputs.subarray(at, at + 32)));
  let stack: WitnessStack;
  try {
    // Foreign calls of these circuits only write to a log.
    stack = await acvm.executeProgram(bytecode, wires, async () => []);
  } catch (error) {
    // A trap is a failure of the module.
    if ((error as Error).name === "RuntimeError") throw error;
    return { kind: "refused", message: (error as Error).message } satisfies WitnessAnswer;
  }
  const returned = concat(...[...acvm.getReturnWitness(bytecode, stack[0].witness).values()].map(fromHex));
  const witness = acvm.compressWitnessStack(stack);
  return move({
    [transferableSymbol]: [witness.buffer, returned.buffer],
    [valueSymbol]: { kind: "solved", witness, returned } satisfies WitnessAnswer,
  });
}
