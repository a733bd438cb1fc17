import type { ContentReader } from "../../archiver/content-types.ts";
import { within } from "../../events/within.ts";
import { mapKey } from "../../protocol/bytes.ts";
import type { CommitWatch } from "../../storage/commit-watch.ts";
import type { Store } from "../../storage/store.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import type { BlockSource } from "../methods/chain/reference-block.ts";
import { developmentTips } from "../methods/chain/tips.ts";
import type { PoolEvents } from "../ports/pool-events.ts";
import type { Subscribed, SubscriptionKind, SubscriptionOptions } from "../ports/subscriber.ts";
import { BlockFeeds } from "./block-feeds.ts";
import { type ChainCursor, commonBlock, cursorText, readCursor } from "./chain-cursor.ts";
import { BlockSubscription, ChainSubscription, type StartingPoint, TipsSubscription } from "./chain-subscription.ts";
import { ChainView } from "./chain-view.ts";
import { encodeTipsEvent, notification } from "./notification.ts";
import { PendingSubscription, PoolChanges } from "./pool-changes.ts";
import type { Subscription } from "./subscription.ts";
import { type TransactionSources, TransactionSubscription } from "./transaction-subscription.ts";

/** Time of a turn of the event loop for deliveries; requests are answered between two turns. */
const SLICE_MS = 4;
/** How long a client that has seen more of the chain than this node waits for it. */
const AHEAD_WAIT_MS = 1_000;
const TIPS = "tips";

export interface HubSources extends BlockSource {
  content: Pick<ContentReader, "settledTx">;
  store: Pick<Store, "version"> & CommitWatch;
  /** Undefined where there is no pool. */
  pool: PoolEvents | undefined;
  poolStatus: TransactionSources["poolStatus"];
}

/** A connection with subscriptions. */
export interface Member {
  /** Sends what is due until `end`. Whether there was no time for all of it. */
  deliver(end: number): boolean;
}

/** The subscriptions of all connections of one thread: takes notice of commits and of the pool, and has events sent. */
export class SubscriptionHub {
  readonly #sources: HubSources;
  readonly #maxBehind: number;
  /** Made when there is a first subscriber. */
  #viewed: { view: ChainView; feeds: BlockFeeds } | undefined;
  #tips: { of: unknown; text: Uint8Array } | undefined;
  readonly #chainSubscriptions = new Map<ChainSubscription, Member>();
  readonly #transactions = new Map<string, Map<TransactionSubscription, Member>>();
  readonly #pendingSubscriptions = new Map<PendingSubscription, Member>();
  readonly #changes = new PoolChanges();
  /** In the order in which they have their turns. */
  readonly #due = new Set<Member>();
  readonly #awaited = new Set<() => void>();
  #armed = false;
  #unwatch: (() => void) | undefined;
  readonly #unfollow: (() => void) | undefined;
  /** Subscriptions that wait for the connection to a pool in another process. */
  #awaitingPool = 0;

  /** `maxBehind`: blocks that a client may be behind. */
  constructor(sources: HubSources, { maxBehind }: { maxBehind: number }) {
    this.#sources = sources;
    this.#maxBehind = maxBehind;
    this.#unfollow = sources.pool?.onChange((change) => {
      const isNext = this.#changes.add(change);
      for (const member of this.#pendingSubscriptions.values()) this.wake(member);
      if (this.#transactions.size === 0) return;
      if (!isNext) return this.#poolUnknown();
      for (const hash of [...change.added, ...change.removed]) {
        for (const [subscription, member] of this.#transactions.get(mapKey(hash)) ?? []) {
          subscription.poolChanged();
          this.wake(member);
        }
      }
    });
  }

  close(): void {
    this.#unfollow?.();
    this.#sources.pool?.relay?.close();
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Has a member deliver what is due, soon. */
  wake(member: Member): void {
    this.#due.add(member);
    this.#arm();
  }

  /**
   * A new subscription of a member, with what its client is told. `admit` may refuse it, and is called before anything
   * is kept of it. Rejects with an RpcError.
   */
  async subscribe(
    member: Member,
    kind: SubscriptionKind,
    options: SubscriptionOptions,
    admit: (subscription: Subscription) => void,
  ): Promise<Subscribed> {
    if (kind === "transaction") return this.#subscribeTransaction(member, options, admit);
    if (kind === "pendingTransactions") return this.#subscribePending(member, options, admit);
    const resumed = options.cursor === undefined ? undefined : readCursor(options.cursor);
    if (resumed !== undefined && resumed.number > this.#view().view.head.number) await this.#reaches(resumed.number);
    // From here on without a pause: the next commit has to find the subscription.
    const { view, feeds } = this.#view();
    const from = this.#startingPoint(view, resumed);
    const subscription =
      kind === "tips"
        ? new TipsSubscription(TIPS, () => this.#tipsText(), view, from)
        : new BlockSubscription(feeds.feed(kind, options), view, from);
    admit(subscription);
    this.#chainSubscriptions.set(subscription, member);
    const cursor = cursorText(from.position, view.finalized, view.hashAt);
    return { subscription: subscription.id, cursor };
  }

  #subscribeTransaction(
    member: Member,
    { txHash }: SubscriptionOptions,
    admit: (subscription: Subscription) => void,
  ): Subscribed {
    const { view } = this.#view();
    const { content, poolStatus } = this.#sources;
    const wake = (): void => this.wake(member);
    const subscription = new TransactionSubscription(txHash!, { view, content, poolStatus }, wake);
    admit(subscription);
    const key = mapKey(txHash!);
    const others = this.#transactions.get(key);
    if (others === undefined) this.#transactions.set(key, new Map([[subscription, member]]));
    else others.set(subscription, member);
    this.#sources.pool?.relay?.open();
    return { subscription: subscription.id, cursor: undefined };
  }

  async #subscribePending(
    member: Member,
    { cursor }: SubscriptionOptions,
    admit: (subscription: Subscription) => void,
  ): Promise<Subscribed> {
    const { pool } = this.#sources;
    if (pool === undefined) throw new ExecutionError("This node has no pool of transactions");
    this.#awaitingPool += 1;
    try {
      pool.relay?.open(cursor);
      await pool.relay?.ready();
      return this.#pendingFrom(member, cursor, admit);
    } finally {
      this.#awaitingPool -= 1;
      this.#leavePool();
    }
  }

  #pendingFrom(member: Member, cursor: string | undefined, admit: (subscription: Subscription) => void): Subscribed {
    const next = this.#changes.resume(cursor);
    const subscription = new PendingSubscription(this.#changes, next);
    admit(subscription);
    this.#pendingSubscriptions.set(subscription, member);
    return { subscription: subscription.id, cursor: this.#changes.cursorAfter(next - 1) };
  }

  unsubscribe(subscription: Subscription): void {
    if (subscription instanceof ChainSubscription) this.#chainSubscriptions.delete(subscription);
    else if (subscription instanceof PendingSubscription) this.#pendingSubscriptions.delete(subscription);
    else if (subscription instanceof TransactionSubscription) {
      const key = mapKey(subscription.txHash);
      const others = this.#transactions.get(key);
      others?.delete(subscription);
      if (others?.size === 0) this.#transactions.delete(key);
    }
    this.#leavePool();
    if (this.#chainSubscriptions.size + this.#transactions.size + this.#awaited.size > 0) return;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Closes the connection to a pool in another process when no subscription needs it. */
  #leavePool(): void {
    const users = this.#transactions.size + this.#pendingSubscriptions.size + this.#awaitingPool;
    if (users === 0) this.#sources.pool?.relay?.close();
  }

  /** Changes of the pool were missed. */
  #poolUnknown(): void {
    for (const subscriptions of this.#transactions.values()) {
      for (const [subscription, member] of subscriptions) {
        subscription.poolChanged();
        this.wake(member);
      }
    }
  }

  /** The member is gone. */
  forget(member: Member): void {
    this.#due.delete(member);
  }

  /** Why a subscription whose client does not read cannot wait for it, if so. */
  overdue(subscription: Subscription): string | undefined {
    const behind = subscription instanceof ChainSubscription ? subscription.behind : 0;
    return behind > this.#maxBehind ? `${behind} blocks behind` : undefined;
  }

  /** The view of the latest commit; reads of the store in the same synchronous run fit it. */
  #view(): { view: ChainView; feeds: BlockFeeds } {
    this.#unwatch ??= this.#sources.store.onCommit(() => this.#arm());
    this.#sources.store.version();
    if (this.#viewed === undefined) {
      const view = new ChainView(this.#sources.chain);
      this.#viewed = { view, feeds: new BlockFeeds(this.#sources, view) };
    } else this.#advance(this.#viewed.view);
    return this.#viewed;
  }

  #advance(view: ChainView): void {
    const { removedAbove, changed } = view.advance();
    if (!changed) return;
    if (removedAbove !== undefined) {
      const ancestor = { number: removedAbove, hash: view.hashAt(removedAbove)! };
      for (const subscription of this.#chainSubscriptions.keys()) subscription.removedAbove(ancestor);
    }
    for (const member of this.#chainSubscriptions.values()) this.wake(member);
    for (const subscriptions of this.#transactions.values()) {
      for (const member of subscriptions.values()) this.wake(member);
    }
    for (const resolve of this.#awaited) resolve();
  }

  #startingPoint(view: ChainView, cursor: ChainCursor | undefined): StartingPoint {
    if (cursor === undefined) return { position: view.head, removed: undefined };
    const common = commonBlock(cursor, view.hashAt);
    if (common === undefined) {
      throw new ExecutionError("cursor: none of its blocks is on this node's chain", {
        data: { reason: "cursor-of-another-chain" },
      });
    }
    const behind = view.head.number - common.number;
    if (behind > this.#maxBehind) {
      const what = `cursor: too old, ${behind} blocks behind, and at most ${this.#maxBehind} are sent again`;
      throw new ExecutionError(`${what}; read the blocks and subscribe without a cursor`, {
        data: { reason: "cursor-too-old", behind, most: this.#maxBehind },
      });
    }
    const { number, hash } = cursor;
    const removed = common.number === number ? undefined : { old: { number, hash }, ancestor: common };
    return { position: common, removed };
  }

  /** Resolves when the chain has a block of this number, or after a while. */
  async #reaches(number: number): Promise<void> {
    let changed = (): void => undefined;
    const reached = new Promise<void>((resolve) => {
      changed = () => {
        if (this.#viewed !== undefined && this.#viewed.view.head.number >= number) resolve();
      };
      this.#awaited.add(changed);
    });
    await within(reached, { ms: AHEAD_WAIT_MS });
    this.#awaited.delete(changed);
  }

  /** The same text as long as the tips are the same. */
  #tipsText(): Uint8Array {
    const { view } = this.#viewed!;
    if (this.#tips?.of !== view.tips) {
      const cursor = cursorText(view.head, view.finalized, view.hashAt);
      const text = notification(TIPS, cursor, encodeTipsEvent, developmentTips(this.#sources.chain));
      this.#tips = { of: view.tips, text };
    }
    return this.#tips.text;
  }

  #arm(): void {
    if (this.#armed) return;
    this.#armed = true;
    setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#armed = false;
    if (this.#unwatch !== undefined) this.#view();
    const end = performance.now() + SLICE_MS;
    for (const member of this.#due) {
      this.#due.delete(member);
      if (member.deliver(end)) this.#due.add(member);
      if (performance.now() >= end) break;
    }
    if (this.#due.size > 0) this.#arm();
  };
}
