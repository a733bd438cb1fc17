import { once } from "node:events";
import net from "node:net";
import { afterEach, expect, test } from "vitest";
import { NegotiatedNames, NegotiationError } from "../../../src/p2p/patches/multistream-select.ts";
import { type GossipHost, gossipHost } from "../support/gossip-host.ts";

const running: GossipHost[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((host) => host.stop()));
});

const line = (name: string) => {
  const body = Buffer.from(`${name}\n`);
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return Buffer.concat([Buffer.from(length), body]);
};
const HEADER = line("/multistream/1.0.0");
const names = () => new NegotiatedNames((name) => name === "/noise");

test("a negotiation ends at its choice however its bytes are cut, and what follows is not read", () => {
  const sent = Buffer.concat([HEADER, line(`/other/${"x".repeat(200)}`), line("/noise"), Buffer.alloc(100, 0xff)]);
  for (const size of [1, 2, 7, 50, sent.length]) {
    const read = names();
    let isDone = false;
    for (let at = 0; at < sent.length; at += size) isDone = read.read(sent.subarray(at, at + size));
    expect(isDone).toBe(true);
  }
});

test("a negotiation without a choice is not over", () => {
  expect(names().read(Buffer.concat([HEADER, line("/other")]))).toBe(false);
});

test("names break the rules by their length, their last byte or their number", () => {
  const broken = [
    Buffer.alloc(8, 0xff),
    Uint8Array.of(0),
    Uint8Array.of(0x81, 0x10),
    Uint8Array.of(2, 0x41, 0x41),
    Buffer.concat(Array.from({ length: 17 }, () => line("/x"))),
  ];
  for (const bytes of broken) expect(() => names().read(bytes)).toThrow(NegotiationError);
});

test("a client that sends a name without an end is cut off, and does not take the thread", async () => {
  const host = await gossipHost();
  running.push(host);
  const port = Number(/\/tcp\/(\d+)/.exec(String(host.host.getMultiaddrs()[0]))?.[1]);
  const socket = net.connect({ port, host: "127.0.0.1" }).on("error", () => {});
  const closed = new Promise((resolve) => socket.on("close", resolve));
  await once(socket, "connect");
  const start = process.cpuUsage();
  const bytes = Buffer.alloc(1 << 20, 0xff);
  for (let i = 0; i < 8; i++) socket.write(bytes);
  await closed;
  // Read byte by byte, these 8 MiB take the library some twenty seconds.
  expect(process.cpuUsage(start).user / 1e6).toBeLessThan(5);
});
