import { once } from "node:events";
import net from "node:net";
import { generateKeyPair } from "@libp2p/crypto/keys";
import type { MultiaddrConnection } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { afterEach, expect, test } from "vitest";
import { connectionGater } from "../../../src/p2p/host/connection-gater.ts";
import { HalfOpenConnections } from "../../../src/p2p/host/half-open.ts";
import { type GossipHost, gossipHost, until } from "../support/gossip-host.ts";

const running: GossipHost[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((host) => host.stop()));
});

async function started(options?: Parameters<typeof gossipHost>[0]): Promise<GossipHost> {
  const host = await gossipHost(options);
  running.push(host);
  return host;
}

function from(address: string): MultiaddrConnection {
  return {
    remoteAddr: multiaddr(address),
    addEventListener() {},
    onData() {},
    readBuffer: new Uint8Array(0),
  } as unknown as MultiaddrConnection;
}

test("connections from a refused IP address, or without one, are denied", () => {
  const gater = connectionGater({
    refuses: { address: (ip) => ip === "10.0.0.1" || ip === "2001:db8::1", peer: () => false },
    maxPerAddress: 10,
    inboundAddresses: () => [],
    connectionsWith: () => 0,
    halfOpen: new HalfOpenConnections({ overall: 100, perAddress: 100 }),
    turns: { guard() {} },
  });
  const denied = (address: string) => gater.denyInboundConnection?.(from(address));
  expect(["/ip4/10.0.0.1/tcp/1", "/ip6/2001:db8::1/tcp/1", "/dns4/x/tcp/1"].map(denied)).toEqual([true, true, true]);
  expect(["/ip4/10.0.0.2/tcp/1", "/ip6/2001:db8::2/tcp/1"].map(denied)).toEqual([false, false]);
});

test("one IP address has a limited number of inbound connections, and others are not affected", () => {
  const open: string[] = [];
  const gater = connectionGater({
    refuses: { address: () => false, peer: () => false },
    maxPerAddress: 2,
    inboundAddresses: () => open,
    connectionsWith: () => 0,
    halfOpen: new HalfOpenConnections({ overall: 100, perAddress: 100 }),
    turns: { guard() {} },
  });
  const denied = (ip: string) => gater.denyInboundConnection?.(from(`/ip4/${ip}/tcp/1`));
  expect(denied("10.0.0.1")).toBe(false);
  open.push("10.0.0.1", "10.0.0.1");
  expect([denied("10.0.0.1"), denied("10.0.0.2")]).toEqual([true, false]);
});

test("a refused peer is turned away after the handshake, and another is not", async () => {
  const privateKey = await generateKeyPair("secp256k1");
  const refusedId = peerIdFromPrivateKey(privateKey).toString();
  const host = await started({ host: { refuses: { address: () => false, peer: (id) => id === refusedId } } });
  const refused = await started({ host: { privateKey } });
  const welcome = await started();
  await refused.host.dial(host.host.getMultiaddrs()).catch(() => {});
  await welcome.join(host);
  await until("the refused peer is without a connection", () => refused.host.getConnections().length === 0);
  expect(host.host.getPeers().map(String)).toEqual([welcome.id]);
});

test("one key has at most three connections", async () => {
  const privateKey = await generateKeyPair("secp256k1");
  const host = await started();
  const clients = await Promise.all(Array.from({ length: 6 }, () => started({ host: { privateKey } })));
  await Promise.all(clients.map((client) => client.host.dial(host.host.getMultiaddrs()).catch(() => {})));
  const open = () => clients.filter(({ host }) => host.getConnections().length > 0).length;
  await until("three of six connections are left", () => open() === 3);
  expect(host.host.getConnections()).toHaveLength(3);
});

test("of too many incomplete handshakes a silent one is ended, then the oldest; an address has a limited number", () => {
  const ended: number[] = [];
  const connection = (i: number, bytesRead: number) =>
    ({ addEventListener() {}, abort: () => ended.push(i), socket: { bytesRead } }) as unknown as MultiaddrConnection;
  const halfOpen = new HalfOpenConnections({ overall: 3, perAddress: 2 });
  const rows: [string, number][] = [
    ["a", 1],
    ["a", 0],
    ["a", 0],
    ["b", 1],
    ["c", 0],
    ["d", 1],
    ["e", 1],
  ];
  const taken = rows.map(([ip, bytesRead], i) => halfOpen.enter(connection(i, bytesRead), ip));
  expect(taken).toEqual([true, true, false, true, true, true, true]);
  expect(ended).toEqual([1, 4, 0]);
  expect(halfOpen.size).toBe(3);
});

test("a peer connects while hundreds of handshakes from many addresses stop in the middle", async () => {
  const host = await started();
  const port = Number(/\/tcp\/(\d+)/.exec(String(host.host.getMultiaddrs()[0]))?.[1]);
  const sockets = Array.from({ length: 400 }, (_, i) =>
    net
      .connect({ port, host: "127.0.0.1", localAddress: `127.0.${1 + (i >> 7)}.${1 + (i & 127)}` })
      .on("error", () => {}),
  );
  await Promise.all(sockets.map((socket) => once(socket, "connect")));
  const peer = await started();
  await peer.join(host);
  for (const socket of sockets) socket.destroy();
});
