import { createHash } from "node:crypto";
import type { ChainReader } from "../../archiver/types.ts";
import { toHex } from "../../protocol/bytes.ts";
import { type BlockInclusion, shownBlock } from "../methods/chain/development-blocks.ts";
import type { BlockSource } from "../methods/chain/reference-block.ts";
import type { SubscriptionKind, SubscriptionOptions } from "../ports/subscriber.ts";
import { BlockLogReader } from "./block-logs.ts";
import { type BlockRef, cursorText } from "./chain-cursor.ts";
import type { BlockFeed } from "./chain-subscription.ts";
import type { ChainView } from "./chain-view.ts";
import { LogFilter } from "./log-filter.ts";
import { encodeBlockEvent, encodeLogsEvent, notification } from "./notification.ts";

/** Digits of a digest by which the options of a subscription are told apart. */
const ID_DIGITS = 24;

type ContentKind = Extract<SubscriptionKind, "blocks" | "privateLogs" | "publicLogs">;

/** The feeds of all subscribers of a thread: the same for the same kind and options while any of them is in use. */
export class BlockFeeds {
  readonly #source: BlockSource;
  readonly #view: ChainView;
  readonly #logs: BlockLogReader;
  readonly #inUse = new Map<string, WeakRef<BlockFeed>>();
  readonly #gone = new FinalizationRegistry<string>((id) => {
    if (this.#inUse.get(id)?.deref() === undefined) this.#inUse.delete(id);
  });

  constructor(source: BlockSource & { chain: ChainReader }, view: ChainView) {
    this.#source = source;
    this.#view = view;
    this.#logs = new BlockLogReader(source.chain);
  }

  feed(kind: ContentKind, options: SubscriptionOptions): BlockFeed {
    const id = feedId(kind, options);
    const known = this.#inUse.get(id)?.deref();
    if (known !== undefined) return known;
    const made = kind === "blocks" ? this.#blocks(id, options) : this.#logsFeed(id, kind, options);
    this.#inUse.set(id, new WeakRef(made));
    this.#gone.register(made, id);
    return made;
  }

  #cursorAt(block: BlockRef): string {
    return cursorText(block, this.#view.finalized, this.#view.hashAt);
  }

  #blocks(id: string, { includeTransactions }: SubscriptionOptions): BlockFeed {
    const { chain } = this.#source;
    const inclusion: BlockInclusion = { includeTransactions, includeL1PublishInfo: false, includeAttestations: false };
    return remembering(id, 0, (block) => {
      const shown = shownBlock(this.#source, chain.block(block.number)!, inclusion, () => undefined);
      return notification(id, this.#cursorAt(block), encodeBlockEvent, shown);
    });
  }

  #logsFeed(id: string, kind: ContentKind, options: SubscriptionOptions): BlockFeed {
    const { contractAddress, tags, includeEffects } = options;
    const filter = new LogFilter(kind === "publicLogs" ? contractAddress : undefined, tags);
    const filters = (tags?.length ?? 0) + (contractAddress === undefined ? 0 : 1);
    return remembering(id, filters, (block) => {
      const logs = filter.matches(this.#logs.of(block.number, block.hash));
      if (logs.length === 0) return undefined;
      return notification(id, this.#cursorAt(block), encodeLogsEvent, { block, logs, includeEffects });
    });
  }
}

/** Keeps the text of the last block, which most subscribers are about to get. */
function remembering(id: string, filters: number, make: (block: BlockRef) => Uint8Array | undefined): BlockFeed {
  let last: { hash: Uint8Array; text: Uint8Array | undefined } | undefined;
  return {
    id,
    filters,
    event(block) {
      if (last === undefined || Buffer.compare(last.hash, block.hash) !== 0) {
        last = { hash: block.hash, text: make(block) };
      }
      return last.text;
    },
  };
}

/** The same for the same kind and options. */
function feedId(kind: ContentKind, options: SubscriptionOptions): string {
  const { includeTransactions, includeEffects, tags, contractAddress } = options;
  if (kind === "blocks") return includeTransactions ? "blocks:transactions" : "blocks";
  const facts = [
    includeEffects,
    contractAddress && toHex(contractAddress),
    tags && [...new Set(tags.map(toHex))].sort(),
  ];
  const digest = createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  return `${kind}:${digest.slice(0, ID_DIGITS)}`;
}
