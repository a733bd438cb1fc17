import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { dumpState } from "../../src/local-network/state-dump.ts";

let server: Server;
let url: string;
/** What the L1 answers, in pieces. */
let answer: Iterable<string>;

beforeEach(async () => {
  server = createServer((_, response) => void Readable.from(answer).pipe(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const dumped = async () => Buffer.concat(await Readable.from(dumpState(url, new AbortController().signal)).toArray());
const answerOf = (hex: string) => `{"jsonrpc":"2.0","id":1,"result":"0x${hex}"}`;

test("a state is decoded wherever its answer is cut", async () => {
  const pieces = fc.array(fc.nat({ max: 90 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 30 }), pieces, async (bytes, cuts) => {
      const text = answerOf(Buffer.from(bytes).toString("hex"));
      const places = [0, ...cuts.sort((a, b) => a - b), text.length];
      answer = places.slice(1).map((end, i) => text.slice(places[i], end));
      expect(await dumped()).toEqual(Buffer.from(bytes));
    }),
    { numRuns: 40 },
  );
});

test("a state of more than 32 MiB is decoded piece by piece", async () => {
  const piece = "5a".repeat(2 ** 20);
  answer = (function* () {
    yield '{"jsonrpc":"2.0","id":1,"result":"0x';
    for (let i = 0; i < 40; i++) yield piece;
    yield '"}';
  })();
  let length = 0;
  for await (const bytes of dumpState(url, new AbortController().signal)) length += bytes.length;
  expect(length).toBe(40 * 2 ** 20);
});

test.each([
  { name: "an error", text: '{"error":{"code":-32601,"message":"Method not found"}}', rule: "Method not found" },
  { name: "another result", text: `{"result":["${"x".repeat(300)}"]}`, rule: "there is no state in the answer" },
  { name: "no end", text: answerOf("1f8b").slice(0, -2), rule: "the state has no end" },
  { name: "half a byte", text: answerOf("1f8"), rule: "not an even number of hex digits" },
  { name: "other letters", text: answerOf("1f8bxyzz"), rule: "not an even number of hex digits" },
])("an answer with $name is refused", async ({ text, rule }) => {
  answer = [text];
  await expect(dumped()).rejects.toThrow(rule);
});

test("an L1 that is gone is an L1 error", async () => {
  server.close();
  await expect(dumped()).rejects.toMatchObject({ name: "L1EndpointError", kind: "unreachable" });
});
