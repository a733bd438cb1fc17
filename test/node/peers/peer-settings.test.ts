import { pino } from "pino";
import { expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { admission, checkAdmission } from "../../../src/node/peers/admission.ts";
import { configuredDiscovery } from "../../../src/node/peers/node-discovery.ts";
import { listedPeers, peerNodeSettings } from "../../../src/node/peers/peer-settings.ts";
import { generatePeerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import { Teardown } from "../../../src/process/teardown.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { FakeHost } from "../../world/p2p/fake-host.ts";
import { vectors } from "../../world/p2p/identity-vectors.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";

const log = silentLogger;
const identity = generatePeerIdentity();
const VERSION = "00-1-603bb2c0-7-2672340d-1dd2644a";
const { node, bootnode, nodeWithoutIp } = vectors.enr;
const LISTED = { id: node.peerId, address: `/ip4/${node.ip}/tcp/40400`, enr: node.txt };

const valuesOf = (environment: Record<string, string> = {}) =>
  partValues(configure({ flags: new Map(), environment, networkFile: undefined }).values);

function settingsOf(environment: Record<string, string> = {}, ip: string | undefined = undefined) {
  const constants = { slotDuration: 72, targetCommitteeSize: 48 };
  return peerNodeSettings(valuesOf(environment), { identity, version: VERSION, ip, release: "4.1.2", constants });
}

test("without options the peer node has the network's defaults", () => {
  expect(settingsOf()).toEqual({
    identity,
    version: VERSION,
    listen: { address: "0.0.0.0", port: 40400 },
    announce: undefined,
    userAgent: "svc/4.1.2",
    maxPeers: 100,
    heartbeatMs: 30_000,
    penalties: [2, 10, 50],
    mesh: {
      heartbeatMs: 700,
      ...{ D: 8, Dlo: 4, Dhi: 12, Dlazy: 8 },
      floodPublish: false,
      mcacheLength: 6,
      mcacheGossip: 3,
      seenTtlMs: 1_200_000,
    },
    network: {
      slotDurationMs: 72_000,
      heartbeatMs: 700,
      committeeSize: 48,
      blockDurationMs: undefined,
      blockProposalsPerSlot: 0,
    },
    topics: ["tx", "block_proposal", "checkpoint_proposal", "checkpoint_attestation"],
    seenMessages: 100_000,
    limitPerAddress: true,
    requestTimeouts: { dialMs: 5_000, requestMs: 10_000 },
    instrumented: false,
    listed: { trusted: [], private: [], preferred: [] },
  });
});

test("every option of host, gossip and scores changes the setting that it names", () => {
  const environment = {
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_PORT: "40401",
    P2P_MAX_PEERS: "7",
    P2P_PEER_CHECK_INTERVAL_MS: "1000",
    P2P_PEER_PENALTY_VALUES: "1,2,3",
    P2P_GOSSIPSUB_INTERVAL_MS: "500",
    P2P_GOSSIPSUB_D: "9",
    P2P_GOSSIPSUB_DLO: "5",
    P2P_GOSSIPSUB_DHI: "13",
    P2P_GOSSIPSUB_DLAZY: "10",
    P2P_GOSSIPSUB_FLOOD_PUBLISH: "true",
    P2P_GOSSIPSUB_MCACHE_LENGTH: "8",
    P2P_GOSSIPSUB_MCACHE_GOSSIP: "4",
    P2P_GOSSIPSUB_SEEN_TTL: "60000",
    P2P_SEEN_MSG_CACHE_SIZE: "50",
    SEQ_BLOCK_DURATION_MS: "6000",
    SEQ_EXPECTED_BLOCK_PROPOSALS_PER_SLOT: "3",
    DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "true",
    DEBUG_P2P_INSTRUMENT_MESSAGES: "true",
    TRANSACTIONS_DISABLED: "true",
    P2P_REQRESP_DIAL_TIMEOUT_MS: "1000",
    P2P_REQRESP_INDIVIDUAL_REQUEST_TIMEOUT_MS: "2000",
    P2P_TRUSTED_PEERS: node.txt,
    P2P_PRIVATE_PEERS: node.txt,
    P2P_PREFERRED_PEERS: node.txt,
  };
  expect(settingsOf(environment, "10.1.2.3")).toMatchObject({
    listen: { address: "127.0.0.1", port: 40401 },
    announce: { ip: "10.1.2.3", port: 40401 },
    maxPeers: 7,
    heartbeatMs: 1000,
    penalties: [1, 2, 3],
    mesh: {
      heartbeatMs: 500,
      ...{ D: 9, Dlo: 5, Dhi: 13, Dlazy: 10 },
      floodPublish: true,
      mcacheLength: 8,
      mcacheGossip: 4,
      seenTtlMs: 60_000,
    },
    network: { heartbeatMs: 500, blockDurationMs: 6000, blockProposalsPerSlot: 3 },
    topics: ["block_proposal", "checkpoint_proposal", "checkpoint_attestation"],
    seenMessages: 50,
    limitPerAddress: false,
    requestTimeouts: { dialMs: 1_000, requestMs: 2_000 },
    instrumented: true,
    listed: { trusted: [LISTED], private: [LISTED], preferred: [LISTED] },
  });
});

test("a preferred peer without a TCP address is refused, a trusted one may dial by itself", () => {
  const values = valuesOf({ P2P_PREFERRED_PEERS: `${node.txt},${nodeWithoutIp.txt}` });
  expect(() => listedPeers(values.p2p.listed)).toThrow("preferredPeers item 2 must have a TCP address");
  expect(listedPeers(valuesOf({ P2P_TRUSTED_PEERS: bootnode.txt }).p2p.listed).trusted).toMatchObject([
    { address: undefined },
  ]);
});

test("the node's record names the broadcast port, and there is no discovery where it is disabled", () => {
  const options = { identity, version: VERSION, ip: "10.1.2.3", dataDirectory: undefined, log };
  const values = valuesOf({ P2P_BROADCAST_PORT: "40500", P2P_DISCOVERY_DISABLED: "true" });
  const { record, discovery } = configuredDiscovery(values.p2p, options);
  expect([record.signable.ip, record.signable.udp, record.signable.tcp]).toEqual(["10.1.2.3", 40500, 40500]);
  expect(discovery).toBeUndefined();
  expect(configuredDiscovery(valuesOf().p2p, options).discovery).toBeDefined();
});

test("without the handshake no peer is asked for its status, and validators-only needs it", () => {
  const host = new FakeHost();
  const context = { reader: {}, clock: { now: Date.now }, loggerFor: () => log } as unknown as Parameters<
    typeof admission
  >[0];
  const admit = (environment: Record<string, string>) => {
    const teardown = new Teardown(pino({ enabled: false }));
    const client = { request: async () => ({ status: 127, body: new Uint8Array() }) } as never;
    const admitted = admission(context, {
      values: valuesOf(environment).p2p,
      channels: { client, peers: host },
      listed: { trusted: [], private: [], preferred: [] },
      rollup: V4_ROLLUP,
      status: () => ({ version: VERSION, latestBlock: 0, latestHash: "", finalizedBlock: 0 }),
      teardown,
    });
    void teardown.run();
    return admitted;
  };
  expect(admit({}).handshake).toBeDefined();
  expect(admit({ P2P_DISABLE_STATUS_HANDSHAKE: "true" }).handshake).toBeUndefined();
  const validators = admit({ P2P_ALLOW_ONLY_VALIDATORS: "true", P2P_MAX_AUTH_FAILED_ATTEMPTS_ALLOWED: "5" });
  expect(validators.rule?.isShutOut("a stranger")).toBe(true);
  expect(() =>
    checkAdmission(valuesOf({ P2P_ALLOW_ONLY_VALIDATORS: "true", P2P_DISABLE_STATUS_HANDSHAKE: "true" }).p2p.admission),
  ).toThrow("P2P_DISABLE_STATUS_HANDSHAKE");
});

test("what setConfig may change of P2P begins with the options' values", () => {
  expect(valuesOf().p2p).toMatchObject({ reexecutes: true, storesProposedBlocks: true });
});
