import { expect, test } from "vitest";
import {
  authPayloadHash,
  decodeAuthRequest,
  decodeAuthResponse,
  encodeAuthRequest,
  encodeAuthResponse,
} from "../../../src/p2p/reqresp/codecs/auth-message.ts";
import { BitVector } from "../../../src/p2p/reqresp/codecs/bit-vector.ts";
import {
  blockTxsAnswerLimit,
  decodeBlockTxsRequest,
  decodeBlockTxsResponse,
  encodeBlockTxsRequest,
  encodeBlockTxsResponse,
} from "../../../src/p2p/reqresp/codecs/block-txs-message.ts";
import { decodeStatus, encodeStatus } from "../../../src/p2p/reqresp/codecs/status-message.ts";
import {
  decodeTxRequest,
  decodeTxs,
  encodeHashes,
  encodeTxs,
  txsAnswerLimit,
} from "../../../src/p2p/reqresp/codecs/tx-list.ts";
import { PROTOCOLS } from "../../../src/p2p/reqresp/protocols.ts";
import { declaredLength, uncompressBlock } from "../../../src/p2p/streams/snappy-block.ts";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { l2BlockFromBytes, l2BlockToBytes } from "../../../src/protocol/consensus/l2-block.ts";
import { WireReader } from "../../../src/protocol/consensus/wire-reader.ts";
import { digestSigner } from "../../../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../../src/protocol/personal-message.ts";
import { txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";
import { recordedExchanges, requestVectors as vectors } from "../support/recorded.ts";

const KB = 1024;
const ANY_SIZE = 16 * KB * KB;

test("protocol ids are the network's", () => {
  const ids = Object.fromEntries(Object.entries(PROTOCOLS).map(([name, { id }]) => [name, id]));
  expect(ids).toEqual(vectors.protocolIds);
});

test("status messages have the network's bytes, and texts that are too long are refused", () => {
  const { decoded, requestHex } = vectors.status;
  const status = decodeStatus(fromHex(requestHex));
  expect(status).toEqual({
    version: decoded.compressedComponentsVersion,
    latestBlock: decoded.latestBlockNumber,
    latestHash: decoded.latestBlockHash,
    finalizedBlock: decoded.finalizedBlockNumber,
  });
  expect(toHex(encodeStatus(status))).toBe(requestHex);
  expect(() => decodeStatus(encodeStatus({ ...status, version: "v".repeat(65) }))).toThrow("at most 64 bytes, got 65");
  expect(() => decodeStatus(encodeStatus({ ...status, latestHash: "0".repeat(129) }))).toThrow("at most 128 bytes");
  expect(() => decodeStatus(fromHex(requestHex).subarray(0, -1))).toThrow("finalized block needs 4 bytes, 3 are left");
});

test("auth messages have the network's bytes, and the payload is the one that attesters sign", () => {
  const { challenge, requestHex, payloadToSign, responseUncompressed, signature, recoveredSigner } = vectors.auth;
  const request = decodeAuthRequest(fromHex(requestHex));
  expect(toHex(request.challenge)).toBe(challenge);
  expect(toHex(encodeAuthRequest(request))).toBe(requestHex);
  expect(toHex(authPayloadHash(request.challenge))).toBe(payloadToSign);
  const response = decodeAuthResponse(fromHex(responseUncompressed));
  expect(toHex(response.signature)).toBe(signature.bytes);
  expect(toHex(encodeAuthResponse(response))).toBe(responseUncompressed);
  expect(
    toHex(digestSigner(personalMessage(fromHex(payloadToSign)), response.signature, recoverSigner, V4.consensus)!),
  ).toBe(recoveredSigner);
  expect(() => decodeAuthRequest(fromHex(requestHex).subarray(0, -1))).toThrow("challenge needs 32 bytes");
});

test("bit vectors have the network's bytes", () => {
  for (const { length, setIndices, bytes } of vectors.bitVectors) {
    expect(toHex(BitVector.of(length, setIndices).encode())).toBe(bytes);
    const read = BitVector.read(new WireReader(fromHex(bytes), "bits"));
    expect([read.length, read.indices()]).toEqual([length, setIndices]);
  }
  expect(() => BitVector.read(new WireReader(fromHex("00010001"), "bits"))).toThrow("at most 65536, got 65537");
  expect(() => BitVector.read(new WireReader(fromHex("00000009ff"), "bits"))).toThrow("bits needs 2 bytes");
});

test("bits beyond a vector's length do not count", () => {
  const read = BitVector.read(new WireReader(fromHex("00000002ff"), "bits"));
  expect([read.count(), read.indices(), read.has(2)]).toEqual([2, [0, 1], false]);
});

test("requests for a block's txs have the network's bytes", () => {
  const { requestIndicesOnly, requestWithHashes, responseNoTxs, responseUnknownBlock } = vectors.blockTxs;
  for (const { archiveRoot, indices, length, hashes = [], bytes } of [
    requestIndicesOnly,
    { ...requestWithHashes, indices: [0, 2], length: 3 },
  ]) {
    const request = {
      archive: fromHex(archiveRoot),
      hashes: hashes.map(fromHex),
      wanted: BitVector.of(length, indices),
    };
    expect(toHex(encodeBlockTxsRequest(request))).toBe(bytes);
    const { hashes: read, wanted } = decodeBlockTxsRequest(fromHex(bytes));
    expect([read.map(toHex), wanted.indices()]).toEqual([hashes, indices]);
    expect(blockTxsAnswerLimit(fromHex(bytes))).toBe(2 * 512 * KB + KB);
  }
  for (const { archiveRoot, availableIndices = [], uncompressed } of [responseNoTxs, responseUnknownBlock]) {
    const { archive, txs, available } = decodeBlockTxsResponse(fromHex(uncompressed), V4.transactions);
    expect([toHex(archive), txs, available.indices()]).toEqual([archiveRoot, [], availableIndices]);
    expect(toHex(encodeBlockTxsResponse({ archive, txs: [], available }))).toBe(uncompressed);
  }
});

test("requests for txs have the network's bytes, and a malformed one asks for none", () => {
  for (const [bytes, count] of [
    [vectors.tx.requestOneHash, 1],
    [vectors.tx.requestThreeHashes, 3],
  ]) {
    const hashes = decodeTxRequest(fromHex(bytes));
    expect(hashes).toHaveLength(count);
    expect(toHex(encodeHashes(hashes))).toBe(bytes);
    expect(txsAnswerLimit(fromHex(bytes))).toBe(count * 512 * KB + KB);
    expect(decodeTxRequest(fromHex(bytes).subarray(0, -1))).toEqual([]);
  }
  expect(decodeTxRequest(concat(fromHex("00000001"), new Uint8Array(32).fill(255)))).toEqual([]);
  expect(txsAnswerLimit(Uint8Array.of(1))).toBe(512 * KB + KB);
});

test("a list of txs is cut into txs that serialize to the same bytes", async () => {
  const { snappyExampleHex, uncompressedLength } = vectors.tx.responseOneTx;
  const block = fromHex(snappyExampleHex);
  expect(declaredLength(block)).toBe(uncompressedLength);
  const body = await uncompressBlock(block, uncompressedLength);
  const [{ hash, tx, encoded }] = decodeTxs(body, V4.transactions);
  expect(Buffer.compare(txToBytes(hash, tx), encoded)).toBe(0);
  expect(Buffer.compare(encodeTxs([encoded]), body)).toBe(0);
  expect(() => decodeTxs(body.subarray(0, -1), V4.transactions)).toThrow("list of txs: tx 0: ");
  await expect(uncompressBlock(block, uncompressedLength - 1)).rejects.toThrow(`must have at most`);
});

/** Decodes and encodes an answer, and its request where it has a codec. */
const roundTrips: Record<string, (body: Uint8Array, request: Uint8Array) => Uint8Array> = {
  ping: (body) => body,
  auth: (body, request) => {
    expect(toHex(encodeAuthRequest(decodeAuthRequest(request)))).toBe(toHex(request));
    return encodeAuthResponse(decodeAuthResponse(body));
  },
  status: (body, request) => {
    expect(toHex(encodeStatus(decodeStatus(request)))).toBe(toHex(request));
    return encodeStatus(decodeStatus(body));
  },
  tx: (body, request) => {
    expect(toHex(encodeHashes(decodeTxRequest(request)))).toBe(toHex(request));
    return encodeTxs(decodeTxs(body, V4.transactions).map(({ hash, tx }) => txToBytes(hash, tx)));
  },
  block: (body) => l2BlockToBytes(l2BlockFromBytes(body)),
  block_txs: (body, request) => {
    expect(toHex(encodeBlockTxsRequest(decodeBlockTxsRequest(request)))).toBe(toHex(request));
    const { archive, txs, available } = decodeBlockTxsResponse(body, V4.transactions);
    return encodeBlockTxsResponse({ archive, txs: txs.map(({ hash, tx }) => txToBytes(hash, tx)), available });
  },
};

test("every recorded answer decodes, and encodes to the same bytes", async () => {
  const counts: Record<string, number> = {};
  for (const { protocol, request, chunks, status } of recordedExchanges) {
    if (status !== 0 || chunks.length < 2) continue;
    const body = await uncompressBlock(concat(...chunks.slice(1)), ANY_SIZE);
    const name = protocol.split("/")[3];
    expect(Buffer.compare(roundTrips[name](body, request), body), name).toBe(0);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  expect(counts).toEqual({ status: 2, tx: 6, ping: 2, block: 10, block_txs: 9, auth: 1 });
});
