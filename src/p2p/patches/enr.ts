import { createHash } from "node:crypto";
import { defaultCrypto, setV4Crypto } from "@chainsafe/enr";
import { BoundedCache } from "../../storage/bounded-cache.ts";

/** Of a compressed public key and of a signature. */
const KEY_BYTES = 33;
const SIGNATURE_BYTES = 64;

const verified = new BoundedCache<true>({ bytes: 2 ** 20, entryBytes: 128 });

/**
 * Makes the record library remember valid signatures, of this whole process: to verify one takes 2 ms, every lookup
 * brings the same records again, and nodes that answer with many can keep the thread busy. The attacks are in
 * test/p2p/scenarios/hostile-discovery.test.ts.
 */
export function rememberValidSignatures(): void {
  setV4Crypto({ ...defaultCrypto, verify: remembering(defaultCrypto.verify) });
}

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean;

/** Asks `verify` once for each valid signature. */
export function remembering(verify: Verify): Verify {
  return (key, message, signature) => {
    // Fixed lengths, so that no other division of the same bytes has the same digest.
    if (key.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
    const digest = createHash("sha256").update(key).update(signature).update(message).digest("binary");
    if (verified.get(digest)) return true;
    const valid = verify(key, message, signature);
    if (valid) verified.set(digest, true);
    return valid;
  };
}
