import { generateKeyPair } from "@libp2p/crypto/keys";
import { afterEach, expect, test } from "vitest";
import { HostilePeer } from "../scenarios/attacks/hostile-peer.ts";
import { FLAG, header, rawMuxer, TYPE } from "../scenarios/attacks/raw-muxer.ts";
import { VERSION } from "../scenarios/attacks/target.ts";
import { type GossipHost, gossipHost, until } from "../support/gossip-host.ts";

const running: { stop(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.stop()));
});

/** Sends chunks below the muxer to a host until it is disconnected. Returns how many were sent. */
async function sentUntilCut(chunk: (i: number) => Uint8Array, most: number): Promise<number> {
  const host: GossipHost = await gossipHost();
  running.push(host);
  const port = Number(/\/tcp\/(\d+)/.exec(String(host.host.getMultiaddrs()[0]))?.[1]);
  let sent = 0;
  const privateKey = await generateKeyPair("secp256k1");
  const peer = await HostilePeer.connect({ port, id: host.id, version: VERSION }, AbortSignal.timeout(20_000), {
    privateKey,
    muxer: rawMuxer((wire) => {
      wire.addEventListener("message", () => {});
      const next = (): void => {
        if (sent === most || wire.status !== "open") return;
        wire.send(chunk(sent++));
        if (wire.writeBufferLength === 0) setImmediate(next);
        else wire.addEventListener("idle", next, { once: true });
      };
      setTimeout(next, 50);
    }),
  });
  running.push({ stop: () => peer.close() });
  await until("the peer is disconnected", () => !peer.open);
  return sent;
}

test("a muxer frame above the window ends the connection before its bytes are collected", async () => {
  const bytes = Buffer.alloc(256 * 1024);
  const sent = await sentUntilCut((i) => (i === 0 ? header(TYPE.data, FLAG.syn, 1, 2 ** 32 - 1) : bytes), 400);
  expect(sent).toBeLessThan(100);
});

test("a flood of muxer pings ends the connection", async () => {
  await sentUntilCut((i) => header(TYPE.ping, FLAG.syn, 0, i), 200);
});

test("a flood of new streams ends the connection", async () => {
  const opened = (i: number) =>
    Buffer.concat(Array.from({ length: 100 }, (_, n) => header(TYPE.window, FLAG.syn, 2 * (100 * i + n) + 1, 0)));
  await sentUntilCut(opened, 1_000);
});

test("a muxer frame that comes in single bytes ends the connection", async () => {
  const one = Uint8Array.of(1);
  await sentUntilCut((i) => (i === 0 ? header(TYPE.data, FLAG.syn, 1, 100_000) : one), 20_000);
});
