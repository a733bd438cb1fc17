import { concat } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import { shaField } from "../../protocol/sha-field.ts";
import type { Core } from "../core.ts";
import { siloNullifier } from "./nullifier.ts";

/** Hash of the secret that consumes an L1-to-L2 message (docs/protocol/01-fields-and-hashing.md#116-messages). */
export function secretHash(core: Core, secret: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.SECRET_HASH, secret);
}

/** Nullifier of a consumed L1-to-L2 message before siloing (docs/protocol/01-fields-and-hashing.md#116-messages). */
export function innerMessageNullifier(core: Core, messageHash: Fr, secret: Fr): Fr {
  return core.hashWithSeparator(SEPARATOR.MESSAGE_NULLIFIER, concat(messageHash, secret));
}

/**
 * Nullifier of a consumed L1-to-L2 message as inserted into the tree
 * (docs/protocol/01-fields-and-hashing.md#116-messages).
 */
export function messageNullifier(core: Core, contract: Fr, messageHash: Fr, secret: Fr): Fr {
  return siloNullifier(core, contract, innerMessageNullifier(core, messageHash, secret));
}

/** All fields are 32-byte words except the L1 recipient, which is 20 bytes. */
interface L2ToL1Message {
  sender: Fr;
  rollupVersion: Fr;
  recipient: Uint8Array;
  chainId: Fr;
  content: Fr;
}

/**
 * Leaf of an L2-to-L1 message: truncated SHA-256 of 148 bytes (docs/protocol/01-fields-and-hashing.md#116-messages).
 */
export function l2ToL1MessageHash({ sender, rollupVersion, recipient, chainId, content }: L2ToL1Message): Fr {
  return shaField(concat(sender, rollupVersion, recipient, chainId, content));
}
