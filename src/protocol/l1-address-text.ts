import { keccak_256 } from "@noble/hashes/sha3.js";

const ADDRESS_TEXT = /^(?:0x)?[0-9a-fA-F]{40}$/;

/** Mixed-case digits of EIP-55: a letter is upper-case where the hash of the lower-case digits has a nibble of 8 up. */
function checksummed(digits: string): string {
  const hash = keccak_256(Buffer.from(digits, "ascii"));
  const nibble = (i: number) => (i % 2 === 0 ? hash[i >> 1] >> 4 : hash[i >> 1] & 15);
  return [...digits].map((digit, i) => (nibble(i) >= 8 ? digit.toUpperCase() : digit)).join("");
}

/** An L1 address as 0x text with the checksum of EIP-55. `address` is lower-case 0x text. */
export function checksumAddress(address: string): string {
  return `0x${checksummed(address.slice(2))}`;
}

/** Whether it has the form of an L1 address: 40 hex digits, with or without 0x. */
export function isL1AddressText(text: string): boolean {
  return ADDRESS_TEXT.test(text);
}

/**
 * The lower-case digits of an L1 address whose form was checked; undefined if upper and lower case are mixed against
 * the checksum of EIP-55.
 */
export function l1AddressDigits(text: string): string | undefined {
  const digits = text.slice(-40);
  const lower = digits.toLowerCase();
  const valid = digits === lower || digits === digits.toUpperCase() || digits === checksummed(lower);
  return valid ? lower : undefined;
}
