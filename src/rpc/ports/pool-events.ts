/** Hashes of txs that became pending or stopped being so, in one turn of the node's thread. */
export interface PoolChange {
  /** Of one run of the node: numbers of another run mean other events. */
  run: string;
  /** Rises by one with each change of a run. */
  number: number;
  added: Uint8Array[];
  removed: Uint8Array[];
}

export interface PoolEvents {
  /** Calls the listener with the recent changes, then with each new one. Returns an unsubscribe function. */
  onChange(listener: (change: PoolChange) => void): () => void;
  /** Of a pool in another process; undefined for one whose changes always come. */
  readonly relay?: PoolRelay;
}

/** The connection to a pool in another process, which is open only while it is wanted. */
export interface PoolRelay {
  /** Opens the connection if it is not wanted yet: after the change with this cursor if none has come before. */
  open(cursor?: string): void;
  /** Resolves once the changes come. Rejects with an RpcError if they do not in a while. */
  ready(): Promise<void>;
  /** Nobody listens any more. */
  close(): void;
}
