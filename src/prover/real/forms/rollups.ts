import { commitmentFields } from "../../circuits/blob-accumulation.ts";
import { compressPoint } from "../../circuits/bls-point.ts";
import type {
  BlobAccumulator,
  BlockConstants,
  BlockRollup,
  CheckpointConstants,
  CheckpointRollup,
  EpochConstants,
  EpochRollup,
  FinalBlobChallenges,
  Parity,
  TxRollup,
} from "../../circuits/layouts/rollups.ts";
import { blsPoint, blsScalar, bytes, each, elements, type FieldForm, integer, record } from "./field-form.ts";
import { feeRecipient, gasFees, globalVariables, partialState, snapshot, spongeBlob, state } from "./values.ts";

/** Forms of what the circuits of an epoch return (src/prover/circuits/layouts/rollups.ts). */

export const parity: FieldForm<Parity> = record({ shaRoot: elements, convertedRoot: elements, vkTreeRoot: elements });

export const blockConstants: FieldForm<BlockConstants> = record({
  lastArchive: snapshot,
  l1ToL2MessageTree: snapshot,
  vkTreeRoot: elements,
  protocolContractsHash: elements,
  proverId: elements,
  globalVariables,
});

export const checkpointConstants: FieldForm<CheckpointConstants> = record({
  chainId: elements,
  version: elements,
  vkTreeRoot: elements,
  protocolContractsHash: elements,
  proverId: elements,
  slotNumber: elements,
  coinbase: bytes,
  feeRecipient: elements,
  gasFees,
});

const epochConstants: FieldForm<EpochConstants> = record({
  chainId: elements,
  version: elements,
  vkTreeRoot: elements,
  protocolContractsHash: elements,
  proverId: elements,
});

export const txRollup: FieldForm<TxRollup> = record({
  numTxs: integer,
  constants: blockConstants,
  startTrees: partialState,
  endTrees: partialState,
  startSponge: spongeBlob,
  endSponge: spongeBlob,
  outHash: elements,
  accumulatedFees: elements,
  accumulatedManaUsed: elements,
});

export const blockRollup: FieldForm<BlockRollup> = record({
  constants: checkpointConstants,
  previousArchive: snapshot,
  newArchive: snapshot,
  startState: state,
  endState: state,
  startSponge: spongeBlob,
  endSponge: spongeBlob,
  timestamp: integer,
  blockHeadersHash: elements,
  inHash: elements,
  outHash: elements,
  accumulatedFees: elements,
  accumulatedManaUsed: elements,
});

export const blobAccumulator: FieldForm<BlobAccumulator> = record({
  blobCommitmentsHash: elements,
  z: elements,
  y: blsScalar,
  c: blsPoint,
  gamma: elements,
  gammaPower: blsScalar,
});

export const finalBlobChallenges: FieldForm<FinalBlobChallenges> = record({ z: elements, gamma: blsScalar });

export const checkpointRollup: FieldForm<CheckpointRollup> = record({
  constants: epochConstants,
  previousArchive: snapshot,
  newArchive: snapshot,
  previousOutHash: snapshot,
  newOutHash: snapshot,
  headerHashes: elements,
  fees: each(feeRecipient),
  startAccumulator: blobAccumulator,
  endAccumulator: blobAccumulator,
  finalChallenges: finalBlobChallenges,
});

export const epochRollup: FieldForm<EpochRollup> = record({
  previousArchiveRoot: elements,
  endArchiveRoot: elements,
  outHash: elements,
  headerHashes: elements,
  fees: each(feeRecipient),
  constants: epochConstants,
  blobs: record<EpochRollup["blobs"]>({
    blobCommitmentsHash: elements,
    z: elements,
    y: blsScalar,
    c: (to, point) => to.push(...commitmentFields(compressPoint(point, "blobs.c"))),
  }),
});
