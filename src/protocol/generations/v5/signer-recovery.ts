import { concat } from "../../bytes.ts";
import type { RecoverSigner } from "../../consensus/recover.ts";

/**
 * Recovery that also takes the parity (0 or 1) for v, as peers of v5 do. L1 takes 27 and 28 only
 * (docs/protocol/04-l1-contracts.md#425-digests-and-signatures).
 */
export function withParity(recover: RecoverSigner): RecoverSigner {
  return (digest, signature) => {
    const v = signature[64];
    return recover(digest, v > 1 ? signature : concat(signature.subarray(0, 64), Uint8Array.of(27 + v)));
  };
}
