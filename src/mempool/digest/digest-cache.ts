import { createHash } from "node:crypto";
import type { DigestedTx, DigestPart, DigestParts } from "./tx-digest.ts";

/** Entries; each takes less than a kilobyte. */
const DEFAULT_MAX = 4_096;

type Entry = { [Part in DigestPart]?: Promise<Partial<DigestParts>> };

/**
 * Caches digests by the SHA-256 of everything they are computed from, for wallets that simulate, validate and send the
 * same tx. Two txs share an entry only if SHA-256 collides: the hashed text marks where each part ends, and a digest
 * depends on nothing else, neither on the chain nor on the proof. A client that floods the cache pays a whole digest
 * per entry; a displaced digest is computed again.
 */
export class DigestCache {
  readonly #max: number;
  /** Least recently used first. Each part is a promise, so that concurrent requests for it share one computation. */
  readonly #digests = new Map<string, Entry>();

  constructor({ max = DEFAULT_MAX }: { max?: number } = {}) {
    this.#max = max;
  }

  /** Parts of a tx's digest; `make` computes the missing ones. A rejected computation is not cached. */
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
    if (this.#digests.size > this.#max) {
      for (const oldest of this.#digests.keys()) {
        this.#digests.delete(oldest);
        break;
      }
    }
    return entry;
  }
}

/** Each part is preceded by its length in bytes or its count, as u32. */
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
