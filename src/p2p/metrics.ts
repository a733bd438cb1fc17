import { counter, gauge, histogram, upDownCounter } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { VALIDATION_MS } from "./gossip/gossip-receiver.ts";
import { TOPICS } from "./gossip/publisher.ts";
import type { PeerNode } from "./peer-node.ts";
import { GOODBYE_NAMES } from "./peers/goodbye-counts.ts";
import { CONNECTION_MS } from "./peers/peer-connections.ts";
import type { PeerHealth } from "./peers/peer-scores.ts";
import { PROTOCOLS } from "./reqresp/protocols.ts";

const REASON = "aztec.p2p.goodbye.reason";
const STATE = "aztec.p2p.peer_score_state";
const PROTOCOL = "aztec.p2p.req_resp.protocol";
const TOPIC = "aztec.gossip.topic_name";
const OK = "aztec.ok";
const GOODBYES = { unit: "peers", labels: { [REASON]: Object.values(GOODBYE_NAMES) } } as const;
const REQUESTS = { unit: "requests", labels: { [PROTOCOL]: Object.keys(PROTOCOLS) } } as const;
const OF_TOPIC = { [TOPIC]: TOPICS } as const;

const aggregate = (name: string, meaning: string) =>
  gauge(`aztec.p2p.gossip.agg_message_validation_duration_${name}`, {
    unit: "ms",
    labels: OF_TOPIC,
    meaning: `${meaning} of the times of validation since the start`,
  });

export const P2P_METRICS = {
  peerCount: gauge("aztec.peer_manager.peer_count", { unit: "peers", meaning: "connected peers" }),
  goodbyesSent: upDownCounter("aztec.peer_manager.goodbyes_sent", {
    ...GOODBYES,
    meaning: "peers that this node disconnected, by the reason that it told them",
  }),
  goodbyesReceived: upDownCounter("aztec.peer_manager.goodbyes_received", {
    ...GOODBYES,
    meaning: "peers that left, by the reason that they told",
  }),
  lowScore: upDownCounter("aztec.peer_manager.low_score_disconnects", {
    unit: "peers",
    labels: { [STATE]: ["Banned", "Disconnect"] },
    meaning: "peers that were disconnected because of their score",
  }),
  connectionTime: histogram("aztec.peer_manager.peer_connection_duration", {
    unit: "ms",
    bounds: CONNECTION_MS,
    meaning: "time from connecting to disconnecting",
  }),
  states: upDownCounter("aztec.p2p.peer_state_count", {
    unit: "peers",
    labels: { [STATE]: ["Healthy", "Disconnect", "Banned"] },
    meaning: "connected peers by the state of their score",
  }),
  sent: upDownCounter("aztec.p2p.req_resp.sent_requests", { ...REQUESTS, meaning: "requests sent to peers" }),
  received: upDownCounter("aztec.p2p.req_resp.received_requests", {
    ...REQUESTS,
    meaning: "requests that peers sent",
  }),
  failedOutbound: upDownCounter("aztec.p2p.req_resp.failed_outbound_requests", {
    ...REQUESTS,
    meaning: "requests to peers without a usable answer",
  }),
  failedInbound: upDownCounter("aztec.p2p.req_resp.failed_inbound_requests", {
    ...REQUESTS,
    meaning: "requests of peers that were answered with an error or not at all",
  }),
  validated: upDownCounter("aztec.p2p.gossip.message_validation_count", {
    labels: { ...OF_TOPIC, [OK]: ["true", "false"] },
    meaning: "validated messages; ok: accepted",
  }),
  validationTime: histogram("aztec.p2p.gossip.message_validation_duration", {
    unit: "ms",
    labels: OF_TOPIC,
    bounds: VALIDATION_MS,
    meaning: "time of validating a message",
  }),
  txsReceived: upDownCounter("aztec.p2p.gossip.tx_received_count", { meaning: "transactions that gossip brought" }),
  aggregates: {
    min: aggregate("min", "least"),
    max: aggregate("max", "greatest"),
    p50: aggregate("p50", "median"),
    p90: aggregate("p90", "90th percentile"),
    avg: aggregate("avg", "mean"),
  },
  invalidAttestations: upDownCounter("aztec.validator.invalid_attestation_received_count", {
    meaning: "attestations of peers that were rejected",
  }),
  outcomes: counter("svc.p2p.gossip.messages", {
    unit: "{message}",
    labels: { ...OF_TOPIC, outcome: ["accepted", "ignored", "rejected", "dropped", "late"] },
    meaning: "messages by topic and outcome; dropped: too many waited, late: not forwarded",
  }),
  mesh: gauge("svc.p2p.gossip.mesh_peers", { unit: "{peer}", labels: OF_TOPIC, meaning: "peers in a topic's mesh" }),
  inbound: gauge("svc.p2p.inbound_peers", { unit: "{peer}", meaning: "connected peers that dialled this node" }),
} as const;

const STATES: Readonly<Record<PeerHealth, string>> = { healthy: "Healthy", disconnect: "Disconnect", banned: "Banned" };
const OUTCOMES = ["accepted", "ignored", "rejected", "dropped", "late"] as const;

type ObservedPeers = Pick<PeerNode, "connections" | "meshPeers" | "peers" | "receiver" | "requests" | "scores">;

/** Exports the node's peers and what comes from them. */
export function observePeers(metrics: Metrics, node: ObservedPeers): () => void {
  const rows = P2P_METRICS;
  return metrics.observe((to) => {
    const peers = node.peers.peers();
    to.set(rows.peerCount, peers.length);
    to.set(rows.inbound, peers.filter(({ inbound }) => inbound).length);
    const health = peers.map(({ id }) => node.scores.health(id));
    for (const [state, name] of Object.entries(STATES)) {
      to.set(rows.states, health.filter((one) => one === state).length, { [STATE]: name });
    }
    const { goodbyesSent, goodbyesReceived, connectionTimes } = node.connections;
    for (const [reason, count] of goodbyesSent.read()) to.set(rows.goodbyesSent, count, { [REASON]: reason });
    for (const [reason, count] of goodbyesReceived.read()) to.set(rows.goodbyesReceived, count, { [REASON]: reason });
    to.set(rows.lowScore, goodbyesSent.read().get("banned") ?? 0, { [STATE]: "Banned" });
    to.set(rows.lowScore, goodbyesSent.read().get("low_score") ?? 0, { [STATE]: "Disconnect" });
    to.setDistribution(rows.connectionTime, connectionTimes.read());

    for (const [protocol, counts] of Object.entries(node.requests)) {
      const labels = { [PROTOCOL]: protocol };
      to.set(rows.sent, counts.sent, labels);
      to.set(rows.received, counts.received, labels);
      to.set(rows.failedOutbound, counts.failedOutbound, labels);
      to.set(rows.failedInbound, counts.failedInbound, labels);
    }

    for (const [topic, counts] of node.receiver.counts()) {
      const labels = { [TOPIC]: topic };
      to.set(rows.validated, counts.accepted, { ...labels, [OK]: "true" });
      to.set(rows.validated, counts.ignored + counts.rejected, { ...labels, [OK]: "false" });
      for (const outcome of OUTCOMES) to.set(rows.outcomes, counts[outcome], { ...labels, outcome });
      to.set(rows.mesh, node.meshPeers(topic), labels);
      if (topic === "checkpoint_attestation") to.set(rows.invalidAttestations, counts.rejected);
      if (topic === "tx") to.set(rows.txsReceived, counts.received);
    }
    for (const [topic, { counted, all }] of node.receiver.validationTimes()) {
      const labels = { [TOPIC]: topic };
      to.setDistribution(rows.validationTime, counted, labels);
      if (all.count === 0) continue;
      to.set(rows.aggregates.min, all.min, labels);
      to.set(rows.aggregates.max, all.max, labels);
      to.set(rows.aggregates.p50, all.percentile(50), labels);
      to.set(rows.aggregates.p90, all.percentile(90), labels);
      to.set(rows.aggregates.avg, Math.ceil(all.mean), labels);
    }
  });
}
