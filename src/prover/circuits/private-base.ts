import { txHash } from "../../core/derive/tx-hash.ts";
import { concat, isZero, readBigUint, word } from "../../protocol/bytes.ts";
import { NOTE_HASH_TREE, NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../../protocol/constants.ts";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import { effectiveGasFees, gasCost, MaxFeesTooLowError } from "../../protocol/fees/transaction-fee.ts";
import { fr } from "../../protocol/field.ts";
import { privateAccumulatedData } from "../../protocol/tx/accumulated-data.ts";
import { txGasSettings } from "../../protocol/tx/gas-settings.ts";
import { txEffectFromParts } from "../../protocol/tx-effect-words.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { ConstraintError } from "./layouts/constraint-error.ts";
import type { TxRollup } from "./layouts/rollups.ts";
import type { NullifierLeaf, PrivateBaseInput, PublicDataLeaf } from "./layouts/tx-base.ts";
import type { Snapshot } from "./layouts/values.ts";
import { appendSubtree, pairOfTree, poseidonRoot, rootFromPath } from "./merkle-path.ts";
import { absorb } from "./sponge.ts";
import { txDataOf } from "./tx-data.ts";
import { messageLeaves, txOutHash } from "./tx-out-hash.ts";

/** Height of the subtree of a tx's 64 note hashes or nullifiers. */
const SUBTREE_HEIGHT = 6;

type Hints = PrivateBaseInput["hints"];

/** A transaction without public calls: its effects, fee and the trees after it. */
export function privateBase(context: CircuitContext, { hidingKernel, hints }: PrivateBaseInput): TxRollup {
  const { core } = context;
  const data = txDataOf(hidingKernel.publicInputs, false);
  const { constants, start, treeDiff } = hints;
  const accumulated = privateAccumulatedData(data);
  const fee = feeOf(data, hints);
  const balance = balanceAfter(hints.feePayerBalance, fee);
  const messages = messageLeaves(accumulated.l2ToL1Msgs, constants.globalVariables);
  const effect = txEffectFromParts({
    revertCode: 0,
    txHash: txHash(core, data),
    transactionFee: fr(fee),
    noteHashes: concat(...accumulated.noteHashes),
    nullifiers: concat(...accumulated.nullifiers),
    l2ToL1Msgs: messages,
    publicDataWrites: concat(balance.slot, balance.value),
    privateLogs: accumulated.privateLogs,
    publicLogs: [],
    contractClassLogs: accumulated.contractClassLogs.map(({ contractAddress, length }) => ({
      contractAddress,
      fields: hints.contractClassLogFields.subarray(0, length * 32),
    })),
  });
  const noteHashes = padded(concat(...accumulated.noteHashes), 64 * 32);
  return {
    numTxs: 1,
    constants,
    startTrees: start,
    endTrees: {
      noteHashTree: appendSubtree(pairOfTree(context, NOTE_HASH_TREE), start.noteHashTree, {
        root: poseidonRoot(context, NOTE_HASH_TREE, noteHashes),
        height: SUBTREE_HEIGHT,
        siblingPath: treeDiff.noteHashSubtreePath,
      }),
      nullifierTree: nullifiersAfter(context, hints),
      publicDataTree: publicDataAfter(context, hints, balance),
    },
    startSponge: hints.startSponge,
    endSponge: absorb(core, hints.startSponge, effect.words),
    outHash: txOutHash(messages),
    accumulatedFees: fr(fee),
    accumulatedManaUsed: fr(txGasSettings(data).gasUsed.l2Gas),
  };
}

function feeOf(data: Uint8Array, { constants }: Hints): bigint {
  const settings = txGasSettings(data);
  const { daGas, l2Gas } = settings.gasUsed;
  const fees = feesPerGas(constants.globalVariables.gasFees, settings);
  return gasCost(fees, { daGas: BigInt(daGas), l2Gas: BigInt(l2Gas) });
}

function feesPerGas(...args: Parameters<typeof effectiveGasFees>): GasFees {
  try {
    return effectiveGasFees(...args);
  } catch (error) {
    if (!(error instanceof MaxFeesTooLowError)) throw error;
    throw new ConstraintError("hidingKernel.publicInputs.constants.gasSettings", error.message);
  }
}

function balanceAfter(leaf: PublicDataLeaf, fee: bigint): PublicDataLeaf {
  const left = readBigUint(leaf.value) - fee;
  if (left < 0n) throw new ConstraintError("hints.feePayerBalance.value", `must cover the fee of ${fee}`);
  return { ...leaf, value: fr(left) };
}

/**
 * The tree after a batch insertion. Low leaves are given as of just before each insertion, in descending order, so a
 * new leaf takes over the pointers of its low leaf, and the path of the new subtree already contains all changes of low
 * leaves.
 */
function nullifiersAfter(context: CircuitContext, { start, treeDiff }: Hints): Snapshot {
  const preimages: Uint8Array[] = [];
  const positions: number[] = [];
  for (const [k, position] of treeDiff.sortedNullifierIndexes.entries()) {
    const nullifier = word(treeDiff.sortedNullifiers, k);
    if (isZero(nullifier)) continue;
    if (position > 63) throw new ConstraintError(`hints.treeDiff.sortedNullifierIndexes[${k}]`, "must be below 64");
    const { nextNullifier, nextIndex } = treeDiff.lowNullifiers[k];
    preimages.push(nullifierPreimage({ nullifier, nextNullifier, nextIndex }));
    positions.push(position);
  }
  const hashes = preimages.length === 0 ? new Uint8Array() : context.core.hashMany(concat(...preimages), 3);
  const leaves = new Uint8Array(64 * 32);
  for (const [i, position] of positions.entries()) leaves.set(word(hashes, i), position * 32);
  return appendSubtree(pairOfTree(context, NULLIFIER_TREE), start.nullifierTree, {
    root: poseidonRoot(context, NULLIFIER_TREE, leaves),
    height: SUBTREE_HEIGHT,
    siblingPath: treeDiff.nullifierSubtreePath,
  });
}

function nullifierPreimage({ nullifier, nextNullifier, nextIndex }: NullifierLeaf): Uint8Array {
  return concat(nullifier, nextNullifier, nextIndex);
}

/** The fee payer's leaf is updated in place. */
function publicDataAfter(context: CircuitContext, { start, treeDiff }: Hints, leaf: PublicDataLeaf): Snapshot {
  const { leafIndex, siblingPath } = treeDiff.feePayerBalancePath;
  const node = context.core.hash(concat(leaf.slot, leaf.value, leaf.nextSlot, leaf.nextIndex));
  return {
    root: rootFromPath(pairOfTree(context, PUBLIC_DATA_TREE), node, siblingPath, readBigUint(leafIndex)),
    nextAvailableLeafIndex: start.publicDataTree.nextAvailableLeafIndex,
  };
}

function padded(bytes: Uint8Array, length: number): Uint8Array {
  const out = new Uint8Array(length);
  out.set(bytes);
  return out;
}
