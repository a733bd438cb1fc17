import { createHash } from "node:crypto";
import type { DigestedTx, TxDigest } from "./tx-digest.ts";

/** One is less than a kilobyte. */
const DEFAULT_MOST = 4_096;

/**
 * Digests by the SHA-256 of all that they are made of, for wallets that simulate, validate and send the same tx. Two txs share an entry
 * only when SHA-256 collides: the text that is hashed says where each part ends, and a digest depends on nothing else, neither on the
 * chain nor on the proof. An entry costs whoever fills the cache one whole digest, and what that displaces is only made again.
 */
export class DigestCache {
  readonly #most: number;
  /** Least recently used first. Those under way too, so that the same tx is not hashed twice at once. */
  readonly #digests = new Map<string, Promise<TxDigest>>();

  constructor({ most = DEFAULT_MOST }: { most?: number } = {}) {
    this.#most = most;
  }

  /** The digest of a tx, made by `make` when it is not there. What `make` rejects with is not kept. */
  get(tx: DigestedTx, make: () => Promise<TxDigest>): Promise<TxDigest> {
    const key = contentKey(tx);
    const known = this.#digests.get(key);
    const digest = known ?? make();
    this.#digests.delete(key);
    this.#digests.set(key, digest);
    if (known !== undefined) return known;
    digest.catch(() => {
      if (this.#digests.get(key) === digest) this.#digests.delete(key);
    });
    if (this.#digests.size > this.#most) {
      for (const oldest of this.#digests.keys()) {
        this.#digests.delete(oldest);
        break;
      }
    }
    return digest;
  }
}

/** Lengths in bytes and counts, u32 each, stand in front of what they count. */
function contentKey({ data, contractClassLogFields, publicFunctionCalldata }: DigestedTx): string {
  const hash = createHash("sha256");
  const lengths = Uint32Array.of(
    data.length,
    contractClassLogFields.length,
    ...contractClassLogFields.map(({ length }) => length),
    publicFunctionCalldata.length,
    ...publicFunctionCalldata.flatMap((calldata) => [calldata.values.length, calldata.hash.length]),
  );
  hash.update(lengths).update(data);
  for (const fields of contractClassLogFields) hash.update(fields);
  for (const calldata of publicFunctionCalldata) hash.update(calldata.values).update(calldata.hash);
  return hash.digest("base64");
}
