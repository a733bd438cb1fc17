import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { NETWORK_RELEASE } from "../../../src/network/network-release.ts";
import { type ConfiguredDiscovery, configuredDiscovery } from "../../../src/node/peers/node-discovery.ts";
import { configuredIdentity } from "../../../src/node/peers/own-identity.ts";
import { listedPeers } from "../../../src/node/peers/peer-settings.ts";
import { parseRecord } from "../../../src/p2p/discovery/record-rules.ts";
import { createLogging, type NodeLogger } from "../../../src/process/logging/logging.ts";
import { freePort } from "../../support/free-port.ts";
import { vectors } from "../../world/p2p/identity-vectors.ts";

const { node, bootnode } = vectors.enr;
let folder: string;
let lines: string[];
let log: NodeLogger;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-configured-discovery-"));
  lines = [];
  const { values } = configure({ flags: new Map(), environment: {} });
  log = createLogging({ filter: values.logLevel, json: false, secrets: [], write: (line) => lines.push(line) })("p2p");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const valuesOf = (environment: Record<string, string>) =>
  partValues(configure({ flags: new Map(), environment }).values).p2p;

function discoveryOf(environment: Record<string, string>): ConfiguredDiscovery {
  const values = valuesOf(environment);
  const identity = configuredIdentity(values.own, folder, log);
  return configuredDiscovery(values, {
    ...{ identity, version: node.aztecKey, ip: values.own.ip, dataDirectory: folder, log },
  });
}

test("the options make the record of the network's vectors, with a number that rises", () => {
  const { record } = discoveryOf({ PEER_ID_PRIVATE_KEY: node.privateKeyFileContent, P2P_IP: "127.0.0.1" });
  const made = parseRecord(record.text, "record");
  const { kvs } = parseRecord(node.txt, "record");
  expect(made.kvs).toEqual(new Map(kvs).set("ver", new TextEncoder().encode(NETWORK_RELEASE)));
  const moved = discoveryOf({ P2P_IP: "127.0.0.1", P2P_PORT: "1", P2P_BROADCAST_PORT: "40401" });
  const next = parseRecord(moved.record.text, "record");
  expect([next.nodeId, next.udp, next.tcp, next.seq]).toEqual([made.nodeId, 40401, 40401, made.seq + 1n]);
});

test("trusted peers enter discovery unless they are private, and a damaged bootnode is skipped with a warning", async () => {
  const { discovery } = discoveryOf({
    P2P_IP: "127.0.0.1",
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_PORT: String(await freePort()),
    P2P_TRUSTED_PEERS: `${node.txt},${bootnode.txt}`,
    P2P_PRIVATE_PEERS: bootnode.txt,
    BOOTSTRAP_NODES: "enr:damaged",
  });
  await discovery?.start();
  expect(discovery?.table.map(({ nodeId }) => nodeId)).toEqual([node.nodeId]);
  await discovery?.stop();
  expect(lines.join("")).toContain(
    "skipped a node record: bootstrapNodes item 1 must be enr: and a signed node record",
  );
});

test("disabled discovery leaves a record", () => {
  const { discovery, record } = discoveryOf({ P2P_DISCOVERY_DISABLED: "1", P2P_IP: "127.0.0.1" });
  expect(discovery).toBeUndefined();
  expect(parseRecord(record.text, "record").ip).toBe("127.0.0.1");
});

test("a listed peer that is not valid ends the start with option and item", () => {
  const listed = (environment: Record<string, string>) => () => listedPeers(valuesOf(environment).listed);
  expect(listed({ P2P_TRUSTED_PEERS: `${node.txt},enr:damaged` })).toThrow("trustedPeers item 2 must be enr: and a");
  expect(listed({ P2P_PREFERRED_PEERS: bootnode.txt })).toThrow("preferredPeers item 1 must have a TCP address");
  expect(listed({ P2P_PRIVATE_PEERS: bootnode.txt })().private.map(({ id }) => id)).toEqual([bootnode.peerId]);
});

test("port 0 cannot be announced", () => {
  expect(() => discoveryOf({ P2P_IP: "127.0.0.1", P2P_PORT: "0" })).toThrow(
    "this node's record must have an IPv4 address of a host, ports above 0 and less than 300 bytes",
  );
});
