import { createHash } from "node:crypto";
import { type RequestAnswer, type RequestProtocol, RequestStatus } from "../../../src/p2p/peers/request-client.ts";
import { encodeAuthRequest } from "../../../src/p2p/reqresp/codecs/auth-message.ts";
import { BitVector } from "../../../src/p2p/reqresp/codecs/bit-vector.ts";
import { decodeBlockTxsResponse, encodeBlockTxsRequest } from "../../../src/p2p/reqresp/codecs/block-txs-message.ts";
import { decodeStatus, encodeStatus } from "../../../src/p2p/reqresp/codecs/status-message.ts";
import { decodeTxs, encodeHashes } from "../../../src/p2p/reqresp/codecs/tx-list.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { call } from "../../world/live/json-rpc.ts";
import type { TestPeer } from "../../world/p2p/peer-nodes.ts";

interface Block {
  archive: { root: string };
  body: { txEffects: { txHash: string }[] };
}

/** A block with txs. */
export interface AskedBlock {
  number: number;
  archive: Uint8Array;
  txHashes: Uint8Array[];
}

/** The latest block with txs of which the node at `url` has all. */
export async function blockWithTxs(url: string): Promise<AskedBlock> {
  for (let number = (await call(url, "node_getBlockNumber")) as number; number > 0; number--) {
    const { archive, body } = (await call(url, "node_getBlock", number)) as Block;
    const hashes = body.txEffects.map(({ txHash }) => txHash);
    const txs = await Promise.all(hashes.map((hash) => call(url, "node_getTxByHash", hash)));
    if (txs.length === 0 || txs.some((tx) => tx === undefined || tx === null)) continue;
    return { number, archive: fromHex(archive.root), txHashes: hashes.map(fromHex) };
  }
  throw new Error("the node has no txs of any block: send some first");
}

/** What a peer answered, without what may differ between honest peers. */
export interface Answered {
  status: number;
  bytes: number;
  /** Undefined for an empty body or one that may differ. */
  sha256: string | undefined;
  says: string;
}

const UNKNOWN = new Uint8Array(32).fill(7);

function blockNumber(number: number): Uint8Array {
  const bytes = Buffer.alloc(32);
  bytes.writeUInt32BE(number, 28);
  return bytes;
}

/** Asks a connected peer for something of every protocol, the goodbye last. Keyed by protocol and what was asked. */
export async function askEverything(
  client: TestPeer,
  peer: string,
  { number, archive, txHashes }: AskedBlock,
): Promise<Map<string, Answered>> {
  const all = BitVector.of(
    txHashes.length,
    txHashes.map((_, i) => i),
  );
  const none = BitVector.of(1, [0]);
  const own = encodeStatus({ version: client.version, latestBlock: 1, latestHash: "", finalizedBlock: 0 });
  const challenge = new Uint8Array(32).fill(1);
  const auth = encodeAuthRequest({ status: decodeStatus(own), challenge });
  const requests: [string, RequestProtocol, Uint8Array, (body: Uint8Array) => string][] = [
    ["ping", "ping", Buffer.from("ping"), (body) => Buffer.from(body).toString()],
    ["status", "status", own, (body) => decodeStatus(body).version],
    [
      "tx: all of a block and an unknown one",
      "tx",
      encodeHashes([...txHashes, UNKNOWN]),
      (body) => `${decodeTxs(body, V4.transactions).length} txs`,
    ],
    ["tx: unknown", "tx", encodeHashes([UNKNOWN]), (body) => `${decodeTxs(body, V4.transactions).length} txs`],
    ["block", "block", blockNumber(number), () => "a block"],
    ["block: none yet", "block", blockNumber(9_999_999), () => ""],
    [
      "block_txs: all",
      "block_txs",
      encodeBlockTxsRequest({ archive, hashes: [], wanted: all }),
      (body) => `${decodeBlockTxsResponse(body, V4.transactions).txs.length} txs`,
    ],
    [
      "block_txs: unknown block, known hash",
      "block_txs",
      encodeBlockTxsRequest({ archive: UNKNOWN, hashes: [txHashes[0]], wanted: none }),
      (body) => `${decodeBlockTxsResponse(body, V4.transactions).txs.length} txs`,
    ],
    [
      "block_txs: unknown block",
      "block_txs",
      encodeBlockTxsRequest({ archive: UNKNOWN, hashes: [], wanted: none }),
      () => "",
    ],
    ["auth", "auth", auth, () => ""],
  ];
  const answers = new Map<string, Answered>();
  for (const [what, protocol, request, read] of requests) {
    const answer = await client.node.client.request(peer, protocol, request);
    answers.set(what, answered(protocol, answer, read));
    // The reference answers two block requests of a peer per second.
    await new Promise((resolve) => setTimeout(resolve, 600));
  }
  const goodbye = await client.node.client.request(peer, "goodbye", Uint8Array.of(1));
  answers.set(
    "goodbye",
    answered("goodbye", goodbye, () => ""),
  );
  return answers;
}

function answered(
  protocol: RequestProtocol,
  { status, body }: RequestAnswer,
  read: (body: Uint8Array) => string,
): Answered {
  const mayDiffer = protocol === "status" || body.length === 0;
  const sha256 = mayDiffer ? undefined : createHash("sha256").update(body).digest("hex").slice(0, 16);
  const says = status === RequestStatus.SUCCESS && body.length > 0 ? read(body) : "";
  return { status, bytes: body.length, sha256, says };
}
