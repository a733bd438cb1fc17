/** Byte helpers. Every multi-byte integer of the protocol is big-endian. */

/** Lower-case hex with a 0x prefix. */
export function toHex(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`;
}

/** Parses hex text with or without 0x. Throws a RangeError on other characters or an odd length. */
export function fromHex(text: string): Uint8Array {
  const digits = text.startsWith("0x") ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || /[^0-9a-fA-F]/.test(digits)) {
    throw new RangeError(`not hex text of whole bytes: ${text.slice(0, 80)}`);
  }
  return new Uint8Array(Buffer.from(digits, "hex"));
}

export function concat(...parts: Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((n, p) => n + p.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function equal(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/** Longer runs are compared by the runtime; below, its call takes longer than the loop. */
const SHORT_RUN = 128;

export function isZero(bytes: Uint8Array): boolean {
  const { length } = bytes;
  // Zero bytes are those that begin with zero and equal themselves one byte on.
  if (length > SHORT_RUN) return bytes[0] === 0 && Buffer.compare(bytes.subarray(1), bytes.subarray(0, -1)) === 0;
  for (let i = 0; i < length; i++) if (bytes[i] !== 0) return false;
  return true;
}

export function readU32(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0;
}

export function writeU32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** `value` as 4 bytes. */
export function u32Bytes(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeU32(bytes, 0, value);
  return bytes;
}

/** Reads 1 to 6 bytes as a number (exact below 2^48). */
export function readUint(bytes: Uint8Array, at: number, length: number): number {
  let value = 0;
  for (let i = 0; i < length; i++) value = value * 256 + bytes[at + i];
  return value;
}

/** Writes the low `length` (1 to 6) bytes of a non-negative safe integer. */
export function writeUint(bytes: Uint8Array, at: number, length: number, value: number): void {
  for (let i = length - 1; i >= 0; i--) {
    bytes[at + i] = value % 256;
    value = Math.floor(value / 256);
  }
}

export function readBigUint(bytes: Uint8Array, at = 0, length = bytes.length - at): bigint {
  if (length === 0) return 0n;
  return BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset + at, length).toString("hex")}`);
}

/** `value` as `length` big-endian bytes. Throws a RangeError when it does not fit. */
export function bigUintBytes(value: bigint, length: number): Uint8Array {
  const digits = value.toString(16);
  if (value < 0n || digits.length > length * 2) {
    throw new RangeError(`${value} does not fit ${length} bytes`);
  }
  return new Uint8Array(Buffer.from(digits.padStart(length * 2, "0"), "hex"));
}

/** Word `index` of a run of 32-byte words, as a view. */
export function word(words: Uint8Array, index: number): Uint8Array {
  return words.subarray(index * 32, index * 32 + 32);
}

/** Bytes as a key of maps and sets: one character for each byte. */
export function mapKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}
