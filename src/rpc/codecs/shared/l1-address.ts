import { isL1AddressText, l1AddressDigits } from "../../../protocol/l1-address-text.ts";
import { type Codec, rejected, wrongType } from "../json/codec.ts";
import { named } from "../json/json-schema.ts";

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
    const digits = isL1AddressText(value) ? l1AddressDigits(value) : undefined;
    return digits === undefined ? rejected(issues, path, "Not a valid instance") : Buffer.from(digits, "hex");
  },
};
