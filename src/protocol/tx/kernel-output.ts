import {
  MAX_L2_TO_L1_MSGS_PER_TX,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  MAX_PRIVATE_LOGS_PER_TX,
  PRIVATE_LOG_FIELDS,
} from "../constants.ts";

/**
 * The public inputs of a tx's private kernel: the `data` of a tx
 * (docs/protocol/07-transactions-and-fees.md#72-kernel-output).
 *
 *     0  for public    u8, not 0 when the tx has public calls
 *     1  anchor header 440
 *   441  chain id, version           field each
 *   505  gas limits, teardown limits (da u32, l2 u32) each
 *   521  max fees, max priority fees (da u128, l2 u128) each
 *   585  vk tree root, protocol contracts hash  field each
 *   649  gas used    da u32, l2 u32
 *   657  fee payer   field
 *   689  expiration  u64, seconds
 *   697  private only: one accumulation A. With public calls: non-revertible B, revertible B, teardown call
 *
 *   A  note hashes 64 fields | nullifiers 64 fields | messages to L1 8 x (recipient 20, content, contract) |
 *      private logs 64 x (16 fields, length u32) | class log hashes 1 x (hash, length u32, contract)
 *   B  A | public calls 32 x call
 *   call  sender, contract, is static u8, calldata hash
 */
export const TX_DATA_AT = {
  forPublic: 0,
  anchorHeader: 1,
  chainId: 441,
  version: 473,
  gasLimits: 505,
  teardownGasLimits: 513,
  maxFeesPerGas: 521,
  maxPriorityFeesPerGas: 553,
  vkTreeRoot: 585,
  protocolContractsHash: 617,
  gasUsed: 649,
  feePayer: 657,
  expirationTimestamp: 689,
  accumulated: 697,
} as const;

export const MAX_PUBLIC_CALLS_PER_TX = 32;
export const MAX_CONTRACT_CLASS_LOGS_PER_TX = 1;

/** Marks a field element; unlike other 32-byte values it must be below the modulus. */
const FIELD = "field";
/** A primitive: its width in bytes, or a field element. */
type Primitive = number | typeof FIELD;

const times = (count: number, item: readonly Primitive[]): Primitive[] =>
  Array.from({ length: count }, () => item).flat();
const fields = (count: number) => times(count, [FIELD]);

const SNAPSHOT = [FIELD, 4] as const;
const HEADER: readonly Primitive[] = [
  ...times(5, SNAPSHOT),
  ...fields(3),
  ...[4, 4, 8, 20],
  FIELD,
  ...[16, 16],
  ...fields(2),
];
/** Everything before the accumulated data. */
const CONSTANTS: readonly Primitive[] = [
  1,
  ...HEADER,
  ...fields(2),
  ...times(4, [4]),
  ...times(4, [16]),
  ...fields(2),
  ...[4, 4],
  FIELD,
  8,
];
const CALL = [FIELD, FIELD, 1, FIELD] as const;
const ACCUMULATED: readonly Primitive[] = [
  ...fields(MAX_NOTE_HASHES_PER_TX + MAX_NULLIFIERS_PER_TX),
  ...times(MAX_L2_TO_L1_MSGS_PER_TX, [20, FIELD, FIELD]),
  ...times(MAX_PRIVATE_LOGS_PER_TX, [...fields(PRIVATE_LOG_FIELDS), 4]),
  ...times(MAX_CONTRACT_CLASS_LOGS_PER_TX, [FIELD, 4, FIELD]),
];
const WITH_CALLS: readonly Primitive[] = [...ACCUMULATED, ...times(MAX_PUBLIC_CALLS_PER_TX, CALL)];

/** Offsets and widths of the primitives of one form of tx, in order. */
export interface KernelLayout {
  readonly bytes: number;
  readonly at: Uint32Array;
  readonly width: Uint8Array;
  /** 1 for primitives that are fields. */
  readonly isField: Uint8Array;
}

function layout(primitives: readonly Primitive[]): KernelLayout {
  const width = Uint8Array.from(primitives, (primitive) => (primitive === FIELD ? 32 : primitive));
  const at = new Uint32Array(width.length);
  for (let i = 1; i < at.length; i++) at[i] = at[i - 1] + width[i - 1];
  const isField = Uint8Array.from(primitives, (primitive) => (primitive === FIELD ? 1 : 0));
  return { bytes: at[at.length - 1] + width[width.length - 1], at, width, isField };
}

/** Layout of a tx without public calls: 38,557 bytes. */
export const PRIVATE_LAYOUT = layout([...CONSTANTS, ...ACCUMULATED]);
/** Layout of a tx with public calls: 82,722 bytes. */
export const PUBLIC_LAYOUT = layout([...CONSTANTS, ...WITH_CALLS, ...WITH_CALLS, ...CALL]);

/** The layout that the first byte announces; that of a private tx if there are no bytes. */
export function layoutOf(data: Uint8Array): KernelLayout {
  return (data[TX_DATA_AT.forPublic] ?? 0) === 0 ? PRIVATE_LAYOUT : PUBLIC_LAYOUT;
}
