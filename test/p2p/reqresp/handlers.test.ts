import { expect, test } from "vitest";
import { encodeAuthRequest } from "../../../src/p2p/reqresp/codecs/auth-message.ts";
import { BitVector } from "../../../src/p2p/reqresp/codecs/bit-vector.ts";
import { encodeBlockTxsRequest } from "../../../src/p2p/reqresp/codecs/block-txs-message.ts";
import { encodeHashes, txsRoom } from "../../../src/p2p/reqresp/codecs/tx-list.ts";
import { authHandler } from "../../../src/p2p/reqresp/handlers/auth.ts";
import { blockTxsHandler } from "../../../src/p2p/reqresp/handlers/block-txs.ts";
import { goodbyeHandler } from "../../../src/p2p/reqresp/handlers/goodbye.ts";
import { txHandler } from "../../../src/p2p/reqresp/handlers/tx.ts";
import { concat, readU32 } from "../../../src/protocol/bytes.ts";

const hashes = Array.from({ length: 20 }, (_, i) => new Uint8Array(32).fill(i + 1));
/** Tx i has 1000 bytes of value i + 1; those above 9 are absent. */
const txs = {
  txBytes: (hash: Uint8Array) => (hash[0] <= 10 ? new Uint8Array(1000).fill(hash[0]) : undefined),
  hasTx: (hash: Uint8Array) => hash[0] <= 10,
};
const ARCHIVE = new Uint8Array(32).fill(7);
const ended = Promise.resolve();
const request = (bytes: Uint8Array, room: number) => ({ bytes, room, peer: "peer", ended });

/** First byte of each tx of a list of txs of 1000 bytes. */
function firstBytes(list: Uint8Array): number[] {
  return Array.from({ length: readU32(list, 0) }, (_, i) => list[4 + 1000 * i]);
}

test("txs are sent in the order of the request, each once, and those that are absent are left out", async () => {
  const wanted = [hashes[3], hashes[15], hashes[0], hashes[3]];
  const answer = await txHandler(txs)(request(encodeHashes(wanted), txsRoom(4)));
  expect(firstBytes(answer!.body)).toEqual([4, 1]);
  expect(answer!.body).toHaveLength(4 + 2000);
});

test("txs that do not fit into an answer are left out", async () => {
  const answer = await txHandler(txs)(request(encodeHashes(hashes), 3500));
  expect(firstBytes(answer!.body)).toEqual([1, 2, 3]);
});

test("of a known block the wanted txs are sent that are there and fit, with a bit for each that is there", async () => {
  const handler = blockTxsHandler(txs, { txHashesOf: () => hashes });
  const wanted = BitVector.of(20, [19, 9, 2, 5]);
  const bytes = encodeBlockTxsRequest({ archive: ARCHIVE, hashes: [hashes[0]], wanted });
  const { body } = (await handler(request(bytes, 2500)))!;
  expect(body.subarray(0, 32)).toEqual(ARCHIVE);
  expect(firstBytes(body.subarray(32))).toEqual([3, 6]);
  expect(body.subarray(36 + 2000)).toEqual(BitVector.of(20, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).encode());
});

test("of an unknown block the txs are sent whose hashes are given, within the room of the bits", async () => {
  const handler = blockTxsHandler(txs, { txHashesOf: () => undefined });
  const bytes = encodeBlockTxsRequest({ archive: ARCHIVE, hashes: hashes.slice(8, 12), wanted: BitVector.of(0, []) });
  const { body } = (await handler(request(bytes, txsRoom(4))))!;
  const txBytes = [9, 10].map((value) => new Uint8Array(1000).fill(value));
  expect(body).toEqual(concat(new Uint8Array(32), Uint8Array.of(0, 0, 0, 2), ...txBytes, new Uint8Array(4)));
});

test("a challenge is signed for a peer that may ask, and others learn nothing", async () => {
  const signed: string[] = [];
  const status = { version: "v", latestBlock: 1, latestHash: "", finalizedBlock: 0 };
  const signer = {
    mayAsk: (peer: string) => peer === "peer",
    sign: async () => {
      signed.push("signed");
      return new Uint8Array(68).fill(1);
    },
  };
  const handler = authHandler(signer, () => status);
  const bytes = encodeAuthRequest({ status, challenge: ARCHIVE });
  expect((await handler({ bytes, room: 1024, peer: "stranger", ended }))!.body).toHaveLength(0);
  expect(signed).toEqual([]);
  expect((await handler(request(bytes, 1024)))!.body.subarray(-68)).toEqual(new Uint8Array(68).fill(1));
  const unregistered = authHandler({ ...signer, sign: async () => undefined }, () => status);
  expect((await unregistered(request(bytes, 1024)))!.body).toHaveLength(0);
});

test("a goodbye of another length than one byte has an unknown reason", async () => {
  const reasons: number[] = [];
  const handler = goodbyeHandler((_, reason) => reasons.push(reason));
  for (const bytes of [Uint8Array.of(2), Uint8Array.of(77), Uint8Array.of(1, 1)]) {
    expect(await handler(request(bytes, 1024))).toBeUndefined();
  }
  await ended;
  expect(reasons).toEqual([2, 77, 6]);
});

test("a goodbye is passed on once the end of its stream is sent", async () => {
  const reasons: number[] = [];
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  await goodbyeHandler((_, reason) => reasons.push(reason))({ ...request(Uint8Array.of(2), 1024), ended });
  await new Promise(setImmediate);
  expect(reasons).toEqual([]);
  end();
  await ended;
  expect(reasons).toEqual([2]);
});
