import type { Stream } from "@libp2p/interface";
import { afterEach, expect, test } from "vitest";
import type { RequestProtocol } from "../../../src/p2p/peers/request-client.ts";
import { decodeAuthResponse } from "../../../src/p2p/reqresp/codecs/auth-message.ts";
import { BitVector } from "../../../src/p2p/reqresp/codecs/bit-vector.ts";
import { decodeBlockTxsRequest, decodeBlockTxsResponse } from "../../../src/p2p/reqresp/codecs/block-txs-message.ts";
import { decodeStatus } from "../../../src/p2p/reqresp/codecs/status-message.ts";
import { decodeTxs } from "../../../src/p2p/reqresp/codecs/tx-list.ts";
import { authHandler } from "../../../src/p2p/reqresp/handlers/auth.ts";
import { blockHandler } from "../../../src/p2p/reqresp/handlers/block.ts";
import { blockTxsHandler } from "../../../src/p2p/reqresp/handlers/block-txs.ts";
import { goodbyeHandler } from "../../../src/p2p/reqresp/handlers/goodbye.ts";
import { pingHandler } from "../../../src/p2p/reqresp/handlers/ping.ts";
import { statusHandler } from "../../../src/p2p/reqresp/handlers/status.ts";
import { txHandler } from "../../../src/p2p/reqresp/handlers/tx.ts";
import { MAX_REQUEST_BYTES, PROTOCOLS } from "../../../src/p2p/reqresp/protocols.ts";
import type { RequestHandler } from "../../../src/p2p/reqresp/request-handler.ts";
import { readRequest, sendFrame } from "../../../src/p2p/reqresp/stream-io.ts";
import { uncompressBlock } from "../../../src/p2p/streams/snappy-block.ts";
import { concat, isZero, toHex } from "../../../src/protocol/bytes.ts";
import { l2BlockFromBytes } from "../../../src/protocol/consensus/l2-block.ts";
import type { WireTx } from "../../../src/protocol/consensus/wire-txs.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { recordedExchanges } from "../support/recorded.ts";
import { connect, stopPeers, testPeer } from "./hosts.ts";

afterEach(stopPeers);

const exchanges = await Promise.all(
  recordedExchanges.map(async (exchange) => ({
    ...exchange,
    name: exchange.protocol.split("/")[3] as RequestProtocol,
    body:
      exchange.chunks.length < 2
        ? new Uint8Array(0)
        : await uncompressBlock(concat(...exchange.chunks.slice(1)), 16 * 2 ** 20),
  })),
);

/** A node that has exactly what the answer says of it. */
function nodeOf({ name, request, body, status }: (typeof exchanges)[number]): RequestHandler {
  const holding = (txs: readonly WireTx[]) => {
    const byHash = new Map(txs.map(({ hash, encoded }) => [toHex(hash), encoded]));
    return {
      txBytes: (hash: Uint8Array) => byHash.get(toHex(hash)),
      hasTx: (hash: Uint8Array) => byHash.has(toHex(hash)),
    };
  };
  switch (name) {
    case "ping":
      return pingHandler;
    case "status":
      return statusHandler(() => decodeStatus(body));
    case "goodbye":
      return goodbyeHandler(() => undefined);
    case "tx":
      return txHandler(holding(decodeTxs(body, V4.transactions)));
    case "block":
      return blockHandler({ block: (number) => (body.length > 0 && number > 0 ? l2BlockFromBytes(body) : undefined) });
    case "auth": {
      const answer = body.length === 0 ? undefined : decodeAuthResponse(body);
      return authHandler({ mayAsk: () => true, sign: async () => answer?.signature }, () => answer!.status);
    }
    case "block_txs": {
      const { wanted } = decodeBlockTxsRequest(request);
      const { archive, txs, available } =
        status === 0
          ? decodeBlockTxsResponse(body, V4.transactions)
          : { archive: new Uint8Array(32), txs: [], available: BitVector.of(0, []) };
      const returned = wanted.indices().filter((index) => available.has(index));
      const hashes: Uint8Array[] = Array.from({ length: available.length }, (_, index) =>
        new Uint8Array(32).fill(index + 1),
      );
      returned.forEach((index, i) => {
        hashes[index] = txs[i].hash;
      });
      const served = holding(txs);
      const isThere = (hash: Uint8Array): boolean =>
        served.hasTx(hash) || available.has(hashes.findIndex((each) => toHex(each) === toHex(hash)));
      return blockTxsHandler(
        { ...served, hasTx: isThere },
        { txHashesOf: () => (isZero(archive) ? undefined : hashes) },
      );
    }
  }
}

test("this node gives every recorded answer to the request that was recorded with it", async () => {
  let at = 0;
  let handler: RequestHandler = pingHandler;
  const dispatch: RequestHandler = (request) => handler(request);
  const handlers = Object.fromEntries(Object.keys(PROTOCOLS).map((name) => [name, dispatch]));
  const server = await testPeer(handlers, { now: () => at });
  const asker = await testPeer();
  await connect(asker, server);
  let answered = 0;
  for (const exchange of exchanges.filter(({ status }) => status !== 126)) {
    at += 1000;
    handler = nodeOf(exchange);
    const { status, body } = await asker.client.request(server.id, exchange.name, exchange.request);
    expect([exchange.name, status]).toEqual([exchange.name, exchange.status]);
    expect(Buffer.compare(body, exchange.body), exchange.name).toBe(0);
    answered += 1;
  }
  expect([answered, exchanges.length]).toEqual([36, 45]);
  expect(server.penalties).toEqual([]);
});

test("this node reads every recorded answer, frame by frame as the reference sent it", async () => {
  let recorded = exchanges[0];
  const received: Uint8Array[] = [];
  const server = await testPeer();
  const answer = async (stream: Stream): Promise<void> => {
    const request = await readRequest(stream, MAX_REQUEST_BYTES);
    received.push(request!);
    if (recorded.status === 126) return stream.abort(new Error("reset"));
    for (const chunk of recorded.chunks) await sendFrame(stream, chunk);
    await stream.close();
  };
  for (const { id } of Object.values(PROTOCOLS))
    await server.host.handle(id, (stream) => void answer(stream).catch(() => undefined));
  const asker = await testPeer();
  await connect(asker, server);
  for (recorded of exchanges) {
    received.length = 0;
    const { status, body } = await asker.client.request(server.id, recorded.name, recorded.request);
    expect([recorded.name, status]).toEqual([recorded.name, recorded.status]);
    expect(Buffer.compare(body, recorded.body), recorded.name).toBe(0);
    if (recorded.status !== 126) expect(received.map(toHex)).toEqual([toHex(recorded.request)]);
  }
});
