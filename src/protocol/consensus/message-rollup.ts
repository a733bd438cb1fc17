import { equal, toHex, u32Bytes } from "../bytes.ts";
import type { SignedMessage, SigningContext } from "../generations/consensus.ts";
import type { Generation } from "../generations/generation.ts";
import type { WireReader } from "./wire-reader.ts";

/** The rollup whose proposals and attestations are exchanged. */
export interface MessageRollup extends SigningContext {
  readonly generation: Pick<Generation, "consensus" | "headers" | "transactions">;
}

/** What the signed payload of a message between peers begins with. */
export function payloadDomain({ generation }: MessageRollup, message: SignedMessage): Uint8Array {
  const { payloadDomains } = generation.consensus;
  return payloadDomains === undefined ? new Uint8Array() : u32Bytes(payloadDomains[message]);
}

/** What a message holds of its rollup (docs/protocol/10-peers.md#109-wrapper-and-messages). */
export function contextBytes(rollup: MessageRollup): Uint8Array {
  return rollup.generation.consensus.contextBytes(rollup);
}

/** Reads what a message holds of its rollup. Throws a DecodeError for a message of another rollup. */
export function checkContext(reader: WireReader, rollup: MessageRollup): void {
  const own = contextBytes(rollup);
  const found = reader.take(own.length, "signing context");
  if (!equal(found, own)) reader.fail(`signing context must be ${toHex(own)}, got ${toHex(found)}`);
}
