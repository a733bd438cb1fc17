import { BLOCK_HEADER_FIELDS, type BlockHeader, writeHeaderFields } from "../../protocol/block-header.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import type { Core, HashInput } from "../core.ts";

/** Input of blockHash, for hashing several at once. */
export function blockHashInput(header: BlockHeader): HashInput {
  const fields = new Uint8Array(BLOCK_HEADER_FIELDS * 32);
  writeHeaderFields(header, fields, 0);
  return { separator: SEPARATOR.BLOCK_HEADER_HASH, fields };
}

/**
 * Block hash of a 440-byte header: separated hash of its 22 fields
 * (docs/protocol/03-blocks-and-blobs.md#32-block-header).
 */
export function blockHash(core: Core, header: BlockHeader): Uint8Array {
  return core.hashEach([blockHashInput(header)])[0];
}
