import { decodeInstruction, instructionText } from "../../../src/execution/vm/disassemble.ts";
import type { InstructionForm } from "../../../src/execution/vm/instruction-set.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import type { GivenTx } from "../../world/execution/avm-vectors.ts";

/** A list in a case, and the case with other items in it. */
interface Part {
  readonly items: readonly unknown[];
  put(items: readonly unknown[]): GivenTx;
}

/** Class ids are names of bytecodes, so a changed bytecode needs another. */
let nextClass = 1n << 200n;

/** Bytecode by instruction; bytes that are none are one item each. */
function pieces(bytecode: string, instructions: readonly InstructionForm[]): Uint8Array[] {
  const bytes = fromHex(bytecode);
  const found: Uint8Array[] = [];
  for (let pc = 0; pc < bytes.length; ) {
    const decoded = decodeInstruction(instructions, bytes, pc);
    const size = typeof decoded === "string" ? 1 : decoded.form.size;
    found.push(bytes.subarray(pc, pc + size));
    pc += size;
  }
  return found;
}

function parts(given: GivenTx, instructions: readonly InstructionForm[]): Part[] {
  const { tx, pre, contracts, deploys = [] } = given;
  const list = <T>(items: readonly T[] | undefined, put: (items: T[]) => GivenTx): Part => ({
    items: items ?? [],
    put: (kept) => put(kept as T[]),
  });
  const inTx = (change: Partial<GivenTx["tx"]>): GivenTx => ({ ...given, tx: { ...tx, ...change } });
  const inPre = (change: Partial<GivenTx["pre"]>): GivenTx => ({ ...given, pre: { ...pre, ...change } });
  const { nonRevertible, revertible = {} } = tx;
  const first = nonRevertible.nullifiers?.slice(0, 1) ?? [];
  return [
    list(contracts, (kept) => ({ ...given, contracts: kept })),
    list(tx.app, (app) => inTx({ app })),
    list(tx.setup, (setup) => inTx({ setup })),
    list(tx.teardown && [tx.teardown], ([teardown]) => inTx({ teardown })),
    list(deploys, (kept) => ({ ...given, deploys: kept })),
    ...contracts.map(({ bytecode }, i) =>
      list(typeof bytecode === "string" ? pieces(bytecode, instructions) : [], (kept) => {
        const changed = { bytecode: toHex(Buffer.concat(kept)), classId: `0x${(nextClass++).toString(16)}` };
        return { ...given, contracts: contracts.map((each, j) => (i === j ? { ...each, ...changed } : each)) };
      }),
    ),
    list(nonRevertible.nullifiers?.slice(1), (kept) =>
      inTx({ nonRevertible: { ...nonRevertible, nullifiers: [...first, ...kept] } }),
    ),
    list(nonRevertible.noteHashes, (noteHashes) => inTx({ nonRevertible: { ...nonRevertible, noteHashes } })),
    list(nonRevertible.l2ToL1Msgs, (l2ToL1Msgs) => inTx({ nonRevertible: { ...nonRevertible, l2ToL1Msgs } })),
    list(revertible.nullifiers, (nullifiers) => inTx({ revertible: { ...revertible, nullifiers } })),
    list(revertible.noteHashes, (noteHashes) => inTx({ revertible: { ...revertible, noteHashes } })),
    list(revertible.l2ToL1Msgs, (l2ToL1Msgs) => inTx({ revertible: { ...revertible, l2ToL1Msgs } })),
    list(pre.nullifiers, (nullifiers) => inPre({ nullifiers })),
    list(pre.noteHashes, (noteHashes) => inPre({ noteHashes })),
    list(pre.l1ToL2Messages, (l1ToL2Messages) => inPre({ l1ToL2Messages })),
  ];
}

/**
 * Leaves out of a case what is not needed for `fails` to stay true: calls, effects, contracts, instructions; first in
 * halves, then in ever smaller runs. At most `tries` forms are tried.
 */
export async function shrink(
  given: GivenTx,
  instructions: readonly InstructionForm[],
  fails: (given: GivenTx) => boolean | Promise<boolean>,
  tries = 1000,
): Promise<GivenTx> {
  let best = given;
  let left = tries;
  for (let before: GivenTx | undefined; before !== best && left > 0; ) {
    before = best;
    for (let at = 0; at < parts(best, instructions).length; at++) {
      let part = parts(best, instructions)[at];
      for (let run = part.items.length; run >= 1; run = Math.floor(run / 2)) {
        for (let from = 0; from < part.items.length && left > 0; ) {
          const smaller = part.put([...part.items.slice(0, from), ...part.items.slice(from + run)]);
          left--;
          if (!(await fails(smaller))) from += run;
          else {
            best = smaller;
            part = parts(best, instructions)[at];
          }
        }
      }
    }
  }
  return best;
}

/** A case to read: the transaction, and the programs as instructions. */
export function caseText({ contracts, pre, tx, deploys }: GivenTx, instructions: readonly InstructionForm[]): string {
  const programs = contracts.map(({ bytecode, ...contract }) => {
    const lines = pieces(typeof bytecode === "string" ? bytecode : "0x", instructions).map((piece) => {
      const decoded = decodeInstruction(instructions, piece, 0);
      return `    ${typeof decoded === "string" ? `${toHex(piece)} (${decoded})` : instructionText(decoded)}`;
    });
    return [`  ${JSON.stringify(contract)}`, ...lines].join("\n");
  });
  return [JSON.stringify({ pre, tx, deploys }), ...programs].join("\n");
}
