import { mapKey } from "../../protocol/bytes.ts";
import { type BlockLog, type BlockLogs, tagKey } from "./block-logs.ts";

/** Private logs with one of some tags, or public logs of a contract, with one of some tags or with any. */
export class LogFilter {
  readonly #contract: string | undefined;
  readonly #tags: ReadonlySet<string> | undefined;

  /** `contractAddress` is undefined for private logs. */
  constructor(contractAddress: Uint8Array | undefined, tags: readonly Uint8Array[] | undefined) {
    this.#contract = contractAddress && mapKey(contractAddress);
    this.#tags = tags && new Set(tags.map((tag) => tagKey(tag, contractAddress)));
  }

  /** Logs that match, in the block's order. */
  matches({ byTag, byContract }: BlockLogs): readonly BlockLog[] {
    const tags = this.#tags;
    if (tags === undefined) return byContract.get(this.#contract ?? "") ?? [];
    const found: BlockLog[] = [];
    // By the shorter list: a block may have few logs, and a filter many tags.
    if (byTag.size < tags.size) {
      for (const [key, logs] of byTag) if (tags.has(key)) found.push(...logs);
    } else for (const tag of tags) found.push(...(byTag.get(tag) ?? []));
    return found.sort((a, b) => a.txIndexInBlock - b.txIndexInBlock || a.logIndexWithinTx - b.logIndexWithinTx);
  }
}
