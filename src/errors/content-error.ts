/** Content that came from outside (L1, a blob, a peer, a client) breaks a rule of the protocol. Anything else is trouble of this node. */
export abstract class ContentError extends Error {
  /** Stable across releases, for scripts and alerts. */
  abstract readonly errorCode: string;
}
