import type { CircuitRules } from "../../../protocol/generations/circuits.ts";
import { type Codec, type Decoded, struct } from "../../codec/codec.ts";
import { absent, field, u32, u64 } from "../../codec/primitives.ts";
import { commitmentFields, compressPoint } from "./bls-point.ts";
import {
  BlsPoint,
  BlsScalar,
  CheckpointFees,
  CheckpointHeaderHashes,
  EthAddress,
  GasFees,
  GlobalVariables,
  PartialState,
  Snapshot,
  SpongeBlob,
  State,
} from "./values.ts";

/** What the circuits of an epoch return, from messages and transactions up to the root. */

/** Of messages to L2: the root that L1 knows and the root of the subtree that is appended. */
export function parity({ parityNamesProver }: Pick<CircuitRules, "parityNamesProver">) {
  return struct({
    shaRoot: field,
    convertedRoot: field,
    vkTreeRoot: field,
    proverId: namedProver(parityNamesProver),
  });
}
export type Parity = Decoded<ReturnType<typeof parity>>;

/** The prover's id where a circuit takes it. */
export function namedProver(isNamed: boolean): Codec<Uint8Array | undefined> {
  return isNamed ? (field as Codec<Uint8Array | undefined>) : absent;
}

export const BlockConstants = struct(
  {
    lastArchive: Snapshot,
    l1ToL2MessageTree: Snapshot,
    vkTreeRoot: field,
    protocolContractsHash: field,
    globalVariables: GlobalVariables,
    proverId: field,
  },
  {
    abi: ["lastArchive", "l1ToL2MessageTree", "vkTreeRoot", "protocolContractsHash", "proverId", "globalVariables"],
  },
);
export type BlockConstants = Decoded<typeof BlockConstants>;

export const CheckpointConstants = struct({
  chainId: field,
  version: field,
  vkTreeRoot: field,
  protocolContractsHash: field,
  proverId: field,
  slotNumber: field,
  coinbase: EthAddress,
  feeRecipient: field,
  gasFees: GasFees,
});
export type CheckpointConstants = Decoded<typeof CheckpointConstants>;

export const EpochConstants = struct({
  chainId: field,
  version: field,
  vkTreeRoot: field,
  protocolContractsHash: field,
  proverId: field,
});
export type EpochConstants = Decoded<typeof EpochConstants>;

/** Of one or more transactions of a block; 1,114 bytes. */
export const TxRollup = struct({
  numTxs: u32,
  constants: BlockConstants,
  startTrees: PartialState,
  endTrees: PartialState,
  startSponge: SpongeBlob,
  endSponge: SpongeBlob,
  outHash: field,
  accumulatedFees: field,
  accumulatedManaUsed: field,
});
export type TxRollup = Decoded<typeof TxRollup>;

/** Of one or more blocks of a checkpoint; 1,270 bytes. */
export const BlockRollup = struct({
  constants: CheckpointConstants,
  previousArchive: Snapshot,
  newArchive: Snapshot,
  startState: State,
  endState: State,
  startSponge: SpongeBlob,
  endSponge: SpongeBlob,
  timestamp: u64,
  blockHeadersHash: field,
  inHash: field,
  outHash: field,
  accumulatedFees: field,
  accumulatedManaUsed: field,
});
export type BlockRollup = Decoded<typeof BlockRollup>;

/** State of the batched opening of an epoch's blobs; all zero before the first blob. */
export const BlobAccumulator = struct({
  blobCommitmentsHash: field,
  z: field,
  y: BlsScalar,
  c: BlsPoint,
  gamma: field,
  gammaPower: BlsScalar,
});
export type BlobAccumulator = Decoded<typeof BlobAccumulator>;

export const FinalBlobChallenges = struct({ z: field, gamma: BlsScalar });
export type FinalBlobChallenges = Decoded<typeof FinalBlobChallenges>;

/** Of one or more checkpoints of an epoch; 3,568 bytes. */
export const CheckpointRollup = struct({
  constants: EpochConstants,
  previousArchive: Snapshot,
  newArchive: Snapshot,
  previousOutHash: Snapshot,
  newOutHash: Snapshot,
  headerHashes: CheckpointHeaderHashes,
  fees: CheckpointFees,
  startAccumulator: BlobAccumulator,
  endAccumulator: BlobAccumulator,
  finalChallenges: FinalBlobChallenges,
});
export type CheckpointRollup = Decoded<typeof CheckpointRollup>;

/** Coordinates that the root returns as the fields of the compressed point. */
const CompressedForCircuits: Codec<Uint8Array> = {
  ...BlsPoint,
  toFields: (to, point) => to.push(...commitmentFields(compressPoint(point, "blobs.c"))),
};

/** Of a whole epoch: what L1 verifies; 3,136 bytes. */
export const EpochRollup = struct({
  previousArchiveRoot: field,
  endArchiveRoot: field,
  outHash: field,
  headerHashes: CheckpointHeaderHashes,
  fees: CheckpointFees,
  constants: EpochConstants,
  blobs: struct({ blobCommitmentsHash: field, z: field, y: BlsScalar, c: CompressedForCircuits }),
});
export type EpochRollup = Decoded<typeof EpochRollup>;
