import { ExecutionError } from "../jsonrpc/errors.ts";

/** A block by number and hash. */
export interface BlockRef {
  readonly number: number;
  readonly hash: Uint8Array;
}

/**
 * What a client that resumes has seen of the chain: its last block and some of the blocks below, so that any node can
 * tell where the client's chain and its own part, without a memory of removed blocks.
 */
export interface ChainCursor extends BlockRef {
  /** Blocks below in descending order, each by the first bytes of its hash. */
  readonly below: readonly { readonly number: number; readonly prefix: Uint8Array }[];
}

const FORM = 1;
const PREFIX_BYTES = 8;
const HASH_BYTES = 32;
/** Form, number, hash. */
const HEAD_BYTES = 1 + 4 + HASH_BYTES;
/** Distances double, so 32 reach below any block number of 32 bits. */
const MAX_BELOW = 32;
const MAX_LENGTH = Math.ceil(((HEAD_BYTES + MAX_BELOW * PREFIX_BYTES) * 4) / 3);
const TEXT = /^[\w-]+$/;

/** Numbers of the blocks below `number` that its cursor names: 1, 2, 4, 8 ... below, down to one that is final. */
function* numbersBelow(number: number, finalized: number): Generator<number> {
  for (let distance = 1; ; distance *= 2) {
    const below = Math.max(number - distance, 0);
    if (number === 0) return;
    yield below;
    if (below <= finalized) return;
  }
}

/**
 * Text of a cursor, base64url: form (1 byte), block number (4 bytes, big-endian), block hash, then the first 8 bytes of
 * the hashes of the blocks 1, 2, 4, 8 ... below it, down to one that is final; genesis stands for all below 0.
 */
export function cursorText(
  { number, hash }: BlockRef,
  finalized: number,
  hashAt: (number: number) => Uint8Array | undefined,
): string {
  const prefixes = [...numbersBelow(number, finalized)].map((below) => hashAt(below)?.subarray(0, PREFIX_BYTES));
  const bytes = Buffer.alloc(HEAD_BYTES + prefixes.length * PREFIX_BYTES);
  bytes[0] = FORM;
  bytes.writeUInt32BE(number, 1);
  bytes.set(hash, 5);
  prefixes.forEach((prefix, i) => {
    if (prefix !== undefined) bytes.set(prefix, HEAD_BYTES + i * PREFIX_BYTES);
  });
  return bytes.toString("base64url");
}

/** Throws an ExecutionError for what is no cursor of `cursorText`. */
export function readCursor(text: string): ChainCursor {
  const bytes = text.length <= MAX_LENGTH && TEXT.test(text) ? Buffer.from(text, "base64url") : Buffer.alloc(0);
  const belowBytes = bytes.length - HEAD_BYTES;
  if (bytes[0] !== FORM || belowBytes < 0 || belowBytes % PREFIX_BYTES !== 0) {
    throw new ExecutionError("cursor: not one of an event about the chain");
  }
  const number = bytes.readUInt32BE(1);
  const below = Array.from({ length: belowBytes / PREFIX_BYTES }, (_, i) => ({
    number: Math.max(number - 2 ** i, 0),
    prefix: bytes.subarray(HEAD_BYTES + i * PREFIX_BYTES, HEAD_BYTES + (i + 1) * PREFIX_BYTES),
  }));
  return { number, hash: bytes.subarray(5, HEAD_BYTES), below };
}

/**
 * The highest block of the cursor that is on the chain of `hashAt`, which gives undefined above its tip. undefined when
 * there is none.
 */
export function commonBlock(
  cursor: ChainCursor,
  hashAt: (number: number) => Uint8Array | undefined,
): BlockRef | undefined {
  const begins = (hash: Uint8Array | undefined, prefix: Uint8Array): hash is Uint8Array =>
    hash !== undefined && Buffer.compare(hash.subarray(0, prefix.length), prefix) === 0;
  for (const { number, prefix } of [{ number: cursor.number, prefix: cursor.hash }, ...cursor.below]) {
    const hash = hashAt(number);
    if (begins(hash, prefix)) return { number, hash };
  }
  return undefined;
}
