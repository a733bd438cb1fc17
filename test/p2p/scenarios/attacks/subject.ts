import { randomBytes } from "node:crypto";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { DEFAULT_MESH } from "../../../../src/p2p/gossip/gossip-service.ts";
import { TOPICS } from "../../../../src/p2p/gossip/publisher.ts";
import { type GossipOutcome, TOPIC_RULES } from "../../../../src/p2p/gossip/topic.ts";
import { generatePeerIdentity } from "../../../../src/p2p/identity/peer-identity.ts";
import { createPeerNode } from "../../../../src/p2p/peer-node.ts";
import { StatusHandshake } from "../../../../src/p2p/peers/status-handshake.ts";
import { blockTxsHandler } from "../../../../src/p2p/reqresp/handlers/block-txs.ts";
import { txHandler } from "../../../../src/p2p/reqresp/handlers/tx.ts";
import type { Logger } from "../../../../src/telemetry/logger.ts";
import { SERVED_TXS, type SubjectFacts, servedHash, VERSION } from "./target.ts";

/**
 * A node among its peers in a process of its own, the target of the attacks. Its topics accept payloads that start with
 * "honest" or "valid" and reject all others. Prints its facts as one line of JSON, writes warnings and errors to stderr
 * and ends when stdin does.
 */
const { values } = parseArgs({ options: { "max-peers": { type: "string", default: "100" } } });

const VALID = /^(honest|valid)/;
/** Incompressible, the largest size that peers accept. */
const TX_BYTES = 512 * 1024;

const identity = generatePeerIdentity();
const status = () => ({ version: VERSION, latestBlock: 1, latestHash: "", finalizedBlock: 0 });
const txs = new Map(
  Array.from({ length: SERVED_TXS }, (_, i) => [servedHash(i).toString("hex"), randomBytes(TX_BYTES)]),
);
const served = {
  txBytes: (hash: Uint8Array) => txs.get(Buffer.from(hash).toString("hex")),
  hasTx: (hash: Uint8Array) => txs.has(Buffer.from(hash).toString("hex")),
};

function validate(payload: Uint8Array): GossipOutcome {
  const valid = VALID.test(Buffer.from(payload.subarray(0, 8)).toString("latin1"));
  return valid ? { result: "accept" } : { result: "reject", tolerance: "low", reason: "not valid" };
}

function said(level: string) {
  return (facts: object, message: string) => {
    const error = "err" in facts ? String((facts.err as Error)?.stack ?? facts.err) : "";
    process.stderr.write(`${level} ${message} ${error}\n`);
  };
}
const logger: Logger = { debug() {}, info() {}, warn: said("WARN"), error: said("ERROR") };

const node = await createPeerNode({
  settings: {
    identity,
    version: VERSION,
    listen: { address: "127.0.0.1", port: 0 },
    announce: undefined,
    userAgent: "test",
    maxPeers: Number(values["max-peers"]),
    heartbeatMs: 1_000,
    penalties: [2, 10, 50],
    mesh: DEFAULT_MESH,
    network: {
      slotDurationMs: 24_000,
      heartbeatMs: DEFAULT_MESH.heartbeatMs,
      committeeSize: 4,
      blockDurationMs: undefined,
      blockProposalsPerSlot: 0,
    },
    seenMessages: 100_000,
    limitPerAddress: true,
    instrumented: false,
    listed: { trusted: [], private: [], preferred: [] },
  },
  discovery: undefined,
  services: ({ client }) => ({
    topics: TOPICS.map((name) => ({ ...TOPIC_RULES[name], name, validate })),
    handlers: {
      tx: txHandler(served),
      block_txs: blockTxsHandler(served, { txHashesOf: () => undefined }),
    },
    handshake: new StatusHandshake(client, status),
    status,
  }),
  now: Date.now,
  loggerFor: () => logger,
});
await node.start();
const port = Number(/\/tcp\/(\d+)/.exec(String(node.host.getMultiaddrs()[0]))?.[1]);
const facts: SubjectFacts = { port, id: identity.id, version: VERSION };
process.stdout.write(`${JSON.stringify(facts)}\n`);

createInterface(process.stdin).on("close", async () => {
  await node.stop();
  process.exit();
});
