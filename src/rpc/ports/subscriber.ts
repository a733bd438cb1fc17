import type { Eventually } from "./eventually.ts";

/** What a client can subscribe to. */
export const SUBSCRIPTION_KINDS = [
  "tips",
  "blocks",
  "privateLogs",
  "publicLogs",
  "transaction",
  "pendingTransactions",
] as const;
export type SubscriptionKind = (typeof SUBSCRIPTION_KINDS)[number];

/** Which events of a kind, as far as the kind has the choice. */
export interface SubscriptionOptions {
  /** Go on after the event that had this cursor; from now on without. */
  cursor?: string;
  /** Blocks: with their transactions' effects. */
  includeTransactions: boolean;
  /** Logs: with the note hashes and nullifiers of their transactions. */
  includeEffects: boolean;
  tags?: Uint8Array[];
  contractAddress?: Uint8Array;
  txHash?: Uint8Array;
}

export interface Subscribed {
  /** Names the subscription in its events; the same for the same kind and options. */
  subscription: string;
  /** Of the state after which the first event comes; undefined where there is nothing to resume. */
  cursor: string | undefined;
}

/** A connection that can have subscriptions. */
export interface Subscriber {
  /** Events come after the answer to the call. Rejects with an RpcError. */
  subscribe(kind: SubscriptionKind, options: SubscriptionOptions): Eventually<Subscribed>;
  /** Whether there was such a subscription. */
  unsubscribe(subscription: string): boolean;
}
