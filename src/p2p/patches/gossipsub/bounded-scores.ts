import type { ScoreInternals } from "./router-internals.ts";

/** Delivery records that the library keeps for two minutes. */
const MAX_DELIVERIES = 1 << 17;
/** Peers that left and whose scores are kept for an hour. */
const MAX_ABSENT = 1 << 13;

/** A peer that comes back has the score with which it left. The library would forget it. */
export function keepScoresOfReturningPeers(score: ScoreInternals): void {
  const addPeer = score.addPeer.bind(score);
  score.addPeer = (peer) => {
    const kept = score.peerStats.get(peer);
    if (kept === undefined || kept.connected) addPeer(peer);
    else {
      kept.connected = true;
      kept.expire = 0;
    }
  };
}

/** Drops the oldest delivery records and scores of absent peers beyond their limits. */
export function trimScores({ deliveryRecords, peerStats, scoreCache }: ScoreInternals): void {
  while (deliveryRecords.queue.length > MAX_DELIVERIES) {
    const oldest = deliveryRecords.queue.shift();
    if (oldest !== undefined) deliveryRecords.records.delete(oldest.msgId);
  }
  let surplus = peerStats.size - MAX_ABSENT;
  if (surplus > 0) {
    for (const stats of peerStats.values()) {
      if (stats.connected) continue;
      // The library removes it at its next look, with its addresses.
      stats.expire = 0;
      if (--surplus === 0) break;
    }
  }
  if (scoreCache.size > 2 * MAX_ABSENT) scoreCache.clear();
}
