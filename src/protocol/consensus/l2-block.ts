import { BLOCK_HEADER_BYTES, type BlockHeader, HEADER_AT } from "../block-header.ts";
import { concat, readU32, u32Bytes } from "../bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS, PRIVATE_LOG_FIELDS } from "../constants.ts";
import { readTxEffects, type TxEffect } from "../tx-effect.ts";
import { txEffectFromParts } from "../tx-effect-words.ts";
import { WireReader } from "./wire-reader.ts";

/** A block as peers send it (docs/protocol/10-peers.md#1014-sub-protocols). */
export interface L2Block {
  header: BlockHeader;
  /** Root of the archive after the block. */
  archiveRoot: Uint8Array;
  /** Blob words of its transactions, as stored. */
  words: Uint8Array;
  checkpointNumber: number;
  indexWithinCheckpoint: number;
}

/**
 * Serializes a block:
 *
 *   header 440 | archive after the block: root 32, next index u32 | u32 n, n tx effects
 *   | checkpoint u32 | index within it u32
 */
export function l2BlockToBytes(block: L2Block): Uint8Array {
  const effects = readTxEffects(block.words);
  return concat(
    block.header,
    block.archiveRoot,
    u32Bytes(readU32(block.header, HEADER_AT.blockNumber) + 1),
    u32Bytes(effects.length),
    ...effects.map(txEffectToBytes),
    u32Bytes(block.checkpointNumber),
    u32Bytes(block.indexWithinCheckpoint),
  );
}

/**
 * A transaction's effects:
 *
 *   revert code u8 | hash 32 | fee 32 | u8 n, n note hashes | u8 n, n nullifiers | u8 n, n messages to L1
 *   | u8 n, n x (leaf slot 32, value 32) | u8 n, n x (16 fields, emitted length u32)
 *   | u32 n, n x (u32 m, contract 32, m fields) | u8 n, n x (contract 32, 3023 fields, emitted length u32)
 */
export function txEffectToBytes(effect: TxEffect): Uint8Array {
  const { noteHashes, nullifiers, l2ToL1Msgs, publicDataWrites, privateLogs, publicLogs, contractClassLogs } = effect;
  return concat(
    Uint8Array.of(effect.revertCode),
    effect.txHash,
    effect.transactionFee,
    ...[noteHashes, nullifiers, l2ToL1Msgs].flatMap((run) => [Uint8Array.of(run.length / 32), run]),
    Uint8Array.of(publicDataWrites.length / 64),
    publicDataWrites,
    Uint8Array.of(privateLogs.length),
    ...privateLogs.flatMap((log) => [padded(log, PRIVATE_LOG_FIELDS), u32Bytes(log.length / 32)]),
    u32Bytes(publicLogs.length),
    ...publicLogs.flatMap(({ contractAddress, fields }) => [u32Bytes(fields.length / 32), contractAddress, fields]),
    Uint8Array.of(contractClassLogs.length),
    ...contractClassLogs.flatMap(({ contractAddress, fields }) => [
      contractAddress,
      padded(fields, CONTRACT_CLASS_LOG_FIELDS),
      u32Bytes(fields.length / 32),
    ]),
  );
}

/** Throws a DecodeError. Bytes after the block are ignored. */
export function l2BlockFromBytes(bytes: Uint8Array): L2Block {
  const reader = new WireReader(bytes, "block");
  const header = reader.take(BLOCK_HEADER_BYTES, "header");
  const archiveRoot = reader.fields(1, "archive root");
  reader.u32("archive's next index");
  const words: Uint8Array[] = [];
  const count = reader.u32("count of tx effects");
  for (let i = 0; i < count; i++) words.push(readTxEffectBytes(reader).words);
  return {
    header,
    archiveRoot,
    words: concat(...words),
    checkpointNumber: reader.u32("checkpoint"),
    indexWithinCheckpoint: reader.u32("index within the checkpoint"),
  };
}

/** Inverse of txEffectToBytes, at the reader's place. */
export function readTxEffectBytes(reader: WireReader): TxEffect {
  const u8 = (part: string): number => reader.take(1, part)[0];
  const list = <T>(count: number, item: () => T): T[] => {
    const items: T[] = [];
    for (let i = 0; i < count; i++) items.push(item());
    return items;
  };
  return txEffectFromParts({
    revertCode: u8("revert code"),
    txHash: reader.fields(1, "tx hash"),
    transactionFee: reader.fields(1, "transaction fee"),
    noteHashes: reader.fields(u8("count of note hashes"), "note hashes"),
    nullifiers: reader.fields(u8("count of nullifiers"), "nullifiers"),
    l2ToL1Msgs: reader.fields(u8("count of messages to L1"), "messages to L1"),
    publicDataWrites: reader.fields(2 * u8("count of public data writes"), "public data writes"),
    privateLogs: list(u8("count of private logs"), () => readPadded(reader, PRIVATE_LOG_FIELDS, "private log")),
    publicLogs: list(reader.u32("count of public logs"), () => {
      const length = reader.u32("length of a public log");
      return { contractAddress: reader.fields(1, "contract"), fields: reader.fields(length, "public log") };
    }),
    contractClassLogs: list(u8("count of contract class logs"), () => ({
      contractAddress: reader.fields(1, "contract"),
      fields: readPadded(reader, CONTRACT_CLASS_LOG_FIELDS, "contract class log"),
    })),
  });
}

/** The emitted fields of a log of fixed width with its length behind it. */
function readPadded(reader: WireReader, width: number, part: string): Uint8Array {
  const fields = reader.fields(width, part);
  const length = reader.u32(`length of a ${part}`);
  if (length > width) reader.fail(`length of a ${part} must be at most ${width}, got ${length}`);
  return fields.subarray(0, length * 32);
}

function padded(fields: Uint8Array, width: number): Uint8Array {
  const out = new Uint8Array(width * 32);
  out.set(fields);
  return out;
}
