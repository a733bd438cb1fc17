import { GoodbyeReason } from "../reqresp/codecs/goodbye-reason.ts";
import type { ConnectedPeer } from "./peer-host.ts";
import type { PeerHealth } from "./peer-scores.ts";

/** Share of the peers that may be inbound before others are dialled in their place: a bound on eclipse attacks. */
const INBOUND_SHARE = 0.8;

interface Pruning {
  /** Peers that stay, the protected ones left out. */
  kept: ConnectedPeer[];
  leave: { peer: ConnectedPeer; reason: GoodbyeReason }[];
}

interface PruneOptions {
  /** Most unprotected peers to keep. */
  most: number;
  health(id: string): PeerHealth;
  score(id: string): number;
}

/**
 * Chooses the unprotected peers to disconnect: those of low score, then inbound ones beyond four fifths of `most`, then
 * the worst beyond `most`. Among equal scores the longest connected stay.
 */
export function prune(peers: readonly ConnectedPeer[], { most, health, score }: PruneOptions): Pruning {
  const leave: Pruning["leave"] = [];
  const healthy: ConnectedPeer[] = [];
  for (const peer of peers) {
    const state = health(peer.id);
    if (state === "banned") leave.push({ peer, reason: GoodbyeReason.BANNED });
    else if (state === "disconnect") leave.push({ peer, reason: GoodbyeReason.LOW_SCORE });
    else healthy.push(peer);
  }
  healthy.sort((a, b) => score(b.id) - score(a.id) || a.since - b.since);
  const maxInbound = Math.ceil(most * INBOUND_SHARE);
  const kept: ConnectedPeer[] = [];
  let inbound = 0;
  for (const peer of healthy) {
    const full = kept.length >= most || (peer.inbound && inbound >= maxInbound);
    if (full) {
      leave.push({ peer, reason: GoodbyeReason.MAX_PEERS });
      continue;
    }
    kept.push(peer);
    if (peer.inbound) inbound++;
  }
  return { kept, leave };
}
