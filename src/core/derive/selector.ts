import { readU32 } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { Core } from "../core.ts";

/**
 * Selector of a function or event: low 32 bits of the byte hash of its signature, e.g. `transfer(Field,Field)`
 * (docs/protocol/01-fields-and-hashing.md#19-hash-of-bytes). Throws a DecodeError when the signature holds white space.
 */
export function selector(core: Core, signature: string): number {
  if (/\s/.test(signature)) throw new DecodeError("signature", "must hold no white space");
  return readU32(core.hashBytes(new TextEncoder().encode(signature)), 28);
}
