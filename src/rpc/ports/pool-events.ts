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
}
