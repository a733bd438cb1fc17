/**
 * Protocol constants that all generations have in common (docs/protocol/01-fields-and-hashing.md#112-domain-separators,
 * docs/protocol/02-trees.md#21-the-five-trees and docs/protocol/02-trees.md#212-genesis-trees;
 * docs/protocol/03-blocks-and-blobs.md#31-blocks-and-checkpoints).
 */

export const TREE_NAMES = [
  "NULLIFIER_TREE",
  "NOTE_HASH_TREE",
  "PUBLIC_DATA_TREE",
  "L1_TO_L2_MESSAGE_TREE",
  "ARCHIVE",
] as const;

/** Tree ids as used over RPC. */
export const NULLIFIER_TREE = 0;
export const NOTE_HASH_TREE = 1;
export const PUBLIC_DATA_TREE = 2;
export const L1_TO_L2_MESSAGE_TREE = 3;
export const ARCHIVE = 4;
export type TreeId = 0 | 1 | 2 | 3 | 4;
export const TREE_IDS: readonly TreeId[] = [0, 1, 2, 3, 4];

/** Height by tree id. */
export const TREE_HEIGHTS = [42, 42, 40, 36, 30] as const;

/** Number of leaves of each indexed tree at genesis. */
export const INITIAL_INDEXED_LEAVES = 128;

export const MAX_NOTE_HASHES_PER_TX = 64;
export const MAX_NULLIFIERS_PER_TX = 64;
export const MAX_L2_TO_L1_MSGS_PER_TX = 8;
export const MAX_PUBLIC_DATA_WRITES_PER_TX = 64;
export const MAX_PRIVATE_LOGS_PER_TX = 64;
export const PRIVATE_LOG_FIELDS = 16;
export const MAX_PUBLIC_LOG_FIELDS_PER_TX = 4096;
export const CONTRACT_CLASS_LOG_FIELDS = 3023;
export const L1_TO_L2_MESSAGES_PER_CHECKPOINT = 1024;

export const FIELDS_PER_BLOB = 4096;
export const BYTES_PER_BLOB = 131072;
export const BLOBS_PER_CHECKPOINT = 6;
export const MAX_FIELDS_PER_CHECKPOINT = FIELDS_PER_BLOB * BLOBS_PER_CHECKPOINT;
export const MAX_BLOCKS_PER_CHECKPOINT = 72;
export const MAX_CHECKPOINTS_PER_EPOCH = 32;
export const DA_GAS_PER_FIELD = 32;
export const MAX_DA_GAS_PER_CHECKPOINT = 786432;

/** Fee juice balance of each funded address in a network's genesis. */
export const INITIAL_FEE_JUICE = 10n ** 22n;

/**
 * Domain separators: low 32 bits of the byte hash of "az_dom_sep__" and the lower-case name
 * (docs/protocol/01-fields-and-hashing.md#112-domain-separators).
 */
export const SEPARATOR = {
  NOTE_HASH: 116501019,
  NOTE_HASH_NONCE: 1721808740,
  UNIQUE_NOTE_HASH: 226850429,
  SILOED_NOTE_HASH: 3361878420,
  NOTE_NULLIFIER: 50789342,
  MESSAGE_NULLIFIER: 3754509616,
  SILOED_NULLIFIER: 57496191,
  PRIVATE_LOG_FIRST_FIELD: 2769976252,
  PUBLIC_LEAF_SLOT: 1247650290,
  PUBLIC_STORAGE_MAP_SLOT: 4015149901,
  PRIVATE_FUNCTION_LEAF: 1389398688,
  PUBLIC_BYTECODE: 260313585,
  CONTRACT_CLASS_ID: 3923495515,
  INITIALIZER: 385396519,
  PUBLIC_KEYS_HASH: 777457226,
  PARTIAL_ADDRESS: 2103633018,
  BLOCK_HEADER_HASH: 4195546849,
  TX_REQUEST: 3763737512,
  PUBLIC_TX_HASH: 1630108851,
  PRIVATE_TX_HASH: 1971680439,
  PUBLIC_CALLDATA: 2760353947,
  FUNCTION_ARGS: 3576554347,
  PROTOCOL_CONTRACTS: 3904434327,
  SECRET_HASH: 4199652938,
} as const;
