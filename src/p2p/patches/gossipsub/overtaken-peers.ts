import type { RouterInternals, TopicStats } from "./router-internals.ts";

/**
 * Counts a message as delivered by the mesh peers to which this node sent it first. gossipsub demands from each mesh
 * peer a share of the messages, but a peer that already has a message from this node does not send it back: a node that
 * validates faster than its peers would find that they deliver too little, and prune them. A peer gets this only while
 * it delivers messages on the topic itself, within the time after which its deliveries count.
 */
export function creditOvertakenPeers(inside: RouterInternals): void {
  const { score, mesh, streamsOutbound } = inside;
  /** Unix milliseconds of the last message that a peer sent on a topic. */
  const delivered = new WeakMap<TopicStats, number>();
  const statsOf = (peer: string, topic: string): TopicStats | null => {
    const stats = score.peerStats.get(peer);
    return stats === undefined ? null : score.getPtopicStats(stats, topic);
  };
  const note = (peer: string, topic: string): void => {
    const stats = statsOf(peer, topic);
    if (stats !== null) delivered.set(stats, Date.now());
  };
  const delivers = (peer: string, topic: string): boolean => {
    const stats = statsOf(peer, topic);
    const at = stats === null ? undefined : delivered.get(stats);
    return at !== undefined && Date.now() - at <= score.params.topics[topic].meshMessageDeliveriesActivation;
  };

  const deliverMessage = score.deliverMessage.bind(score);
  const duplicateMessage = score.duplicateMessage.bind(score);
  score.deliverMessage = (from, id, topic) => {
    deliverMessage(from, id, topic);
    note(from, topic);
  };
  score.duplicateMessage = (from, id, topic) => {
    duplicateMessage(from, id, topic);
    note(from, topic);
  };

  const forward = inside.forwardMessage.bind(inside);
  inside.forwardMessage = (id, message, source, known) => {
    const { topic } = message;
    forward(id, message, source, known);
    for (const peer of mesh.get(topic) ?? []) {
      if (peer === source || known?.has(peer) || !streamsOutbound.has(peer)) continue;
      if (delivers(peer, topic)) duplicateMessage(peer, id, topic);
    }
  };
}
