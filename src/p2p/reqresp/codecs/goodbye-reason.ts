/** Goodbye reasons on the wire (docs/protocol/10-peers.md#1014-sub-protocols). */
export const GoodbyeReason = {
  SHUTDOWN: 1,
  MAX_PEERS: 2,
  LOW_SCORE: 3,
  BANNED: 4,
  WRONG_NETWORK: 5,
  UNKNOWN: 6,
} as const;
export type GoodbyeReason = (typeof GoodbyeReason)[keyof typeof GoodbyeReason];
