import { type RequestProtocol, RequestStatus } from "../../../../src/p2p/peers/request-client.ts";
import { decodeAuthResponse } from "../../../../src/p2p/reqresp/codecs/auth-message.ts";
import { decodeBlockTxsResponse } from "../../../../src/p2p/reqresp/codecs/block-txs-message.ts";
import { decodeStatus } from "../../../../src/p2p/reqresp/codecs/status-message.ts";
import { decodeTxs } from "../../../../src/p2p/reqresp/codecs/tx-list.ts";
import { authHandler } from "../../../../src/p2p/reqresp/handlers/auth.ts";
import { blockHandler } from "../../../../src/p2p/reqresp/handlers/block.ts";
import { blockTxsHandler } from "../../../../src/p2p/reqresp/handlers/block-txs.ts";
import { goodbyeHandler } from "../../../../src/p2p/reqresp/handlers/goodbye.ts";
import { pingHandler } from "../../../../src/p2p/reqresp/handlers/ping.ts";
import { statusHandler } from "../../../../src/p2p/reqresp/handlers/status.ts";
import { txHandler } from "../../../../src/p2p/reqresp/handlers/tx.ts";
import { PROTOCOLS } from "../../../../src/p2p/reqresp/protocols.ts";
import type { RequestHandler } from "../../../../src/p2p/reqresp/request-handler.ts";
import { uncompressBlock } from "../../../../src/p2p/streams/snappy-block.ts";
import { concat, equal } from "../../../../src/protocol/bytes.ts";
import { l2BlockFromBytes } from "../../../../src/protocol/consensus/l2-block.ts";
import { DecodeError } from "../../../../src/protocol/errors.ts";
import { V4 } from "../../../../src/protocol/generations/v4/v4.ts";
import { recordedExchanges } from "../../support/recorded.ts";

const STATUS = { version: "fuzz", latestBlock: 42, latestHash: "0x00", finalizedBlock: 40 };
/** Largest answers that the fuzz asks for. */
const ROOM = 2 ** 20;

const successes = recordedExchanges.filter(({ status, chunks }) => status === 0 && chunks.length > 1);
const nameOf = (protocol: string) => protocol.split("/")[3];

function byProtocol<T extends { protocol: string }>(
  list: T[],
  of: (item: T) => Uint8Array,
): Record<string, Uint8Array[]> {
  const groups = Object.groupBy(list, ({ protocol }) => nameOf(protocol));
  return Object.fromEntries(Object.entries(groups).map(([name, group = []]) => [name, group.map(of)]));
}

/** Recorded requests of each protocol. */
export const REQUESTS = byProtocol(recordedExchanges, ({ request }) => request);
/** Compressed bodies of recorded answers of each protocol. */
export const RESPONSES = byProtocol(successes, ({ chunks }) => concat(...chunks.slice(1)));

const bodyOf = async (name: RequestProtocol) => uncompressBlock(RESPONSES[name][0], 16 * 2 ** 20);
const served = decodeTxs(await bodyOf("tx"), V4.transactions);
const block = l2BlockFromBytes(await bodyOf("block"));
const txBytes = (hash: Uint8Array) => served.find((tx) => equal(tx.hash, hash))?.encoded;
const txs = { txBytes, hasTx: (hash: Uint8Array) => txBytes(hash) !== undefined };
const archive = decodeBlockTxsResponse(await bodyOf("block_txs"), V4.transactions).archive;

const HANDLERS: Record<RequestProtocol, RequestHandler> = {
  ping: pingHandler,
  status: statusHandler(() => STATUS),
  goodbye: goodbyeHandler(() => {}),
  tx: txHandler(txs),
  block: blockHandler({ block: (number) => (number % 2 === 1 ? block : undefined) }),
  auth: authHandler({ mayAsk: () => true, sign: async () => new Uint8Array(68) }, () => STATUS),
  block_txs: blockTxsHandler(txs, {
    txHashesOf: (of) => (equal(of, archive) ? served.map(({ hash }) => hash) : undefined),
  }),
};

const DECODERS: Partial<Record<RequestProtocol, (body: Uint8Array) => unknown>> = {
  status: decodeStatus,
  tx: (body) => decodeTxs(body, V4.transactions),
  block: l2BlockFromBytes,
  auth: decodeAuthResponse,
  block_txs: (body) => decodeBlockTxsResponse(body, V4.transactions),
};

const refusal = (error: unknown): string => {
  if (error instanceof DecodeError) return "malformed";
  throw error;
};

/** Answers a request: the status, or "malformed". Any other error is thrown. */
export async function answer(name: RequestProtocol, bytes: Uint8Array): Promise<string> {
  try {
    const room = Math.min(ROOM, PROTOCOLS[name].answerLimit(bytes));
    const answered = await HANDLERS[name]({ bytes, peer: "16Uiu2fuzz", room, ended: Promise.resolve() });
    if (answered === undefined) return "no answer";
    if (answered.body.length > room + 2 ** 17) throw new Error(`an answer has ${answered.body.length} bytes`);
    return answered.status === RequestStatus.SUCCESS ? "answered" : `status ${answered.status}`;
  } catch (error) {
    return refusal(error);
  }
}

/** Reads the body of an answer. Any other error than of malformed content is thrown. */
export async function readAnswer(name: RequestProtocol, compressed: Uint8Array): Promise<string> {
  try {
    const body = await uncompressBlock(compressed, 4 * ROOM);
    DECODERS[name]?.(body);
    return "read";
  } catch (error) {
    return refusal(error);
  }
}
