import type { ChainReader } from "../../archiver/types.ts";
import { HEADER_AT } from "../../protocol/block-header.ts";
import { equal, readU32, writeUint } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { type L2Block, l2BlockFromBytes } from "../../protocol/l2-block.ts";
import type { PeerPenalties } from "../peers/penalties.ts";
import { type RequestClient, RequestStatus } from "./request-client.ts";

export interface BlockRequestParts {
  client: RequestClient;
  penalties: PeerPenalties;
  chain: Pick<ChainReader, "block" | "blockBody">;
}

/**
 * Asks a peer for a block that this node has, too: only then can the answer be checked
 * (docs/protocol/10-peers.md#1014-sub-protocols). Undefined if the peer has none or answers with another one, which
 * costs it.
 */
export async function requestBlock(
  { client, penalties, chain }: BlockRequestParts,
  peer: string,
  number: number,
): Promise<L2Block | undefined> {
  const request = new Uint8Array(32);
  writeUint(request, 26, 6, number);
  const { status, body } = await client.request(peer, "block", request);
  if (status !== RequestStatus.SUCCESS || body.length === 0) return undefined;
  try {
    const block = l2BlockFromBytes(body);
    if (readU32(block.header, HEADER_AT.blockNumber) !== number) {
      penalties.penalize(peer, "low", `it sent another block than ${number}`);
      return undefined;
    }
    const own = chain.block(number);
    const words = chain.blockBody(number);
    if (own === undefined || words === undefined) return undefined;
    const isOwn = equal(own.header, block.header) && equal(own.archiveRoot, block.archiveRoot);
    if (isOwn && equal(words, block.words)) return block;
    penalties.penalize(peer, "mid", `its block ${number} is not this node's`);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    penalties.penalize(peer, "low", `its block ${number} cannot be decoded: ${error.rule}`);
  }
  return undefined;
}
