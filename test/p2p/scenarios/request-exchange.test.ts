import { afterEach, expect, test, vi } from "vitest";
import { RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { decodeStatus } from "../../../src/p2p/reqresp/codecs/status-message.ts";
import { goodbyeHandler } from "../../../src/p2p/reqresp/handlers/goodbye.ts";
import { pingHandler } from "../../../src/p2p/reqresp/handlers/ping.ts";
import { statusHandler } from "../../../src/p2p/reqresp/handlers/status.ts";
import { success } from "../../../src/p2p/reqresp/request-handler.ts";
import { connect, stopPeers, testPeer } from "./hosts.ts";

afterEach(stopPeers);

const PING = new TextEncoder().encode("ping");
const STATUS = {
  version: "00-1-603bb2c0-1-2672340d-1dd2644a",
  latestBlock: 42,
  latestHash: "0x01",
  finalizedBlock: 30,
};

test("a peer answers ping and status, takes a goodbye, and refuses what it does not offer", async () => {
  const goodbyes: [string, number][] = [];
  const server = await testPeer({
    ping: pingHandler,
    status: statusHandler(() => STATUS),
    goodbye: goodbyeHandler((peer, reason) => goodbyes.push([peer, reason])),
  });
  const asker = await testPeer();
  await connect(asker, server);
  const ping = await asker.client.request(server.id, "ping", PING);
  expect(Buffer.from(ping.body).toString()).toBe("pong");
  const status = await asker.client.request(server.id, "status", PING);
  expect(decodeStatus(status.body)).toEqual(STATUS);
  const goodbye = await asker.client.request(server.id, "goodbye", Uint8Array.of(2));
  expect(goodbye.status).toBe(RequestStatus.UNKNOWN);
  await expect.poll(() => goodbyes).toEqual([[asker.id, 2]]);
  expect(asker.penalties).toEqual([]);
  expect((await asker.client.request(server.id, "block", PING)).status).toBe(RequestStatus.FAILURE);
  expect(asker.penalties).toMatchObject([{ peer: server.id, tolerance: "high" }]);
  expect(server.penalties).toEqual([]);
  expect(server.responder.openStreams).toBe(0);
});

test("an answer of 1.2 MB arrives whole, in both directions of a connection", async () => {
  const body = new Uint8Array(1_200_000).map((_, i) => (i * 2654435761) >>> 13);
  const handlers = { tx: () => success(body) };
  const [a, b] = [await testPeer(handlers), await testPeer(handlers)];
  await connect(a, b);
  for (const [from, to] of [
    [a, b],
    [b, a],
  ]) {
    const answer = await from.client.request(to.id, "tx", PING, { maxBytes: body.length });
    expect(answer.status).toBe(RequestStatus.SUCCESS);
    expect(Buffer.compare(answer.body, body)).toBe(0);
    await vi.waitFor(() => expect(to.responder.bytesHeld).toBe(0), 60_000);
  }
});

test("a node that withdraws its protocols ends the exchanges under way and offers them no more", async () => {
  const server = await testPeer({ ping: () => new Promise(() => undefined) });
  const asker = await testPeer();
  await connect(asker, server);
  const asked = asker.client.request(server.id, "ping", PING);
  await vi.waitFor(() => expect(server.responder.openStreams).toBe(1), 60_000);
  await server.responder.unregister(server.host);
  expect((await asked).status).toBe(RequestStatus.FAILURE);
  expect(server.responder.openStreams).toBe(0);
  expect((await asker.client.request(server.id, "ping", PING)).status).toBe(RequestStatus.FAILURE);
  expect(server.host.getProtocols().filter((id) => id.startsWith("/aztec/req/"))).toEqual([]);
});
