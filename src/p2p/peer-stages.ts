import { within } from "../events/within.ts";
import type { PeerDiscovery } from "./discovery/peer-discovery.ts";
import type { GossipReceiver } from "./gossip/gossip-receiver.ts";
import type { GossipReport } from "./gossip/gossip-report.ts";
import type { Host } from "./host/create-host.ts";
import type { PeerConnections } from "./peers/peer-connections.ts";
import type { StreamRequestClient } from "./reqresp/client.ts";
import type { RequestResponder } from "./reqresp/responder.ts";
import type { Stage } from "./stages.ts";

/** Longest that the host may take to stop, in milliseconds. */
const HOST_STOP_MS = 5_000;

interface PeerStageParts {
  host: Host;
  responder: RequestResponder;
  client: StreamRequestClient;
  receiver: GossipReceiver;
  report: GossipReport;
  discovery: PeerDiscovery | undefined;
  connections: PeerConnections;
  /** Called when the host has started, before messages of gossip are taken. */
  onHostStarted(): void;
  /** Called when all have started. */
  onStarted(): void;
}

/**
 * The services of a peer node in the order in which they start: handlers of requests are there before the first peer
 * connects, and peers are dialled last. At the stop the goodbyes come first.
 */
export function peerStages(parts: PeerStageParts): Stage[] {
  const { host, responder, client, receiver, report, discovery, connections } = parts;
  return [
    {
      name: "host",
      async start() {
        await responder.register(host);
        await host.start();
        parts.onHostStarted();
      },
      async stop() {
        await responder.unregister(host);
        client.stop();
        await within(Promise.allSettled([host.stop()]), { ms: HOST_STOP_MS, ref: false });
      },
    },
    {
      name: "gossip",
      start() {
        receiver.start();
        report.start();
      },
      stop() {
        report.stop();
        return receiver.stop();
      },
    },
    { name: "discovery", start: () => discovery?.start(), stop: () => discovery?.stop() },
    {
      name: "connections",
      start() {
        connections.start();
        parts.onStarted();
      },
      stop: () => connections.stop(),
    },
  ];
}
