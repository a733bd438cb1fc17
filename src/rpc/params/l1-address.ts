import { keccak_256 } from "@noble/hashes/sha3.js";
import { named } from "../schema/json-schema.ts";
import { type Codec, rejected, wrongType } from "./codec.ts";

const ADDRESS_TEXT = /^(?:0x)?[0-9a-fA-F]{40}$/;

/** EIP-55: a letter is upper-case where the hash of the lower-case digits has a nibble of 8 or more. */
function checksummed(digits: string): string {
  const hash = keccak_256(Buffer.from(digits, "ascii"));
  const nibble = (i: number) => (i % 2 === 0 ? hash[i >> 1] >> 4 : hash[i >> 1] & 15);
  return [...digits].map((digit, i) => (nibble(i) >= 8 ? digit.toUpperCase() : digit)).join("");
}

/**
 * A 20-byte L1 address: digits all lower-case, all upper-case, or mixed with a valid checksum
 * (docs/protocol/05-rpc.md#510-values-of-the-release).
 */
export const l1Address: Codec<Uint8Array> = {
  schema: named(
    "EthAddressInput",
    "An address on L1: 40 hex digits with or without 0x, in lower case, in upper case, or mixed as the checksum of EIP-55 says.",
    { type: "string", pattern: "^(0x)?[0-9a-fA-F]{40}$" },
  ),
  read(value, path, issues) {
    if (typeof value !== "string") return wrongType(issues, path, "string", value);
    if (!ADDRESS_TEXT.test(value)) return rejected(issues, path, "Not a valid instance");
    const digits = value.slice(-40);
    const lower = digits.toLowerCase();
    if (digits !== lower && digits !== digits.toUpperCase() && digits !== checksummed(lower)) {
      return rejected(issues, path, "Not a valid instance");
    }
    return Buffer.from(lower, "hex");
  },
};
