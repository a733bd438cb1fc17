import { generateKeyPair } from "@libp2p/crypto/keys";
import type { MultiaddrConnection } from "@libp2p/interface";
import { peerIdFromPrivateKey } from "@libp2p/peer-id";
import { multiaddr } from "@multiformats/multiaddr";
import { afterEach, expect, test } from "vitest";
import { connectionGater } from "../../../src/p2p/host/connection-gater.ts";
import { type GossipHost, gossipHost, until } from "../gossip/gossip-host.ts";

const running: GossipHost[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((host) => host.stop()));
});

async function started(options?: Parameters<typeof gossipHost>[0]): Promise<GossipHost> {
  const host = await gossipHost(options);
  running.push(host);
  return host;
}

const from = (address: string) => ({ remoteAddr: multiaddr(address) }) as unknown as MultiaddrConnection;

test("connections from a refused IP address, or without one, are denied", () => {
  const gater = connectionGater({
    refuses: { address: (ip) => ip === "10.0.0.1" || ip === "2001:db8::1", peer: () => false },
    mostPerAddress: 10,
    inboundAddresses: () => [],
  });
  const denied = (address: string) => gater.denyInboundConnection?.(from(address));
  expect(["/ip4/10.0.0.1/tcp/1", "/ip6/2001:db8::1/tcp/1", "/dns4/x/tcp/1"].map(denied)).toEqual([true, true, true]);
  expect(["/ip4/10.0.0.2/tcp/1", "/ip6/2001:db8::2/tcp/1"].map(denied)).toEqual([false, false]);
});

test("one IP address has a limited number of inbound connections, and others are not affected", () => {
  const open: string[] = [];
  const gater = connectionGater({
    refuses: { address: () => false, peer: () => false },
    mostPerAddress: 2,
    inboundAddresses: () => open,
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
