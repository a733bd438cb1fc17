import type { Core } from "../../core/core.ts";
import type { ExecutedTx } from "../../execution/executed-tx.ts";
import type { TreeSnapshots } from "../../execution/hints/execution-hints.ts";
import type { SideEffects } from "../../execution/side-effects.ts";
import { concat, word } from "../../protocol/bytes.ts";
import { effectiveGasFees } from "../../protocol/fees/transaction-fee.ts";
import { FR_ZERO, fr } from "../../protocol/field.ts";
import type { AccumulatedData, L2ToL1Message, PublicCallRequest } from "../../protocol/tx/accumulated-data.ts";
import type { GlobalVariables } from "../circuits/layouts/values.ts";
import type { VmInputRules } from "../circuits/layouts/vm-hints-json.ts";
import type { VmPublicInputs } from "../circuits/layouts/vm-public-inputs.ts";
import { derivedAddresses } from "./derived-addresses.ts";
import type { PublicTx } from "./tx-hint.ts";

const NO_CALL: PublicCallRequest = {
  msgSender: FR_ZERO,
  contractAddress: FR_ZERO,
  isStaticCall: false,
  calldataHash: FR_ZERO,
};
const NO_MESSAGE: L2ToL1Message = { recipient: new Uint8Array(20), content: FR_ZERO, contractAddress: FR_ZERO };

/** What a block's transactions are executed under. */
export interface ProvingTerms {
  readonly globals: GlobalVariables;
  /** Address on L1; 20 bytes. */
  readonly proverId: Uint8Array;
  readonly generation: VmInputRules;
}

interface PublicOutcomeOfTx {
  readonly executed: ExecutedTx;
  readonly messages: SideEffects["messages"];
  readonly start: TreeSnapshots;
  /** With the padding. */
  readonly end: TreeSnapshots;
}

/**
 * What the public VM's circuit takes and returns for a tx (docs/protocol/13-proving.md#138-inputs-of-the-public-vm).
 */
export function vmPublicInputs(
  core: Core,
  { parts, data }: PublicTx,
  { executed, messages, start, end }: PublicOutcomeOfTx,
  { globals: globalVariables, proverId, generation }: ProvingTerms,
): VmPublicInputs {
  const { effect, gasUsed } = executed;
  const { nonRevertible, revertible, setupCalls, appCalls, teardownCall } = data;
  const { gasSettings } = parts.constants;
  const writes = Array.from({ length: effect.publicDataWrites.length / 64 }, (_, i) => ({
    leafSlot: word(effect.publicDataWrites, 2 * i),
    value: word(effect.publicDataWrites, 2 * i + 1),
  }));
  return {
    globalVariables,
    derivedAddresses: derivedAddresses(core, generation.contracts),
    startTrees: start,
    startGasUsed: parts.end.gasUsed,
    gasSettings,
    effectiveGasFees: effectiveGasFees(globalVariables.gasFees, gasSettings),
    feePayer: parts.end.feePayer,
    proverId: concat(new Uint8Array(32 - proverId.length), proverId),
    callLengths: {
      setupCalls: setupCalls.length,
      appLogicCalls: appCalls.length,
      teardownCall: teardownCall !== undefined,
    },
    setupCalls: paddedTo(32, setupCalls, NO_CALL),
    appLogicCalls: paddedTo(32, appCalls, NO_CALL),
    teardownCall: teardownCall ?? NO_CALL,
    previousNonRevertibleLengths: lengthsOf(nonRevertible),
    previousRevertibleLengths: lengthsOf(revertible),
    previousNonRevertible: privateData(parts.nonRevertible.data),
    previousRevertible: privateData(parts.revertible.data),
    endTrees: end,
    endGasUsed: gasUsed.billedGas,
    lengths: {
      noteHashes: effect.noteHashes.length / 32,
      nullifiers: effect.nullifiers.length / 32,
      l2ToL1Msgs: messages.length,
      publicDataWrites: writes.length,
    },
    accumulated: {
      noteHashes: paddedFields(64, effect.noteHashes),
      nullifiers: paddedFields(64, effect.nullifiers),
      l2ToL1Msgs: paddedTo(8, messages, NO_MESSAGE),
      publicLogs: concat(
        ...effect.publicLogs.flatMap(({ contractAddress, fields }) => [
          fr(fields.length / 32),
          contractAddress,
          fields,
        ]),
      ),
      publicDataWrites: paddedTo(64, writes, { leafSlot: FR_ZERO, value: FR_ZERO }),
    },
    transactionFee: effect.transactionFee,
    reverted: effect.revertCode !== 0,
  };
}

function lengthsOf({ noteHashes, nullifiers, l2ToL1Msgs }: AccumulatedData) {
  return { noteHashes: noteHashes.length, nullifiers: nullifiers.length, l2ToL1Msgs: l2ToL1Msgs.length };
}

function privateData({ noteHashes, nullifiers, l2ToL1Msgs }: PublicTx["parts"]["revertible"]["data"]) {
  return { noteHashes, nullifiers, l2ToL1Msgs };
}

function paddedTo<T>(count: number, items: readonly T[], empty: T): T[] {
  return Array.from({ length: count }, (_, i) => items[i] ?? empty);
}

function paddedFields(count: number, fields: Uint8Array): Uint8Array {
  const padded = new Uint8Array(count * 32);
  padded.set(fields);
  return padded;
}
