import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat } from "./bytes.ts";
import { L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "./constants.ts";
import { shaField } from "./sha-field.ts";

/**
 * Leaf of an L1-to-L2 message: the hash of seven 32-byte words (docs/protocol/01-fields-and-hashing.md#116-messages).
 * Integers are passed as 32-byte words.
 */
export function messageLeaf(m: {
  sender: Uint8Array;
  senderChainId: Uint8Array;
  recipient: Uint8Array;
  recipientVersion: Uint8Array;
  content: Uint8Array;
  secretHash: Uint8Array;
  index: Uint8Array;
}): Uint8Array {
  return shaField(concat(m.sender, m.senderChainId, m.recipient, m.recipientVersion, m.content, m.secretHash, m.index));
}

/** Next rolling hash of the inbox: 16 bytes (docs/protocol/01-fields-and-hashing.md#111-sha-256-and-keccak). */
export function nextRollingHash(previous: Uint8Array, leaf: Uint8Array): Uint8Array {
  return keccak_256(concat(previous, leaf)).slice(0, 16);
}

/** Checkpoint that contains the message with a global index. */
export function messageCheckpoint(index: number): number {
  return Math.floor(index / L1_TO_L2_MESSAGES_PER_CHECKPOINT) + 1;
}

/** Global index of the first message of a checkpoint. */
export function firstMessageIndex(checkpoint: number): number {
  return (checkpoint - 1) * L1_TO_L2_MESSAGES_PER_CHECKPOINT;
}
