/**
 * Imported functions, implemented by src/execution/vm/host-functions.ts. Each may throw, which ends the run. The
 * comments below list the MAIL words that a function reads, by index, and after `->` those that it writes.
 */

/** Called when memory has reached its limit. Does not return. */
@external("host", "memoryExhausted")
export declare function memoryExhausted(): void;

/** Called when `frame` is about to start. Returns the program to run; 0 if there is none. */
@external("host", "enterFrame")
export declare function enterFrame(frame: usize): usize;

/** Called when the current frame ends; `outcome` as in frame.ts. */
@external("host", "leaveFrame")
export declare function leaveFrame(outcome: u32): void;

/** MAIL 0 contract, 1 slot -> 2 value. */
@external("host", "storageRead")
export declare function storageRead(): void;

/** MAIL 0 slot, 1 value. 0 warm, 1 cold (written only if the frame can pay for that), 2 limit. */
@external("host", "storageWrite")
export declare function storageWrite(canPayCold: bool): u32;

/** MAIL 0 hash. */
@external("host", "noteHashExists")
export declare function noteHashExists(index: u64): u32;

/** MAIL 0 hash. 0 done, 1 limit. */
@external("host", "emitNoteHash")
export declare function emitNoteHash(): u32;

/** MAIL 0 siloed nullifier. */
@external("host", "nullifierExists")
export declare function nullifierExists(): u32;

/** MAIL 0 nullifier. 0 done, 1 limit, 2 duplicate. */
@external("host", "emitNullifier")
export declare function emitNullifier(): u32;

/** MAIL 0 hash. */
@external("host", "l1ToL2MessageExists")
export declare function l1ToL2MessageExists(index: u64): u32;

/**
 * MAIL 0 address; `member` as in docs/protocol/06-public-execution.md#617-contract-instances -> 1 value, if the
 * contract exists.
 */
@external("host", "contractInstance")
export declare function contractInstance(member: u32): u32;

/** `fields` has count x 32 bytes. 0 done, 1 limit. */
@external("host", "emitPublicLog")
export declare function emitPublicLog(fields: usize, count: u32): u32;

/** MAIL 0 recipient, 1 content. 0 done, 1 limit. */
@external("host", "sendL2ToL1Message")
export declare function sendL2ToL1Message(): u32;

/** Called when debug logs are collected. Throws unless tags and sizes are valid. */
@external("host", "admitDebugLog")
export declare function admitDebugLog(levelTag: u32, level: u32, sizeTag: u32, messageSize: u32, fieldsSize: u32): void;

/** `message` and `fields` have the sizes that admitDebugLog accepted. */
@external("host", "debugLog")
export declare function debugLog(level: u32, message: usize, messageSize: u32, fields: usize, fieldsSize: u32): void;

/** Words exchanged with the host, big-endian. */
export const MAIL = memory.data(128, 32);
