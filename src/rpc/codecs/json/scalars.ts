import { COUNT, type JsonSchema, named } from "./json-schema.ts";

/** Scalars as they stand in answers. */

const hex = (title: string, description: string, digits: string) =>
  named(title, description, { type: "string", pattern: `^0x[0-9a-f]{${digits}}$` });

export const FIELD = hex(
  "Field",
  "A field element: 0x and 64 lower-case hex digits, big-endian, less than the modulus of BN254's scalar field.",
  "64",
);
export const BLOCK_HASH = hex("BlockHash", "The hash of a block's header, a field element.", "64");
export const TX_HASH = hex("TxHash", "The hash of a transaction, a field element.", "64");
export const L2_ADDRESS = hex("L2Address", "An address on the rollup, a field element.", "64");
export const CHECKPOINT_HASH = hex(
  "CheckpointHash",
  "The hash of a checkpoint's header: 32 bytes, the first of them 0.",
  "64",
);
export const L1_BLOCK_HASH = hex("L1BlockHash", "The hash of an L1 block: 32 bytes.", "64");
export const ETH_ADDRESS = hex("EthAddress", "An address on L1: 0x and 40 lower-case hex digits.", "40");
export const SELECTOR = hex("FunctionSelector", "A contract function's selector: 4 bytes.", "8");
export const POINT = hex("Point", "A point of the Grumpkin curve: x, then y, 32 bytes each.", "128");
export const SIGNATURE = hex(
  "Signature",
  "An ECDSA signature: r and s of 32 bytes, v of one; all zero where there is none.",
  "130",
);
export const RELEASE_SIGNATURE = hex(
  "ReleaseSignature",
  "An ECDSA signature: r and s of 32 bytes, then v in hex without leading zero; all zero (129 digits) where there is none.",
  "129,130",
);

export const DECIMAL = named(
  "Decimal",
  "A whole number of at least 0 that may be beyond 2^53: decimal digits as text.",
  {
    type: "string",
    pattern: "^(0|[1-9][0-9]*)$",
  },
);
export const SIGNED_DECIMAL = named("SignedDecimal", "A whole number that may be negative: decimal digits as text.", {
  type: "string",
  pattern: "^(0|-?[1-9][0-9]*)$",
});
export const TIMESTAMP = named("Timestamp", "Seconds since 1970-01-01T00:00:00Z: decimal digits as text.", {
  type: "string",
  pattern: "^(0|[1-9][0-9]*)$",
});

export const BLOCK_NUMBER = named("BlockNumber", "The number of a block of the rollup; 0 is genesis.", COUNT);
export const CHECKPOINT_NUMBER = named(
  "CheckpointNumber",
  "The number of a checkpoint; the first is 1, 0 stands for none yet.",
  COUNT,
);
export const SLOT_NUMBER = named(
  "SlotNumber",
  "A slot: the slot durations between the rollup's genesis and a time.",
  COUNT,
);
export const EPOCH_NUMBER = named(
  "EpochNumber",
  "An epoch: the number of a slot divided by the slots of an epoch, rounded down.",
  COUNT,
);

/** Bytes as text. */
export function base64(title: string, description: string): JsonSchema {
  return named(title, description, {
    type: "string",
    contentEncoding: "base64",
    pattern: "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$",
  });
}
