import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Dispatcher } from "../../src/rpc/calls/dispatcher.ts";
import { neededServices } from "../../src/rpc/forward/live-services.ts";
import { UpstreamEndpoints } from "../../src/rpc/forward/upstream-endpoints.ts";
import { Upstreams } from "../../src/rpc/forward/upstreams.ts";
import type { RpcAnswer } from "../../src/rpc/jsonrpc/answer.ts";
import { publicRegistry } from "../../src/rpc/server/public-registry.ts";
import { freePort } from "../support/free-port.ts";
import { fakeChain, fakeContent, fakeServices, recordingLogger, settledTx, wordOf } from "../world/rpc/fakes.ts";

interface Asked {
  headers: IncomingMessage["headers"];
  body: string;
}
const asked: Asked[] = [];
const servers: Server[] = [];

/** A node that answers every call in one way. */
async function upstream(answer: (res: ServerResponse, body: string) => void): Promise<string> {
  const server = createServer(async (req, res) => {
    let body = "";
    for await (const piece of req) body += piece;
    asked.push({ headers: req.headers, body });
    answer(res, body);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const answering = (status: number, text: string, headers: Record<string, string> = {}) =>
  upstream((res) => res.writeHead(status, { "content-type": "application/json", ...headers }).end(text));
const refusing = async () => `http://127.0.0.1:${await freePort()}`;

afterEach(() => {
  asked.length = 0;
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

const SETTLED = wordOf(0x17);

/** Answers calls as a process without a pool, which forwards to these URLs. */
function forwarding(...urls: string[]) {
  const log = recordingLogger();
  const content = fakeContent({ settledTx: (hash) => (hash[0] === SETTLED[0] ? settledTx() : undefined) });
  const needed = neededServices();
  const status = { ...needed.status, revertWords: "4.3" as const };
  const registry = publicRegistry(fakeServices({ chain: fakeChain({ latest: 2 }), content, ...needed, status }));
  const forwarder = new Upstreams({ upstreams: new UpstreamEndpoints(() => urls, log), log });
  const options = { maxBatchSize: 10, namespaces: ["node", "svc", "p2p"] as const, forwarder };
  const dispatcher = new Dispatcher(registry, options, log);
  const caller = { client: () => "192.0.2.7", signal: () => new AbortController().signal };
  const ask = async (request: unknown) => {
    const { status, body, headers }: RpcAnswer = await dispatcher.answer(request, undefined, caller);
    return { status, headers, text: Buffer.from(body).toString() };
  };
  return { ask, log };
}
const call = (method: string, ...params: unknown[]) => ({ jsonrpc: "2.0", id: 5, method, params });
const hex = (word: Uint8Array) => `0x${Buffer.from(word).toString("hex")}`;

test("a call that needs a full node is forwarded as it came and answered as the node answered", async () => {
  const url = await answering(400, '{"jsonrpc":"2.0","id":5,"error":{"code":-32702,"message":"no"}}');
  const request = call("node_getPendingTxCount");
  expect(await forwarding(url).ask(request)).toEqual({
    status: 400,
    headers: undefined,
    text: '{"jsonrpc":"2.0","id":5,"error":{"code":-32702,"message":"no"}}',
  });
  expect(asked.map(({ body }) => JSON.parse(body))).toEqual([request]);
  expect(asked[0].headers["x-forwarded-for"]).toBe("192.0.2.7");
});

test("a call that needs a full node is not forwarded when the store has the answer", async () => {
  const url = await answering(200, '{"jsonrpc":"2.0","id":5,"result":{}}');
  const { ask } = forwarding(url);
  expect((await ask(call("node_getTxReceipt", hex(SETTLED)))).text).toContain('"blockNumber"');
  expect((await ask(call("node_getBlockNumber"))).text).toContain('"result":2');
  expect(asked).toEqual([]);
  expect((await ask(call("node_getTxReceipt", hex(wordOf(1))))).text).toContain('"result":{}');
  expect(asked).toHaveLength(1);
});

test("a call that needs a full node is refused here when its parameters are wrong", async () => {
  const url = await answering(200, "{}");
  expect((await forwarding(url).ask(call("node_sendTx", "nothing"))).status).toBe(400);
  expect(asked).toEqual([]);
});

test("a call that needs a full node is answered within a batch beside calls that the store answers", async () => {
  const url = await upstream((res, body) => res.end(`{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":9}`));
  const batch = [call("node_getBlockNumber"), { ...call("node_getPendingTxCount"), id: 6 }];
  const { text } = await forwarding(url).ask(batch);
  expect(JSON.parse(text)).toEqual([
    { jsonrpc: "2.0", id: 5, result: 2 },
    { jsonrpc: "2.0", id: 6, result: 9 },
  ]);
});

test("a call that needs a full node goes to the next node when no connection to the first can be made", async () => {
  const url = await answering(200, '{"jsonrpc":"2.0","id":5,"result":1}');
  const { ask } = forwarding(await refusing(), url);
  expect((await ask(call("node_getPendingTxCount"))).status).toBe(200);
  expect(asked).toHaveLength(1);
});

test("a call that needs a full node goes to the next node when the first breaks off, unless it hands out work", async () => {
  const dropping = await upstream((res) => res.destroy());
  const other = await answering(200, '{"jsonrpc":"2.0","id":5,"result":1}');
  const { ask } = forwarding(dropping, other);
  expect(await ask(call("node_getPendingTxCount"))).toMatchObject({ status: 200 });
  asked.length = 0;
  const log = recordingLogger();
  const upstreams = new Upstreams({ upstreams: new UpstreamEndpoints(() => [dropping, other], log), log });
  await expect(upstreams.forward("prover_startProof", "{}", undefined)).rejects.toThrow("cannot be reached");
  expect(asked).toHaveLength(1);
});

test("a call that needs a full node goes to the next node when the first accepts it and never answers, and later calls at once", async () => {
  const hanging = await upstream(() => undefined);
  const other = await answering(200, '{"jsonrpc":"2.0","id":5,"result":1}');
  const { ask, log } = forwarding(hanging, other);
  expect(await ask(call("node_getPendingTxCount"))).toMatchObject({ status: 200 });
  expect(log.entries.map(({ message }) => message)).toEqual(["the {service} endpoint {endpoint} fails"]);
  const before = asked.length;
  for (let i = 0; i < 5; i++) expect(await ask(call("node_getPendingTxCount"))).toMatchObject({ status: 200 });
  const posts = asked.slice(before).filter(({ body }) => body !== "");
  expect(posts).toHaveLength(5);
});

test("a call that needs a full node is refused soon when the only node accepts it and never answers", async () => {
  const { ask } = forwarding(await upstream(() => undefined));
  for (let i = 0; i < 2; i++) expect(await ask(call("node_getPendingTxCount"))).toMatchObject({ status: 503 });
});

test("a call that needs a full node is answered with 503 and what is missing while no node can be reached, which is logged once", async () => {
  const { ask, log } = forwarding(await refusing());
  for (let i = 0; i < 2; i++) {
    expect(await ask(call("node_getPendingTxCount"))).toEqual({
      status: 503,
      headers: [["Retry-After", "1"]],
      text:
        '{"jsonrpc":"2.0","id":5,"error":{"code":-32002,' +
        '"message":"node_getPendingTxCount needs a full node, which cannot be reached"}}',
    });
  }
  expect(log.entries.map(({ level }) => level)).toEqual(["warn"]);
});

test("a call that needs a full node goes to the next node when the first does not take calls from here, which the operator is told", async () => {
  const closed = await answering(401, '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Unauthorized"}}');
  const open = await answering(200, '{"jsonrpc":"2.0","id":5,"result":1}');
  const both = forwarding(closed, open);
  expect((await both.ask(call("node_getPendingTxCount"))).status).toBe(200);
  expect(both.log.entries).toEqual([]);
  const { ask, log } = forwarding(closed);
  for (let i = 0; i < 2; i++) {
    const { status, text } = await ask(call("node_getPendingTxCount"));
    expect(status).toBe(503);
    expect(text).toContain("needs a full node, which does not take calls from this one");
  }
  const [{ facts }, ...more] = log.entries;
  expect(String((facts as { err: Error }).err)).toContain("requires an API key: give one of its keys by --rpc-");
  expect(more).toEqual([]);
});

test("a call that needs a full node passes on when to try again, and refuses what is not JSON-RPC", async () => {
  const busy = await answering(503, '{"jsonrpc":"2.0","id":5,"error":{}}', { "retry-after": "7" });
  expect(await forwarding(busy).ask(call("node_getPendingTxCount"))).toMatchObject({
    status: 503,
    headers: [["Retry-After", "7"]],
  });
  const proxy = await answering(502, "<html>", { "content-type": "text/html" });
  const { status, text } = await forwarding(proxy).ask(call("node_getPendingTxCount"));
  expect(status).toBe(503);
  expect(text).toContain("HTTP status 502");
});
