/**
 * Preload for a node of the reference network (`NODE_OPTIONS=--import=FILE`): each 5 s it appends a line of JSON to
 * `mesh.jsonl` in the node's data directory, with the members of each topic's mesh, the gossip score of each peer, and
 * what counts against a peer besides missing deliveries: invalid messages and misbehaviour.
 */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

const directory = process.env.DATA_DIRECTORY;
const isNode = process.argv.includes("--node") && !process.argv.includes("--prover-node");

if (isMainThread && isNode && directory !== undefined) {
  const path = "./node_modules/@aztec/p2p/dest/services/libp2p/libp2p_service.js";
  const services = new URL(path, import.meta.url).href;
  const { LibP2PService } = await import(services);
  const { start } = LibP2PService.prototype;
  LibP2PService.prototype.start = async function startAndReport() {
    await start.call(this);
    setInterval(() => {
      const { pubsub } = this.node.services;
      const meshes = Object.fromEntries(
        pubsub.getTopics().map((topic) => [topic.split("/")[2], pubsub.getMeshPeers(topic)]),
      );
      const scores = Object.fromEntries(
        pubsub.getPeers().map((peer) => [peer.toString(), pubsub.getScore(peer.toString())]),
      );
      const faults = Object.fromEntries(
        Object.entries(pubsub.dumpPeerScoreStats()).map(([peer, { behaviourPenalty, topics }]) => [
          peer,
          Object.values(topics).reduce((sum, topic) => sum + topic.invalidMessageDeliveries, behaviourPenalty),
        ]),
      );
      appendFileSync(join(directory, "mesh.jsonl"), `${JSON.stringify({ t: Date.now(), meshes, scores, faults })}\n`);
    }, 5_000).unref();
  };
}
