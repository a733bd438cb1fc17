import { hash, timingSafeEqual } from "node:crypto";
import type { ApiKey } from "./api-key.ts";

/** Bytes of the hash by which candidates are found. */
const INDEX_BYTES = 4;

/** The keys that are valid now, in one thread. */
export class KeyRing {
  #byIndex = new Map<string, ApiKey[]>();

  constructor(keys: readonly ApiKey[]) {
    this.replace(keys);
  }

  replace(keys: readonly ApiKey[]): void {
    this.#byIndex = Map.groupBy(keys, ({ hash }) => indexOf(hash));
  }

  /**
   * The key with this text. Its hash, not the text, is looked up, by its first bytes; the rest is compared in constant
   * time. So response times tell at most 32 bits of the hash of a valid key.
   */
  find(presented: string): ApiKey | undefined {
    return this.#withHash(hash("sha256", presented, "buffer"));
  }

  /** A key that was found before, as it is now; undefined if it is not valid any more. */
  current(key: ApiKey): ApiKey | undefined {
    return this.#withHash(key.hash);
  }

  #withHash(digest: Uint8Array): ApiKey | undefined {
    return this.#byIndex.get(indexOf(digest))?.find((key) => timingSafeEqual(key.hash, digest));
  }
}

function indexOf(digest: Uint8Array): string {
  return Buffer.from(digest.subarray(0, INDEX_BYTES)).toString("latin1");
}
