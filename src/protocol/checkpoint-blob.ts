import { isZero, readBigUint, readUint, word } from "./bytes.ts";
import { FIELDS_PER_BLOB, MAX_BLOCKS_PER_CHECKPOINT, MAX_FIELDS_PER_CHECKPOINT } from "./constants.ts";
import { DecodeError } from "./errors.ts";
import { isCanonicalFr } from "./field.ts";
import { readTxEffect, type TxEffect } from "./tx-effect.ts";

export const BLOCK_END_PREFIX = 0xeb8dcdbf;
export const CHECKPOINT_END_PREFIX = 0x8c637443;

/** One block as encoded in the blobs of its checkpoint (docs/protocol/03-blocks-and-blobs.md#311-grammar). */
export interface BlobBlock {
  blockNumber: number;
  timestamp: bigint;
  txs: TxEffect[];
  /** The words of all txs, back to back. */
  body: Uint8Array;
  /** Body and block end. The blob sponge absorbs these words. */
  words: Uint8Array;
  l1ToL2MessageTreeSize: number;
  noteHashTreeSize: number;
  nullifierTreeSize: number;
  publicDataTreeSize: number;
  totalManaUsed: bigint;
  lastArchiveRoot: Uint8Array;
  noteHashRoot: Uint8Array;
  nullifierRoot: Uint8Array;
  publicDataRoot: Uint8Array;
}

export interface BlobCheckpoint {
  blocks: BlobBlock[];
  /** Encoded in the first block, valid for all blocks of the checkpoint. */
  l1ToL2MessageRoot: Uint8Array;
  /** Words of the whole checkpoint, including the end marker but not the padding. */
  words: Uint8Array;
}

/** True when `field` is `prefix` followed by `bytes` lower bytes. */
function hasPrefix(field: Uint8Array, prefix: number, bytes: number): boolean {
  const at = 32 - bytes - 4;
  return isZero(field.subarray(0, at)) && readUint(field, at, 4) === prefix;
}

/**
 * Parses the concatenated blobs of a checkpoint. Everything after the end marker must be zero.
 * Throws a DecodeError that names the word and the rule.
 */
export function readCheckpointBlobs(blobs: Uint8Array): BlobCheckpoint {
  const subject = "checkpoint blobs";
  const total = blobs.length / 32;
  if (total === 0 || total % FIELDS_PER_BLOB !== 0 || total > MAX_FIELDS_PER_CHECKPOINT) {
    throw new DecodeError(subject, `must be 1 to 6 whole blobs, got ${blobs.length} bytes`);
  }
  let at = 0;
  const take = (name: string): Uint8Array => {
    if (at >= total) throw new DecodeError(subject, `${name} is missing, the blobs end at word ${total}`);
    return word(blobs, at++);
  };
  const blocks: BlobBlock[] = [];
  let l1ToL2MessageRoot: Uint8Array | undefined;
  for (;;) {
    const start = at;
    const txs: TxEffect[] = [];
    while (at < total && !hasPrefix(word(blobs, at), BLOCK_END_PREFIX, 14)) {
      const { effect, next } = readTxEffect(blobs, at);
      txs.push(effect);
      at = next;
    }
    const body = blobs.subarray(start * 32, at * 32);
    const end = take(`block end marker of block ${blocks.length}`);
    const numTxs = readUint(end, 30, 2);
    if (numTxs !== txs.length) {
      throw new DecodeError(subject, `block ${blocks.length} holds ${txs.length} txs, its end marker says ${numTxs}`);
    }
    const state = readBigUint(take("state word"));
    const bits = (shift: bigint, width: bigint) => Number((state >> shift) & ((1n << width) - 1n));
    const block = {
      timestamp: readBigUint(end, 18, 8),
      blockNumber: readUint(end, 26, 4),
      txs,
      body,
      totalManaUsed: state & ((1n << 48n) - 1n),
      publicDataTreeSize: bits(48n, 40n),
      nullifierTreeSize: bits(88n, 42n),
      noteHashTreeSize: bits(130n, 42n),
      l1ToL2MessageTreeSize: Number(state >> 172n),
      lastArchiveRoot: take("lastArchiveRoot"),
      noteHashRoot: take("noteHashRoot"),
      nullifierRoot: take("nullifierRoot"),
      publicDataRoot: take("publicDataRoot"),
    };
    l1ToL2MessageRoot ??= take("l1ToL2MessageRoot");
    blocks.push({ ...block, words: blobs.subarray(start * 32, at * 32) });
    if (blocks.length > MAX_BLOCKS_PER_CHECKPOINT) {
      throw new DecodeError(subject, `must hold at most ${MAX_BLOCKS_PER_CHECKPOINT} blocks`);
    }
    if (at < total && hasPrefix(word(blobs, at), CHECKPOINT_END_PREFIX, 4)) break;
    if (at >= total) throw new DecodeError(subject, "checkpoint end marker is missing");
  }
  const marker = take("checkpoint end marker");
  if (readUint(marker, 28, 4) !== at) {
    throw new DecodeError(subject, `hold ${at} words, the end marker says ${readUint(marker, 28, 4)}`);
  }
  if (!isZero(blobs.subarray(at * 32)))
    throw new DecodeError(subject, `words after the end marker (${at}) must be zero`);
  for (let i = 0; i < at; i++) {
    if (!isCanonicalFr(blobs, i * 32)) throw new DecodeError(subject, `word ${i} is not below the field modulus`);
  }
  return { blocks, l1ToL2MessageRoot, words: blobs.subarray(0, at * 32) };
}
