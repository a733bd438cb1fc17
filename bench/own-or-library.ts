/**
 * Own code beside the library that could stand in its place, as ratios of CPU time:
 *
 *   node bench/own-or-library.ts [--help]
 *
 * KZG: the first blob of a process (set-up included) and each later one, by our points of the trusted setup and by
 * @crate-crypto/node-eth-kzg. HTTP: calls of the size of L1's JSON-RPC to a server on loopback, one after the other, by
 * our client, by undici and by fetch. Each pair is measured in turns; ratios are medians.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { request } from "undici";
import { openExchange } from "../src/http/exchange.ts";
import { Kzg } from "../src/l1/blobs/kzg.ts";
import { bigUintBytes } from "../src/protocol/bytes.ts";
import { scriptOptions, wholeOption } from "./lib/script-options.ts";
import { median } from "./lib/statistics.ts";

const { repeats, calls } = scriptOptions("bench/own-or-library.ts", {
  repeats: wholeOption("measurements of each pair", 5),
  calls: wholeOption("HTTP calls in one measurement", 1_000),
});

/** Milliseconds of CPU time of this process, its threads included. */
async function cpuMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** One line: medians of both sides, and the median of the ratios of pairs. */
async function compare(name: string, ours: () => Promise<number>, library: string, theirs: () => Promise<number>) {
  const pairs: { ours: number; theirs: number }[] = [];
  for (let i = 0; i < repeats; i++) pairs.push({ ours: await ours(), theirs: await theirs() });
  const ratio = median(pairs.map((pair) => pair.ours / pair.theirs));
  const [own, other] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.theirs))];
  console.log(`${name}: ${own.toFixed(2)} ms, ${library} ${other.toFixed(2)} ms, ratio ${ratio.toFixed(2)}`);
}

/** Words in a blob, as one transaction has them. */
const WORDS = 60;
let word = 0;
function freshBlob(): Uint8Array {
  const blob = new Uint8Array(131_072);
  for (let i = 0; i < WORDS; i++) blob.set(bigUintBytes(BigInt(++word), 32), i * 32);
  return blob;
}

/** CPU time of proving `blobs` blobs in a new worker; without `library` ours computes, which serves fewer than 15. */
async function proving(library: boolean, blobs: number): Promise<number> {
  const kzg = new Kzg();
  try {
    return await cpuMs(async () => {
      if (library) kzg.load("library");
      for (let i = 0; i < blobs; i++) await kzg.prove(freshBlob(), false);
    });
  } finally {
    await kzg.close();
  }
}

const FEW = 10;
const later = async (library: boolean): Promise<number> =>
  ((await proving(library, FEW)) - (await proving(library, 1))) / (FEW - 1);
await compare(
  "first blob of a process",
  () => proving(false, 1),
  "library",
  () => proving(true, 1),
);
await compare(
  "each later blob",
  () => later(false),
  "library",
  () => later(true),
);

const ANSWER = JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x10" });
const server = createServer((_, response) => response.setHeader("content-type", "application/json").end(ANSWER));
await once(server.listen(0, "127.0.0.1"), "listening");
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
const headers = { "content-type": "application/json" };
const limits = { totalMs: 10_000, slowestRate: 1 };
const clients = {
  ours: async () => {
    const { body: pieces } = await openExchange({ method: "POST", url, headers, body }, limits);
    for await (const piece of pieces) void piece;
  },
  undici: async () => {
    const { body: answer } = await request(url, { method: "POST", headers, body });
    await answer.text();
  },
  fetch: async () => {
    const answer = await fetch(url, { method: "POST", headers, body });
    await answer.text();
  },
};
/** CPU time of one call, that of the server included. */
const asking = async (client: () => Promise<void>): Promise<number> =>
  (await cpuMs(async () => {
    for (let i = 0; i < calls; i++) await client();
  })) / calls;
for (const client of Object.values(clients)) await asking(client);
await compare(
  "an HTTP call",
  () => asking(clients.ours),
  "undici",
  () => asking(clients.undici),
);
await compare(
  "an HTTP call",
  () => asking(clients.ours),
  "fetch",
  () => asking(clients.fetch),
);
server.closeAllConnections();
server.close();
process.exit();
