/** The peers that can be asked for transactions. */
export interface RequestPeers {
  /** Connected peers as text, those with the fewest open requests first, in random order among equals. */
  leastBusy(): string[];
}

interface ConnectedPeers {
  /** Peer ids as text. */
  connected(): readonly string[];
  /** Requests that wait for an answer of a peer. */
  openRequests(peer: string): number;
}

export function requestPeers({ connected, openRequests }: ConnectedPeers): RequestPeers {
  return {
    leastBusy: () =>
      connected()
        .map((id) => ({ id, open: openRequests(id), lot: Math.random() }))
        .sort((a, b) => a.open - b.open || a.lot - b.lot)
        .map(({ id }) => id),
  };
}
