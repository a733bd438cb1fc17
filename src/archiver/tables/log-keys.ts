import { readU32, readUint, writeU32, writeUint } from "../../protocol/bytes.ts";

/** Order of logs on the chain: block, tx, then the tx's private logs followed by its public ones in one sequence. */
export interface LogPosition {
  blockNumber: number;
  txIndexInBlock: number;
  logIndexWithinTx: number;
}

/**
 * Place of a log in the order of the chain: 0 block u32 | 4 tx index u16 | 6 log index within the tx u16. Both counts
 * fit by the block format.
 */
export const POSITION_BYTES = 8;

export function writePosition(bytes: Uint8Array, at: number, position: LogPosition): void {
  writeU32(bytes, at, position.blockNumber);
  writeUint(bytes, at + 4, 2, position.txIndexInBlock);
  writeUint(bytes, at + 6, 2, position.logIndexWithinTx);
}

export function readPosition(bytes: Uint8Array, at: number): LogPosition {
  return {
    blockNumber: readU32(bytes, at),
    txIndexInBlock: readUint(bytes, at + 4, 2),
    logIndexWithinTx: readUint(bytes, at + 6, 2),
  };
}

/** `subject` followed by a position. */
export function positionedKey(subject: Uint8Array, position: LogPosition): Uint8Array {
  const key = new Uint8Array(subject.length + POSITION_BYTES);
  key.set(subject);
  writePosition(key, subject.length, position);
  return key;
}
