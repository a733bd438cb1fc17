import { afterEach, expect, test, vi } from "vitest";
import { GossipReport } from "../../../src/p2p/gossip/gossip-report.ts";
import { receiveCounts } from "../../../src/p2p/gossip/receive-counts.ts";
import { topicString } from "../../../src/p2p/gossip/topic.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { VERSION } from "../../world/p2p/peer-nodes.ts";

afterEach(() => void vi.useRealTimers());

test("meshes, scores and message counts are logged once a minute until the report stops", () => {
  vi.useFakeTimers();
  const logged: object[] = [];
  const report = new GossipReport({
    router: {
      getMeshPeers: (topic) => (topic === topicString("tx", VERSION) ? ["a", "b"] : []),
      getPeers: () => ["a", "b"] as never,
      getScore: (peer) => (peer === "a" ? 3.14 : -2.71),
    },
    receiver: { counts: () => new Map([["tx", { ...receiveCounts(), received: 3, rejected: 1 }]]) },
    version: VERSION,
    logger: { ...silentLogger, debug: (facts) => void logged.push(facts) },
  });
  report.start();
  vi.advanceTimersByTime(59_000);
  expect(logged).toEqual([]);
  vi.advanceTimersByTime(2_000);
  const tx = { mesh: 2, received: 3, accepted: 0, ignored: 0, rejected: 1, dropped: 0, late: 0 };
  expect(logged).toEqual([{ peers: 2, lowestScore: -2.7, topics: { tx } }]);
  report.stop();
  vi.advanceTimersByTime(120_000);
  expect(logged).toHaveLength(1);
});
