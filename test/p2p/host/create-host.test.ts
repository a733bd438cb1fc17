import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { type GossipHost, gossipHost, until } from "../support/gossip-host.ts";

const running: GossipHost[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((host) => host.stop()));
});

async function started(options?: Parameters<typeof gossipHost>[0]): Promise<GossipHost> {
  const host = await gossipHost(options);
  running.push(host);
  return host;
}

function dial({ host }: GossipHost): Socket {
  const [address] = host.getMultiaddrs();
  const port = Number(address.getComponents().find(({ name }) => name === "tcp")?.value);
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {}).resume();
  sockets.push(socket);
  return socket;
}

test("connections that never begin the handshake are closed and do not keep a peer away", async () => {
  const host = await started();
  const silent = Array.from({ length: 30 }, () => dial(host));
  const garbage = dial(host);
  garbage.write(Buffer.alloc(100_000, 0xff));
  await until("all are connected", () => silent.every(({ pending }) => !pending));
  const peer = await started();
  await peer.join(host);
  await until("the silent ones are closed", () => silent.every(({ closed }) => closed), 10_000);
  expect(host.host.getPeers().map(String)).toEqual([peer.id]);
});

test("a host with addresses to announce tells peers those and not the ones it listens on", async () => {
  const host = await started({ host: { announce: ["/ip4/203.0.113.7/tcp/40400"] } });
  const texts = host.host.getMultiaddrs().map((address) => address.toString());
  expect(texts).toEqual([`/ip4/203.0.113.7/tcp/40400/p2p/${host.id}`]);
});

test("more connections than twice the number of peers are refused", async () => {
  const host = await started({ host: { maxPeers: 1 } });
  const peers = await Promise.all([1, 2, 3, 4].map(() => started()));
  for (const peer of peers) await peer.host.dial(host.host.getMultiaddrs()).catch(() => {});
  await until("two peers are left", () => host.host.getConnections().length <= 2);
  expect(host.host.getConnections().length).toBeGreaterThan(0);
});
