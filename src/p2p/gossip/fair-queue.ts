export interface QueuedItem {
  /** The sender. */
  from: string;
  bytes: number;
}

interface Sender<Item> {
  /** Oldest first, never empty while the sender is in the queue. */
  items: Item[];
  bytes: number;
}

/**
 * A bounded queue that serves senders in turn. When it is full, the sender with the most bytes loses its newest item:
 * a flood displaces only items of its own sender.
 */
export class FairQueue<Item extends QueuedItem> {
  readonly #limits: { messages: number; bytes: number };
  /** In the order of their next turns; a sender without items is absent. */
  readonly #senders = new Map<string, Sender<Item>>();
  #size = 0;
  #bytes = 0;

  constructor(limits: { messages: number; bytes: number }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the items that were dropped for lack of room; `item` may be among them. */
  add(item: Item): Item[] {
    const own = this.#senders.get(item.from) ?? { items: [], bytes: 0 };
    if (own.items.length === 0) this.#senders.set(item.from, own);
    own.items.push(item);
    own.bytes += item.bytes;
    this.#size++;
    this.#bytes += item.bytes;
    const dropped: Item[] = [];
    while (this.#size > this.#limits.messages || this.#bytes > this.#limits.bytes) dropped.push(this.#dropNewest());
    return dropped;
  }

  /** Removes and returns the oldest item of the sender whose turn it is. */
  next(): Item | undefined {
    for (const [from, own] of this.#senders) {
      const [item] = own.items.splice(0, 1);
      this.#senders.delete(from);
      if (own.items.length > 0) this.#senders.set(from, own);
      this.#count(own, item);
      return item;
    }
    return undefined;
  }

  clear(): void {
    this.#senders.clear();
    this.#size = 0;
    this.#bytes = 0;
  }

  #dropNewest(): Item {
    const [from, own] = this.#largest();
    const item = own.items.pop();
    if (item === undefined) throw new RangeError("a sender without items is in the queue");
    if (own.items.length === 0) this.#senders.delete(from);
    this.#count(own, item);
    return item;
  }

  #largest(): [string, Sender<Item>] {
    let largest: [string, Sender<Item>] | undefined;
    for (const entry of this.#senders) {
      if (largest === undefined || this.#shareOf(entry[1]) > this.#shareOf(largest[1])) largest = entry;
    }
    if (largest === undefined) throw new RangeError("the queue is empty");
    return largest;
  }

  /** The larger one of a sender's shares of messages and bytes. */
  #shareOf({ items, bytes }: Sender<Item>): number {
    return Math.max(items.length / this.#limits.messages, bytes / this.#limits.bytes);
  }

  #count(own: { bytes: number }, { bytes }: Item): void {
    own.bytes -= bytes;
    this.#size--;
    this.#bytes -= bytes;
  }
}
