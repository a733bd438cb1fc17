import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { receivedTx } from "../../../src/node/peers/received-tx-json.ts";
import { NodeTxSource } from "../../../src/p2p/tx-collection/node-source.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const VERSIONS = [
  ["x-aztec-l1ChainId", "31337"],
  ["x-aztec-rollupVersion", "77"],
] as const;

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function node(answer: (request: unknown, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => answer(JSON.parse(Buffer.concat(parts).toString()), response));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function source(url: string, timeoutMs = 5_000): NodeTxSource {
  return new NodeTxSource({ url, versions: VERSIONS, readTx: receivedTx(V4.transactions), timeoutMs });
}

const sent = recordedTxs().slice(0, 2);
const asked = sent.map(({ hash }) => hash);

test("another node's JSON-RPC gives txs by hash, as it sends them", async () => {
  const requests: unknown[] = [];
  const url = await node((request, response) => {
    requests.push(request);
    response.setHeader("x-aztec-rollupVersion", "77");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: sent.map(({ json }) => json) }));
  });
  const found = await source(url).txsByHash(asked);
  expect(requests).toEqual([{ jsonrpc: "2.0", id: 1, method: "node_getTxsByHash", params: [asked.map(toHex)] }]);
  expect(found.map(({ hash }) => toHex(hash))).toEqual(asked.map(toHex));
  expect(found.map(({ tx }) => Buffer.from(tx.data).equals(sent[0].tx.data))).toEqual([true, false]);
});

test("another node's JSON-RPC of another network is refused", async () => {
  const url = await node((_request, response) => {
    response.setHeader("x-aztec-l1ChainId", "1");
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: [] }));
  });
  await expect(source(url).txsByHash(asked)).rejects.toThrow("is of another network: x-aztec-l1ChainId must be 31337");
});

test.each([
  ["an error", '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such method"}}', "has no list"],
  ["no JSON", "<html>", "is not JSON"],
  ["a list of nonsense", '{"result":[{"txHash":"0x00"}]}', "has a malformed transaction"],
  ["a null", "null", "has no list"],
])("another node's JSON-RPC that answers with %s gives an error that says so", async (_name, body, rule) => {
  const url = await node((_request, response) => response.end(body));
  await expect(source(url).txsByHash(asked)).rejects.toThrow(rule);
});

test("another node's JSON-RPC that fails, sends too much or does not answer in time gives an error without its URL", async () => {
  const failing = await node((_request, response) => response.writeHead(503).end());
  await expect(source(failing).txsByHash(asked)).rejects.toThrow("answers with HTTP status 503");
  const flooding = await node((_request, response) => {
    const piece = Buffer.alloc(1 << 20, "[");
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", write);
    write();
  });
  await expect(source(flooding).txsByHash(asked)).rejects.toThrow(/longer than 2162688 bytes/);
  const silent = await node(() => {});
  const error = await source(silent, 50)
    .txsByHash(asked)
    .catch((thrown: Error) => thrown);
  expect(String(error)).toMatch(/no complete answer within 50 ms/);
  expect(String(error)).not.toContain("127.0.0.1");
});
