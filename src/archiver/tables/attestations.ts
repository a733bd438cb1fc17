import type { CommitteeAttestation } from "../../l1/types.ts";
import { readU32, writeU32 } from "../../protocol/bytes.ts";

/**
 * A list of committee attestations:
 *
 *   0 count u32 | count x ( address 20 | 1 when a signature follows u8 | signature 65 )
 */
export function encodeAttestations(attestations: CommitteeAttestation[]): Uint8Array {
  const signed = attestations.filter((a) => a.signature !== undefined).length;
  const bytes = new Uint8Array(4 + attestations.length * 21 + signed * 65);
  writeU32(bytes, 0, attestations.length);
  let at = 4;
  for (const { address, signature } of attestations) {
    bytes.set(address, at);
    bytes[at + 20] = signature === undefined ? 0 : 1;
    at += 21;
    if (signature !== undefined) {
      bytes.set(signature, at);
      at += 65;
    }
  }
  return bytes;
}

/** Decodes the list at `at`. */
export function decodeAttestations(bytes: Uint8Array, at: number): CommitteeAttestation[] {
  const count = readU32(bytes, at);
  let from = at + 4;
  return Array.from({ length: count }, () => {
    const address = bytes.subarray(from, from + 20);
    const hasSignature = bytes[from + 20] === 1;
    from += 21;
    if (!hasSignature) return { address, signature: undefined };
    const signature = bytes.subarray(from, from + 65);
    from += 65;
    return { address, signature };
  });
}
