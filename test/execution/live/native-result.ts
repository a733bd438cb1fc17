import { concat, toHex } from "../../../src/protocol/bytes.ts";
import type { TreeId } from "../../../src/protocol/constants.ts";
import type { Fr } from "../../../src/protocol/field.ts";
import { haltText, type Outcome, type RecordedCall } from "../../world/execution/tx-outcome.ts";

const hex = (value: unknown): string => toHex(value as Uint8Array);
const padded = (value: Uint8Array): Uint8Array => concat(new Uint8Array(32 - value.length), value);

interface NativeCall {
  phase: number;
  contractAddress: Fr;
  callerPc: number;
  calldata: Fr[];
  isStaticCall: boolean;
  gasLimit: { l2Gas: number; daGas: number };
  output: Fr[];
  internalCallStackAtExit: number[];
  haltingMessage?: string;
  reverted: boolean;
  nested: NativeCall[];
}

/** What the simulator answers. */
export interface NativeResult {
  gasUsed: Record<"totalGas" | "publicGas" | "teardownGas" | "billedGas", { l2Gas: number; daGas: number }>;
  revertCode: number;
  publicTxEffect: {
    transactionFee: Fr;
    noteHashes: Fr[];
    nullifiers: Fr[];
    l2ToL1Msgs: { contractAddress: Fr; message: { recipient: Fr; content: Fr } }[];
    publicLogs: { contractAddress: Fr; fields: Fr[] }[];
    publicDataWrites: { leafSlot: Fr; value: Fr }[];
  };
  callStackMetadata: NativeCall[];
  logs?: { contractAddress: Fr; level: string; message: string; fields: Fr[] }[] | null;
}

function callOf(call: NativeCall): RecordedCall {
  return {
    contract: hex(call.contractAddress),
    callerPc: call.callerPc,
    calldata: call.calldata.map(hex),
    isStatic: call.isStaticCall,
    gasLimit: [call.gasLimit.l2Gas, call.gasLimit.daGas],
    output: call.output.map(hex),
    exitPcs: [...call.internalCallStackAtExit],
    halted: haltText(call.haltingMessage ?? ""),
    reverted: call.reverted,
    nested: call.nested.map(callOf),
  };
}

/** The answer as an outcome. */
export function outcomeOf({
  gasUsed,
  revertCode,
  publicTxEffect: effect,
  callStackMetadata,
  logs,
}: NativeResult): Outcome {
  const both = ({ l2Gas, daGas }: { l2Gas: number; daGas: number }): [number, number] => [l2Gas, daGas];
  return {
    revertCode,
    gas: [gasUsed.totalGas, gasUsed.publicGas, gasUsed.teardownGas, gasUsed.billedGas].map(both),
    fee: hex(effect.transactionFee),
    noteHashes: effect.noteHashes.map(hex),
    nullifiers: effect.nullifiers.map(hex),
    messages: effect.l2ToL1Msgs.map(({ contractAddress, message }) =>
      [contractAddress, message.recipient, message.content].map((each) => hex(padded(each))),
    ),
    logs: effect.publicLogs.map(({ contractAddress, fields }) => [contractAddress, ...fields].map(hex)),
    writes: effect.publicDataWrites.map(({ leafSlot, value }) => [hex(leafSlot), hex(value)]),
    debugLogs: (logs ?? []).map(({ contractAddress, level, message, fields }) => [
      hex(contractAddress),
      level,
      message,
      ...fields.map(hex),
    ]),
    calls: callStackMetadata.map(callOf),
  };
}

/** Root and size of a tree in the world state's answer. */
export function snapshot(state: Record<string, unknown>, tree: TreeId): [string, number] {
  const found = (state instanceof Map ? state.get(tree) : state[tree]) as [Uint8Array, bigint | number];
  return [hex(found[0]), Number(found[1])];
}
