import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Libp2p } from "@libp2p/interface";
import { noise } from "@libp2p/noise";
import { tcp } from "@libp2p/tcp";
import { yamux } from "@libp2p/yamux";
import { createLibp2p } from "libp2p";
import { afterEach, expect, test } from "vitest";
import { libp2pPeerHost } from "../../../src/p2p/peers/libp2p-host.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

const started: Libp2p[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((host) => host.stop()));
});

async function host() {
  const libp2p = await createLibp2p({
    privateKey: await generateKeyPair("secp256k1"),
    addresses: { listen: ["/ip4/127.0.0.1/tcp/0"] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
  });
  started.push(libp2p);
  const [address] = libp2p.getMultiaddrs().map((each) => each.toString().replace(/\/p2p\/.*/, ""));
  return { libp2p, address, peers: libp2pPeerHost(libp2p, silentLogger) };
}

test("two hosts see each other's connection, its direction and address, and its end", async () => {
  const [a, b] = [await host(), await host()];
  const events: string[] = [];
  b.peers.onConnect((id) => events.push(`connect ${id}`));
  b.peers.onDisconnect((id) => events.push(`disconnect ${id}`));
  await a.peers.dial(b.peers.id, b.address, AbortSignal.timeout(60_000));
  await expect.poll(() => b.peers.isConnected(a.peers.id)).toBe(true);
  expect(a.peers.peers()).toMatchObject([{ id: b.peers.id, ip: "127.0.0.1", inbound: false }]);
  expect(b.peers.peers()).toMatchObject([{ id: a.peers.id, ip: "127.0.0.1", inbound: true }]);
  await a.peers.hangUp(b.peers.id);
  await expect.poll(() => events).toEqual([`connect ${a.peers.id}`, `disconnect ${a.peers.id}`]);
  expect(b.peers.isConnected(a.peers.id)).toBe(false);
});

test("a dial of a peer under the address of another is refused", async () => {
  const [a, b, c] = [await host(), await host(), await host()];
  await expect(a.peers.dial(c.peers.id, b.address, AbortSignal.timeout(60_000))).rejects.toThrow();
  expect(a.peers.peers()).toEqual([]);
});
