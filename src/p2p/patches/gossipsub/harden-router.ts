import type { GossipSubComponents } from "@libp2p/gossipsub";
import type { PeerId } from "@libp2p/interface";
import { keepScoresOfReturningPeers, trimScores } from "./bounded-scores.ts";
import { BoundedTimeCache } from "./bounded-time-cache.ts";
import { fitAnswersIntoFrames } from "./fitting-answers.ts";
import type { GossipRouter } from "./gossip-router.ts";
import { graylistedPeers, openStreamsIndependently, readBoundedFrames, streamlessPeers } from "./gossip-streams.ts";
import { joinFrames } from "./joined-frames.ts";
import { creditOvertakenPeers } from "./overtaken-peers.ts";
import { type RawMessage, type RouterInternals, routerInternals } from "./router-internals.ts";

/** Keys in each of the library's caches of seen messages: its own have no bound but their time. */
const MAX_SEEN = 1 << 17;
/** Versions that nodes of the network speak. Floodsub and version 1.0 have no scores and backoffs. */
const PROTOCOLS = ["/meshsub/1.2.0", "/meshsub/1.1.0"];
/** Longest time for which a peer can ask not to be grafted again, in milliseconds. */
const MAX_BACKOFF_MS = 3_600_000;

interface HardenedRouterOptions {
  /** Time for which a message counts as seen. */
  seenTtlMs: number;
  /** A peer with a lower score is disconnected. */
  graylistThreshold: number;
  parts: Pick<GossipSubComponents, "connectionManager">;
}

/**
 * Bounds what a hostile peer can make gossipsub hold or wait for, and keeps mesh peers that are only slower:
 *
 * - seen caches, delivery records and scores of absent peers have a largest number, not only a largest age;
 * - frames that are not complete take a limited time and memory;
 * - frames of a peer take no more than a share of the thread's time, and bytes that are not handled stay at the peer;
 * - a peer is disconnected for a score at which all it sends is ignored;
 * - a cached message does not keep the frame alive in which it came;
 * - streams to peers open independently: one peer that delays the negotiation does not delay the others;
 * - a peer without a stream for its gossip is disconnected, as one is whose stream was reset because it reads too
 *   slowly;
 * - a peer does not lose its score by connecting again;
 * - what is asked for and sent at once fits into a frame;
 * - frames to a peer that are made together are sent together.
 *
 * The attacks are in test/p2p/scenarios/attacks: gossip-control.ts, gossip-frames.ts, gossip-messages.ts and
 * gossip-rpc.ts.
 */
export function hardenRouter(
  router: GossipRouter,
  { seenTtlMs, graylistThreshold, parts }: HardenedRouterOptions,
): GossipRouter {
  const inside = routerInternals(router);
  const disconnect = (peer: PeerId) => void parts.connectionManager.closeConnections(peer).catch(() => {});
  router.protocols = [...PROTOCOLS];
  inside.seenCache = new BoundedTimeCache<undefined>({ validMs: seenTtlMs, max: MAX_SEEN });
  inside.fastMsgIdCache = new BoundedTimeCache<string>({ validMs: seenTtlMs, max: MAX_SEEN });
  keepNoFrames(inside);
  limitBackoff(inside);
  fitAnswersIntoFrames(inside);
  keepScoresOfReturningPeers(inside.score);
  creditOvertakenPeers(inside);
  joinFrames(inside);
  openStreamsIndependently(inside);
  readBoundedFrames(inside, disconnect);
  const streamless = streamlessPeers(inside);
  router.addEventListener("gossipsub:heartbeat", () => {
    trimScores(inside.score);
    for (const peer of [...streamless(), ...graylistedPeers(inside, graylistThreshold)]) disconnect(peer);
  });
  return router;
}

/** Makes the next look at a peer's score compute it, so that a penalty counts at once. */
export function forgetScore(router: GossipRouter, peer: string): void {
  const { score, acceptFromWhitelist } = router as unknown as RouterInternals;
  score.scoreCache.delete(peer);
  acceptFromWhitelist.delete(peer);
}

function keepNoFrames({ mcache }: RouterInternals): void {
  const put = mcache.put.bind(mcache);
  mcache.put = (id, message, validated) => put(id, withoutFrame(message), validated);
}

/** The message with a copy of its data if that is a small part of a larger buffer. */
function withoutFrame<Message extends RawMessage>(message: Message): Message {
  const { data } = message;
  if (data !== undefined && data.buffer.byteLength > 2 * data.length) message.data = new Uint8Array(data);
  return message;
}

function limitBackoff(inside: RouterInternals): void {
  const add = inside.doAddBackoff.bind(inside);
  inside.doAddBackoff = (peer, topic, ms) => add(peer, topic, Math.min(ms, MAX_BACKOFF_MS));
}
