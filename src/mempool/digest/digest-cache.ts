import { createHash } from "node:crypto";
import type { DigestedTx, DigestPart, DigestParts } from "./tx-digest.ts";

/** One is less than a kilobyte. */
const DEFAULT_MOST = 4_096;

type Entry = { [Part in DigestPart]?: Promise<Partial<DigestParts>> };

/**
 * Digests by the SHA-256 of all that they are made of, for wallets that simulate, validate and send the same tx. Two txs share an entry
 * only when SHA-256 collides: the text that is hashed says where each part ends, and a digest depends on nothing else, neither on the
 * chain nor on the proof. An entry costs whoever fills the cache one whole digest, and what that displaces is only made again.
 */
export class DigestCache {
  readonly #most: number;
  /** Least recently used first: what made each part, or makes it now, so that nothing is hashed twice at once. */
  readonly #digests = new Map<string, Entry>();

  constructor({ most = DEFAULT_MOST }: { most?: number } = {}) {
    this.#most = most;
  }

  /** Parts of a tx's digest; `make` makes those that are not there. What it rejects with is not kept. */
  async get<Part extends DigestPart>(
    tx: DigestedTx,
    parts: readonly Part[],
    make: (missing: readonly DigestPart[]) => Promise<Partial<DigestParts>>,
  ): Promise<Pick<DigestParts, Part>> {
    const known = this.#entry(contentKey(tx));
    const missing = parts.filter((part) => known[part] === undefined);
    if (missing.length > 0) {
      const made = make(missing);
      for (const part of missing) known[part] = made;
      made.catch(() => {
        for (const part of missing) delete known[part];
      });
    }
    const made = await Promise.all(parts.map(async (part) => [part, (await known[part])?.[part]] as const));
    return Object.fromEntries(made) as Pick<DigestParts, Part>;
  }

  #entry(key: string): Entry {
    const entry: Entry = this.#digests.get(key) ?? {};
    this.#digests.delete(key);
    this.#digests.set(key, entry);
    if (this.#digests.size > this.#most) {
      for (const oldest of this.#digests.keys()) {
        this.#digests.delete(oldest);
        break;
      }
    }
    return entry;
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
