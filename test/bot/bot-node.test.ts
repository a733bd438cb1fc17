import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { BotNode } from "../../src/bot/bot-node.ts";
import { fr } from "../../src/protocol/field.ts";

test.each([
  ["null", { result: null }, false],
  ["left out", {}, false],
  ["an instance", { result: { version: 1 } }, true],
])("a contract is there unless the node's result is nothing: %s", async (_, members, isThere) => {
  const server = createServer((request, response) => {
    request.resume();
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, ...members }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const node = new BotNode(url, undefined, new AbortController().signal);
    expect(await node.hasContract(fr(1))).toBe(isThere);
  } finally {
    server.close();
  }
});
