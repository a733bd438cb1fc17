import { isZero, readBigUint } from "../../../protocol/bytes.ts";
import { array, type Codec, checkedBytes, type Decoded, fixedBytes, struct } from "../../codec/codec.ts";
import { jsonNumberAsField, jsonObject } from "../../codec/json-codec.ts";
import { field, fields, flag, integerField, u32, u64, u128 } from "../../codec/primitives.ts";

/**
 * Values that several circuits share. Members are in the order of their bytes; where circuits take another, `abi` says
 * so.
 */

export const EthAddress = fixedBytes(20);

/** Root and next free leaf index of an append-only tree; 36 bytes. */
export const Snapshot = struct({ root: field, nextAvailableLeafIndex: u32 });
export type Snapshot = Decoded<typeof Snapshot>;

/** The trees that transactions change. */
export const PartialState = struct({ noteHashTree: Snapshot, nullifierTree: Snapshot, publicDataTree: Snapshot });
export type PartialState = Decoded<typeof PartialState>;

export const State = struct({ l1ToL2MessageTree: Snapshot, partial: PartialState });
export type State = Decoded<typeof State>;

export const GasFees = struct({ feePerDaGas: u128, feePerL2Gas: u128 });
export type GasFees = Decoded<typeof GasFees>;

export const Gas = struct({ daGas: u32, l2Gas: u32 });
export type Gas = Decoded<typeof Gas>;

export const GasSettings = struct({
  gasLimits: Gas,
  teardownGasLimits: Gas,
  maxFeesPerGas: GasFees,
  maxPriorityFeesPerGas: GasFees,
});
export type GasSettings = Decoded<typeof GasSettings>;

export const GlobalVariables = struct({
  chainId: field,
  version: field,
  blockNumber: u32,
  slotNumber: { ...u32, json: jsonNumberAsField },
  timestamp: u64,
  coinbase: EthAddress,
  feeRecipient: field,
  gasFees: GasFees,
});
export type GlobalVariables = Decoded<typeof GlobalVariables>;

export const BlockHeader = struct({
  lastArchive: Snapshot,
  state: State,
  spongeBlobHash: field,
  globalVariables: GlobalVariables,
  totalFees: field,
  totalManaUsed: field,
});
export type BlockHeader = Decoded<typeof BlockHeader>;

/** Kept as the 440 bytes that the rest of the node uses (src/protocol/block-header.ts). */
export const BlockHeaderBytes = checkedBytes(BlockHeader, 440);

/** A running blob sponge (docs/protocol/01-fields-and-hashing.md#110-blob-sponge). */
export const SpongeBlob = struct({
  cache: fields(3),
  state: fields(4),
  cacheSize: u32,
  squeezeMode: flag,
  numAbsorbedFields: u32,
});
export type SpongeBlob = Decoded<typeof SpongeBlob>;

export const PublicCallRequest = struct({
  msgSender: field,
  contractAddress: field,
  isStaticCall: flag,
  calldataHash: field,
});
export type PublicCallRequest = Decoded<typeof PublicCallRequest>;

const L2ToL1Message = struct({ recipient: EthAddress, content: field });
const scopedMessageJson = jsonObject({ message: L2ToL1Message.json, contractAddress: field.json });
type ScopedL2ToL1Fields = {
  readonly recipient: Uint8Array;
  readonly content: Uint8Array;
  readonly contractAddress: Uint8Array;
};

export const ScopedL2ToL1Message: Codec<ScopedL2ToL1Fields> = {
  ...struct({ recipient: EthAddress, content: field, contractAddress: field }),
  json: {
    fromJson(json) {
      const { message, contractAddress } = scopedMessageJson.fromJson(json);
      return { ...message, contractAddress };
    },
    toJson: ({ contractAddress, ...message }) => scopedMessageJson.toJson({ message, contractAddress }),
  },
};
export type ScopedL2ToL1Message = Decoded<typeof ScopedL2ToL1Message>;

/** Bits of a limb in which circuits hold integers of other fields. */
const LIMB_BITS = 120n;

/** An integer as `count` limbs, the lowest first. */
function limbs(to: Uint8Array[], value: Uint8Array, count: number): void {
  const number = readBigUint(value);
  for (let i = 0n; i < count; i++) integerField(to, BigInt.asUintN(Number(LIMB_BITS), number >> (i * LIMB_BITS)));
}

/**
 * Coordinates of a BLS12-381 point, 48 bytes each; the point at infinity is all zero. Circuits take both, and whether
 * it is infinity.
 */
export const BlsPoint: Codec<Uint8Array> = {
  ...fixedBytes(96),
  toFields(to, point) {
    limbs(to, point.subarray(0, 48), 4);
    limbs(to, point.subarray(48), 4);
    flag.toFields(to, isZero(point));
  },
};
/** An element of the scalar field of BLS12-381. */
export const BlsScalar: Codec<Uint8Array> = { ...fixedBytes(32), toFields: (to, scalar) => limbs(to, scalar, 3) };
/** An integer below 2^256. */
export const U256 = fixedBytes(32);

const FeeRecipient = struct({ recipient: EthAddress, value: field });

/** The fees and header hashes of an epoch's checkpoints. */
export const CheckpointFees = array(FeeRecipient, 32);
export const CheckpointHeaderHashes = fields(32);
