import { createSocket } from "node:dgram";
import { afterEach, expect, test } from "vitest";
import { parseRecord } from "../../src/p2p/discovery/record-rules.ts";
import { freePort } from "../support/free-port.ts";
import { bootnode, discoveryNode, heardOf, type NodeSettings, VERSION } from "../world/p2p/discovery-nodes.ts";

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
});

async function started<T extends { start(): Promise<void>; stop(): Promise<void> }>(made: Promise<T>): Promise<T> {
  const service = await made;
  await service.start();
  running.push(service);
  return service;
}

const WAIT = { timeout: 120_000, interval: 250 };

test("discovery finds the nodes of its version over a bootnode, and no others", async () => {
  const boot = await started(bootnode());
  const settings: NodeSettings = { bootnodes: [boot.enr] };
  const other = await started(discoveryNode({ ...settings, version: VERSION.replace("-7-", "-8-") }));
  const nodes = await Promise.all([1, 2, 3].map(() => started(discoveryNode(settings))));
  const heard = nodes.map(heardOf);
  const all = nodes.map(({ identity }) => identity.id).toSorted();
  const heardByOther = heardOf(other);

  await expect
    .poll(async () => {
      await Promise.all([...nodes, other].map((node) => node.query()));
      return heard.map((ids) => ids.size);
    }, WAIT)
    .toEqual([2, 2, 2]);
  for (const [i, ids] of heard.entries()) {
    expect([...ids, nodes[i]?.identity.id].toSorted()).toEqual(all);
  }

  // The bootnode introduced them to the other version too; nobody reports it or hands it on.
  await expect.poll(() => other.query().then(() => boot.routingTable), WAIT).toHaveLength(4);
  expect(heardByOther.size).toBe(0);
  for (const node of nodes)
    expect(node.table.map(({ nodeId }) => nodeId)).not.toContain(parseRecord(other.enr, "").nodeId);
});

test("discovery reports a bootnode as a peer only when told to, and can require its version", async () => {
  const boot = await started(bootnode());
  const asPeer = await discoveryNode({ bootnodes: [boot.enr], bootnodesAsPeers: true });
  const checked = await discoveryNode({ bootnodes: [boot.enr], bootnodesAsPeers: true, checkBootnodes: true });
  const usual = await discoveryNode({ bootnodes: [boot.enr] });
  const heard = [asPeer, checked, usual].map(heardOf);
  for (const node of [asPeer, checked, usual]) await started(Promise.resolve(node));
  expect(heard.map((ids) => ids.size)).toEqual([1, 0, 0]);
  expect(checked.table).toEqual([]);
  expect(usual.table).toHaveLength(1);
});

test("discovery reports a trusted peer at its start, of its version only", async () => {
  const trusted = await discoveryNode();
  const foreign = await discoveryNode({ version: VERSION.replace("-7-", "-8-") });
  const node = await discoveryNode({ trusted: [trusted.enr, foreign.enr] });
  const heard = heardOf(node);
  await started(Promise.resolve(node));
  expect([...heard]).toEqual([trusted.identity.id]);
});

test("discovery announces the address that ten peers see when it has none", async () => {
  const peers = await Promise.all(Array.from({ length: 11 }, () => started(discoveryNode())));
  const node = await started(discoveryNode({ hidden: true, trusted: peers.map(({ enr }) => enr) }));
  expect(parseRecord(node.enr, "").ip).toBeUndefined();
  const before = parseRecord(node.enr, "").seq;
  await expect
    .poll(async () => {
      await node.query();
      return parseRecord(node.enr, "").getLocationMultiaddr("tcp4")?.toString();
    }, WAIT)
    .toBe(`/ip4/127.0.0.1/tcp/${node.transport.port}`);
  expect(parseRecord(node.enr, "").seq).toBeGreaterThan(before);
});

test("discovery says which UDP port is taken", async () => {
  const port = await freePort();
  const socket = createSocket("udp4");
  await new Promise<void>((resolve) => socket.bind(port, "127.0.0.1", resolve));
  const node = await discoveryNode({ listen: { address: "127.0.0.1", port } });
  await expect(node.start()).rejects.toThrow(`cannot listen on 127.0.0.1 UDP port ${port} (EADDRINUSE)`);
  await node.stop();
  socket.close();
});

test("discovery stops during its first lookup without waiting for it", async () => {
  const node = await started(discoveryNode());
  const query = node.query();
  expect(node.query()).toBe(query);
  await node.stop();
  await query;
  await node.query();
});
