import { blockHashInput } from "../../core/derive/block-hash.ts";
import type { BlockHeader } from "../../protocol/block-header.ts";
import type { Fr } from "../../protocol/field.ts";
import { BoundedCache } from "../../storage/bounded-cache.ts";
import type { HashPlan } from "./hash-plan.ts";

const CACHE_BYTES = 256 * 1024;
/** The header as a string, its hash, and the overhead of objects and map. */
const ENTRY_BYTES = 1_024;

/** Hashes block headers once for all txs that are anchored to the block: most txs name one of the last few blocks. */
export class AnchorHashes {
  readonly #hashes = new BoundedCache<Fr>({ bytes: CACHE_BYTES, entryBytes: ENTRY_BYTES });

  /** Plans the hash of a header; there is nothing to hash if it is known. */
  plan(header: BlockHeader): HashPlan<Fr> {
    const key = Buffer.from(header).toString("latin1");
    const known = this.#hashes.get(key);
    if (known !== undefined) return { inputs: [], conclude: () => known };
    return {
      inputs: [blockHashInput(header)],
      conclude: ([hash]) => {
        this.#hashes.set(key, hash);
        return hash;
      },
    };
  }
}
