/**
 * Joins a running network of reference nodes as one gossip peer and reports meshes, scores and messages:
 *
 *   node test/p2p/live/mesh.ts NETWORK_FILE MINUTES
 *
 * Every message is decoded and accepted. Exits with 1 if a node did not mesh on a topic, a message could not be
 * decoded, or a score is negative at the end.
 */
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Stream } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { compressSync } from "snappy";
import { GossipReceiver } from "../../../src/p2p/gossip/gossip-receiver.ts";
import { DEFAULT_MESH, gossipService, verdictDeadlineMs } from "../../../src/p2p/gossip/gossip-service.ts";
import { TOPICS } from "../../../src/p2p/gossip/publisher.ts";
import { type GossipTopic, TOPIC_RULES, topicString } from "../../../src/p2p/gossip/topic.ts";
import { createHost } from "../../../src/p2p/host/create-host.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { referenceNetwork } from "../../world/live/reference-network.ts";
import { decoders, wrapper } from "./decoders.ts";

const [file, minutes] = process.argv.slice(2);
const network = referenceNetwork(file);
const { version } = network;
console.log(`version ${version}, ${network.nodes.length} nodes`);

const sizes = new Map<string, number[]>();
const undecoded: string[] = [];
const topics: GossipTopic[] = TOPICS.map((name) => ({
  name,
  ...TOPIC_RULES[name],
  validate(payload) {
    try {
      decoders[name](payload);
    } catch (error) {
      undecoded.push(`${name}: ${error}`);
    }
    sizes.set(name, [...(sizes.get(name) ?? []), payload.length]);
    return { result: "accept" };
  },
}));

const host = await createHost({
  privateKey: await generateKeyPair("secp256k1"),
  listen: ["/ip4/127.0.0.1/tcp/0"],
  announce: [],
  maxPeers: 100,
  userAgent: "svc",
  refuses: { address: () => false, peer: () => false },
  limitPerAddress: false,
  gossip: await gossipService({
    version,
    mesh: DEFAULT_MESH,
    directPeers: [],
    applicationScore: () => 0,
    penalizeColocation: false,
    network: {
      slotDurationMs: network.slotDurationMs,
      heartbeatMs: DEFAULT_MESH.heartbeatMs,
      committeeSize: network.committeeSize,
      blockDurationMs: network.blockDurationMs,
      blockProposalsPerSlot: 0,
    },
  }),
});

/** Answers with an empty chain: only the version counts. */
const text = Buffer.from(version);
const status = Buffer.concat([u32(text.length), text, u32(0), u32(0), u32(0)]);
let statusRequests = 0;
await host.handle("/aztec/req/status/1.0.0", (stream) => answerStatus(stream));

const router = host.services.gossip;
const receiver = new GossipReceiver({
  router,
  topics,
  version,
  penalties: { penalize: (peer, tolerance, reason) => console.log(`penalty ${peer} ${tolerance}: ${reason}`) },
  seenMessages: 100_000,
  deadlineMs: verdictDeadlineMs(DEFAULT_MESH),
  wrapper,
  logger: { ...silentLogger, warn: console.warn, error: console.error },
});
host.addEventListener("peer:disconnect", ({ detail }) => console.log(`disconnected ${detail}`));
await host.start();
receiver.start();
for (const { id, address } of network.nodes) await host.dial(multiaddr(`${address}/p2p/${id}`));

const end = Date.now() + Number(minutes) * 60_000;
while (Date.now() < end) {
  await new Promise((resolve) => setTimeout(resolve, Math.min(10_000, end - Date.now())));
  const meshes = TOPICS.map((topic) => `${topic} ${router.getMeshPeers(topicString(topic, version)).length}`);
  const counts = [...receiver.counts()].map(([topic, { accepted }]) => `${topic} ${accepted}`);
  const scores = network.nodes.map(({ name, id }) => `${name}: ${router.getScore(id).toFixed(1)}`);
  console.log(`meshes ${meshes.join(", ")} | accepted ${counts.join(", ")} | scores ${scores.join(", ")}`);
}
const unmeshed = TOPICS.filter(
  (topic) => router.getMeshPeers(topicString(topic, version)).length < Math.min(network.nodes.length, DEFAULT_MESH.D),
);
const negative = network.nodes.filter(({ id }) => router.getScore(id) < 0);
for (const [topic, of] of sizes)
  console.log(`${topic}: ${of.length} messages of ${Math.min(...of)} to ${Math.max(...of)} bytes`);
console.log({ connected: host.getPeers().length, statusRequests, unmeshed, undecoded, negative });
await host.stop();
process.exitCode = unmeshed.length + undecoded.length + negative.length > 0 ? 1 : 0;

function u32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** One frame for the status byte and one for the body: the reference reads the first frame as the status. */
async function answerStatus(stream: Stream): Promise<void> {
  statusRequests++;
  const signal = AbortSignal.timeout(5_000);
  await new Promise((resolve) => stream.addEventListener("message", resolve, { once: true }));
  stream.send(Uint8Array.of(0));
  await stream.onDrain({ signal });
  stream.send(compressSync(status));
  await stream.close({ signal });
}
