import type { Logger } from "../../telemetry/logger.ts";
import type { GossipRouter } from "../patches/gossipsub/gossip-router.ts";
import type { GossipReceiver } from "./gossip-receiver.ts";
import { topicString } from "./topic.ts";

const REPORT_MS = 60_000;

interface GossipReportParts {
  router: Pick<GossipRouter, "getMeshPeers" | "getPeers" | "getScore">;
  receiver: Pick<GossipReceiver, "counts">;
  /** Protocol version string. */
  version: string;
  logger: Logger;
}

/** Logs once a minute, for each topic, the peers in its mesh and what became of the messages since the start. */
export class GossipReport {
  readonly #parts: GossipReportParts;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: GossipReportParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setInterval(() => this.log(), REPORT_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  log(): void {
    const { router, receiver, version, logger } = this.#parts;
    const scores = router.getPeers().map((peer) => router.getScore(peer.toString()));
    const lowestScore = scores.length === 0 ? 0 : Number(Math.min(...scores).toFixed(1));
    const topics = Object.fromEntries(
      [...receiver.counts()].map(([topic, counts]) => [
        topic,
        { mesh: router.getMeshPeers(topicString(topic, version)).length, ...counts },
      ]),
    );
    logger.debug({ peers: scores.length, lowestScore, topics }, "gossip with {peers:peer}");
  }
}
