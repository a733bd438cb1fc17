import { createHash } from "node:crypto";
import type { BlockState } from "../../../src/execution/block-state.ts";
import { UnprocessableTxError } from "../../../src/execution/errors.ts";
import { executeTx } from "../../../src/execution/execute-tx.ts";
import type { ExecutedTx, HashedTx } from "../../../src/execution/executed-tx.ts";
import { phaseRevertCode } from "../../../src/execution/phase-revert-code.ts";
import type { CallRecord } from "../../../src/execution/vm/call-records.ts";
import type { Vm } from "../../../src/execution/vm/vm.ts";
import { concat, toHex, word } from "../../../src/protocol/bytes.ts";
import type { L2ToL1Message } from "../../../src/protocol/tx/accumulated-data.ts";
import { items } from "../../../src/protocol/tx-effect.ts";

/** A frame as a simulator records it. */
export interface RecordedCall {
  contract: string;
  callerPc: number;
  calldata: string[];
  isStatic: boolean;
  gasLimit: [l2: number, da: number];
  output: string[];
  exitPcs: number[];
  /** Why it ended other than by RETURN, as haltText has it; empty if it returned. */
  halted: string;
  reverted: boolean;
  nested: RecordedCall[];
}

/** What an executor makes of a transaction, in a form in which two of them can be compared. */
export type Outcome =
  | { dropped: string }
  | {
      /** 1: app logic reverted, 2: teardown, 3: both. */
      revertCode: number;
      /** Total, public, teardown, billed. */
      gas: [l2: number, da: number][];
      fee: string;
      noteHashes: string[];
      nullifiers: string[];
      messages: string[][];
      logs: string[][];
      writes: string[][];
      debugLogs: string[][];
      calls: RecordedCall[];
      /** Nullifier, note hash, public data and message tree after the transaction. */
      trees?: [root: string, size: number][];
    };

/**
 * Texts of halts that are compared. The others depend on which of several broken rules is looked at first, and on each
 * simulator's own words.
 */
const TEXTS =
  /^(Assertion failed: |Instruction fetching error.*|Contract 0x.*|Can't retrieve.*|EMITNULLIFIER: Attempted.*|Internal return.*|Alu div.*|Alu [adfelms]\w+ op.*)$/;

/** What is compared of the text of a halt. */
export function haltText(message = ""): string {
  return message === "" || TEXTS.test(message) ? message : "halted";
}

/** What is compared of the reason why no block can include a transaction. */
export function droppedText(message: string): string {
  if (/Contract class not found|^Contract class 0x.* is not known/.test(message)) return "unknown class";
  if (/maybe_instance\.has_value|^Contract instance of 0x.* should be found/.test(message)) return "unknown contract";
  return /^(debug log|CastException|.*[Dd]ebug ?[Ll]og)/.test(message) ? "debug log" : message;
}

const CAPS = { calldata: 300, output: 300, depth: 10_000, items: 10_000 };

function callOf(call: CallRecord): RecordedCall {
  return {
    contract: toHex(call.contract),
    callerPc: call.callerPc,
    calldata: items(call.calldata).map(toHex),
    isStatic: call.isStatic,
    gasLimit: [call.gasLimit.l2, call.gasLimit.da],
    output: items(call.output).map(toHex),
    exitPcs: [...call.exitPcs],
    halted: haltText(call.haltMessage),
    reverted: call.reverted,
    nested: call.nested.map(callOf),
  };
}

/** Executes a transaction; the state keeps its effects if `trees` are asked for. */
export function outcomeOf(
  vm: Vm,
  state: BlockState,
  tx: HashedTx,
  options: { debugLogs: boolean; trees: boolean },
): Outcome {
  let pending: ReturnType<typeof executeTx>;
  try {
    pending = executeTx(vm, state, tx, { recordCalls: CAPS, collectDebugLogs: options.debugLogs });
  } catch (error) {
    if (error instanceof UnprocessableTxError) return { dropped: droppedText(error.message) };
    throw error;
  }
  const { executed, effects } = pending;
  if (options.trees) pending.apply();
  else pending.drop();
  return {
    ...outcomeOfExecuted(executed, effects.messages),
    ...(options.trees && {
      trees: ([0, 1, 2, 3] as const).map((tree): [string, number] => {
        const { root, size } = state.fork.snapshot(tree);
        return [toHex(root), size];
      }),
    }),
  };
}

/** Of a transaction that was executed, with the messages that it sent. */
export function outcomeOfExecuted(
  executed: ExecutedTx,
  messages: readonly L2ToL1Message[],
): Exclude<Outcome, { dropped: string }> {
  const { effect, gasUsed, calls, debugLogs } = executed;
  return {
    revertCode: phaseRevertCode(executed),
    gas: [gasUsed.totalGas, gasUsed.publicGas, gasUsed.teardownGas, gasUsed.billedGas].map(({ l2Gas, daGas }) => [
      l2Gas,
      daGas,
    ]),
    fee: toHex(effect.transactionFee),
    noteHashes: items(effect.noteHashes).map(toHex),
    nullifiers: items(effect.nullifiers).map(toHex),
    messages: messages.map(({ contractAddress, recipient, content }) =>
      [contractAddress, concat(new Uint8Array(12), recipient), content].map(toHex),
    ),
    logs: effect.publicLogs.map(({ contractAddress, fields }) => [contractAddress, ...items(fields)].map(toHex)),
    writes: Array.from({ length: effect.publicDataWrites.length / 64 }, (_, i) => [
      toHex(word(effect.publicDataWrites, 2 * i)),
      toHex(word(effect.publicDataWrites, 2 * i + 1)),
    ]),
    debugLogs: debugLogs.map(({ contractAddress, level, message, fields }) => [
      toHex(contractAddress),
      level,
      message,
      ...items(fields).map(toHex),
    ]),
    calls: calls.flatMap(({ record }) => (record === undefined ? [] : [callOf(record)])),
  };
}

/** A short name of an outcome; equal ones have the same. */
export function digestOf(outcome: Outcome): string {
  return createHash("sha256").update(JSON.stringify(outcome)).digest("base64url").slice(0, 11);
}
