/**
 * External content (from L1, a blob, a peer or a client) violates a protocol rule. Other errors are failures of this
 * node.
 */
export abstract class ContentError extends Error {
  /** Stable across releases, for scripts and alerts. */
  abstract readonly errorCode: string;
}
