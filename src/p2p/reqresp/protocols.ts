import type { RequestProtocol } from "../peers/request-client.ts";
import { blockTxsAnswerLimit } from "./codecs/block-txs-message.ts";
import { txsAnswerLimit } from "./codecs/tx-list.ts";

/** What both sides know about a request protocol (docs/protocol/10-peers.md#1013-requestresponse). */
export interface ProtocolRow {
  id: string;
  /** Requests per second that are answered, for one peer and for all of them; bursts up to as many. */
  perPeer: number;
  overall: number;
  /** Limit of the decompressed answer to a request, in bytes. Throws a DecodeError for a malformed request. */
  answerLimit(request: Uint8Array): number;
}

const KB = 1024;

function row(name: RequestProtocol, perPeer: number, overall: number, limit: ProtocolRow["answerLimit"]): ProtocolRow {
  return { id: `/aztec/req/${name}/1.0.0`, perPeer, overall, answerLimit: limit };
}

const small = (): number => KB;

export const PROTOCOLS: Record<RequestProtocol, ProtocolRow> = {
  ping: row("ping", 5, 10, small),
  // A peer that gets no status disconnects, so this costs more than answering.
  status: row("status", 5, 200, small),
  goodbye: row("goodbye", 5, 10, small),
  tx: row("tx", 10, 200, txsAnswerLimit),
  block: row("block", 2, 5, () => 3072 * KB),
  auth: row("auth", 5, 10, small),
  block_txs: row("block_txs", 10, 200, blockTxsAnswerLimit),
};

/**
 * Requests must fit one muxer frame: the reference answers each frame of a stream as a request of its own. Its own
 * frames carry at most 65,524 bytes.
 */
export const MAX_REQUEST_BYTES = 65_524;
