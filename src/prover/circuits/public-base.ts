import type { Core } from "../../core/core.ts";
import { txHash } from "../../core/derive/tx-hash.ts";
import { concat } from "../../protocol/bytes.ts";
import { fr } from "../../protocol/field.ts";
import { publicAccumulatedData } from "../../protocol/tx/accumulated-data.ts";
import { TX_DATA_AT } from "../../protocol/tx/kernel-output.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import { txEffectFromParts } from "../../protocol/tx-effect-words.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { ConstraintError, requireEqual } from "./layouts/constraint-error.ts";
import type { BlockConstants, TxRollup } from "./layouts/rollups.ts";
import type { PublicBaseInput } from "./layouts/tx-base.ts";
import { Snapshot } from "./layouts/values.ts";
import type { TreeSnapshots, VmPublicInputs } from "./layouts/vm-public-inputs.ts";
import { publicLogs } from "./public-logs.ts";
import { absorb } from "./sponge.ts";
import { txDataOf } from "./tx-data.ts";
import { messageLeaves, txOutHash } from "./tx-out-hash.ts";

/** A transaction with public calls: the effects that the public VM returned, with the logs of the private part. */
export function publicBase({ core }: CircuitContext, { chonkVerifier, vm, hints }: PublicBaseInput): TxRollup {
  const data = txDataOf(chonkVerifier.publicInputs.kernelOutput, true);
  requireEqual(
    Snapshot,
    vm.endTrees.l1ToL2MessageTree,
    vm.startTrees.l1ToL2MessageTree,
    "vm.endTrees.l1ToL2MessageTree",
    "that of startTrees",
  );
  const effect = effectOf(core, data, vm, hints.contractClassLogFields);
  return {
    numTxs: 1,
    constants: constantsOf(data, vm, hints.lastArchive),
    startTrees: partialState(vm.startTrees),
    endTrees: partialState(vm.endTrees),
    startSponge: hints.startSponge,
    endSponge: absorb(core, hints.startSponge, effect.words),
    outHash: txOutHash(effect.l2ToL1Msgs),
    accumulatedFees: vm.transactionFee,
    accumulatedManaUsed: fr(vm.endGasUsed.l2Gas),
  };
}

function effectOf(core: Core, data: Uint8Array, vm: VmPublicInputs, classLogFields: Uint8Array): TxEffect {
  const { nonRevertible, revertible } = publicAccumulatedData(data);
  const kept = vm.reverted ? [nonRevertible] : [nonRevertible, revertible];
  const { lengths, accumulated } = vm;
  const most = [
    ["noteHashes", 64],
    ["nullifiers", 64],
    ["l2ToL1Msgs", 8],
    ["publicDataWrites", 64],
  ] as const;
  for (const [name, limit] of most) {
    if (lengths[name] > limit) {
      throw new ConstraintError(`vm.lengths.${name}`, `must be at most ${limit}, got ${lengths[name]}`);
    }
  }
  return txEffectFromParts({
    revertCode: vm.reverted ? 1 : 0,
    txHash: txHash(core, data),
    transactionFee: vm.transactionFee,
    noteHashes: accumulated.noteHashes.subarray(0, lengths.noteHashes * 32),
    nullifiers: accumulated.nullifiers.subarray(0, lengths.nullifiers * 32),
    l2ToL1Msgs: messageLeaves(accumulated.l2ToL1Msgs.slice(0, lengths.l2ToL1Msgs), vm.globalVariables),
    publicDataWrites: concat(
      ...accumulated.publicDataWrites
        .slice(0, lengths.publicDataWrites)
        .flatMap(({ leafSlot, value }) => [leafSlot, value]),
    ),
    privateLogs: kept.flatMap(({ privateLogs }) => privateLogs),
    publicLogs: publicLogs(accumulated.publicLogs),
    contractClassLogs: kept
      .flatMap(({ contractClassLogs }) => contractClassLogs)
      .map(({ contractAddress, length }) => ({ contractAddress, fields: classLogFields.subarray(0, length * 32) })),
  });
}

function constantsOf(data: Uint8Array, vm: VmPublicInputs, lastArchive: Snapshot): BlockConstants {
  return {
    lastArchive,
    l1ToL2MessageTree: vm.startTrees.l1ToL2MessageTree,
    vkTreeRoot: fieldAt(data, TX_DATA_AT.vkTreeRoot),
    protocolContractsHash: fieldAt(data, TX_DATA_AT.protocolContractsHash),
    globalVariables: vm.globalVariables,
    proverId: vm.proverId,
  };
}

function fieldAt(data: Uint8Array, at: number): Uint8Array {
  return data.subarray(at, at + 32);
}

function partialState({ noteHashTree, nullifierTree, publicDataTree }: TreeSnapshots): TxRollup["startTrees"] {
  return { noteHashTree, nullifierTree, publicDataTree };
}
