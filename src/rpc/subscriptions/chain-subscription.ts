import { type BlockRef, cursorText } from "./chain-cursor.ts";
import type { ChainView } from "./chain-view.ts";
import { encodeReorgEvent, notification } from "./notification.ts";
import type { Outlet, Progress, Subscription } from "./subscription.ts";

/** Blocks that a subscriber had and that are not on the chain any more. */
interface RemovedBlocks {
  old: BlockRef;
  ancestor: BlockRef;
}

export interface StartingPoint {
  /** The last block that the client knows and that is on the chain. */
  position: BlockRef;
  /** To be sent before anything else. */
  removed: RemovedBlocks | undefined;
}

/** Follows the chain. The position is always on the chain of the view. */
export abstract class ChainSubscription implements Subscription {
  readonly id: string;
  readonly filters: number;
  protected readonly view: ChainView;
  protected position: BlockRef;
  #removed: RemovedBlocks | undefined;

  constructor(id: string, filters: number, view: ChainView, { position, removed }: StartingPoint) {
    this.id = id;
    this.filters = filters;
    this.view = view;
    this.position = position;
    this.#removed = removed;
  }

  /** Blocks that have not been sent. */
  get behind(): number {
    return this.view.head.number - this.position.number;
  }

  /** Blocks above `ancestor` were removed from the chain. */
  removedAbove(ancestor: BlockRef): void {
    if (this.position.number <= ancestor.number) return;
    // Merged with a removal that has not been sent yet.
    this.#removed = { old: this.#removed?.old ?? this.position, ancestor };
    this.position = ancestor;
  }

  deliver(outlet: Outlet, end: number): Progress {
    if (outlet.full) return "blocked";
    if (this.#removed !== undefined) {
      const { old, ancestor } = this.#removed;
      const reorg = { ancestor, old, new: this.view.head };
      outlet.send(notification(this.id, this.cursorAt(ancestor), encodeReorgEvent, reorg));
      this.#removed = undefined;
    }
    return this.deliverBlocks(outlet, end);
  }

  protected abstract deliverBlocks(outlet: Outlet, end: number): Progress;

  protected cursorAt(block: BlockRef): string {
    return cursorText(block, this.view.finalized, this.view.hashAt);
  }
}

/** Makes the text of a block's event. Subscriptions of one kind with the same options share one. */
export interface BlockFeed {
  readonly id: string;
  readonly filters: number;
  /** undefined when the block has nothing for the subscribers. */
  event(block: BlockRef): Uint8Array | undefined;
}

/** An event for each block that has something for the feed, in their order. */
export class BlockSubscription extends ChainSubscription {
  readonly #feed: BlockFeed;

  constructor(feed: BlockFeed, view: ChainView, from: StartingPoint) {
    super(feed.id, feed.filters, view, from);
    this.#feed = feed;
  }

  protected deliverBlocks(outlet: Outlet, end: number): Progress {
    while (this.position.number < this.view.head.number) {
      if (outlet.full) return "blocked";
      const number = this.position.number + 1;
      const block = { number, hash: this.view.hashAt(number)! };
      const text = this.#feed.event(block);
      if (text !== undefined) outlet.send(text);
      this.position = block;
      if (performance.now() >= end && number < this.view.head.number) return "more";
    }
    return "done";
  }
}

/** The newest tips, whenever they have changed; a slow client misses those in between. */
export class TipsSubscription extends ChainSubscription {
  readonly #event: () => Uint8Array;
  #sent: Uint8Array | undefined;

  /** `event` gives the same object as long as the tips are the same. */
  constructor(id: string, event: () => Uint8Array, view: ChainView, from: StartingPoint) {
    super(id, 0, view, from);
    this.#event = event;
  }

  protected deliverBlocks(outlet: Outlet): Progress {
    const text = this.#event();
    if (this.#sent === text) return "done";
    if (outlet.full) return "blocked";
    outlet.send(text);
    this.#sent = text;
    this.position = this.view.head;
    return "done";
  }
}
