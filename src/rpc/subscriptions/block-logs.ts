import type { TaggedLog } from "../../archiver/content-types.ts";
import type { ChainReader } from "../../archiver/types.ts";
import { headerTimestamp } from "../../protocol/block-header.ts";
import { mapKey } from "../../protocol/bytes.ts";
import { readTxEffects } from "../../protocol/tx-effect.ts";

export interface BlockLog extends TaggedLog {
  /** Of public logs. */
  contractAddress: Uint8Array | undefined;
}

/** Logs of one block in their order. */
export interface BlockLogs {
  readonly hash: Uint8Array;
  readonly all: readonly BlockLog[];
  /** By tag and, for public logs, by contract; keys by `tagKey` and `contractKey`. */
  readonly byTag: ReadonlyMap<string, readonly BlockLog[]>;
  readonly byContract: ReadonlyMap<string, readonly BlockLog[]>;
}

const WORD_BYTES = 32;
/** Blocks whose logs are kept: the newest, and where subscribers catch up. */
const MAX_KEPT = 8;

export function tagKey(tag: Uint8Array, contractAddress: Uint8Array | undefined): string {
  return contractAddress === undefined ? mapKey(tag) : mapKey(contractAddress) + mapKey(tag);
}

/** Reads the logs of blocks, once for all filters. */
export class BlockLogReader {
  readonly #chain: ChainReader;
  readonly #kept = new Map<number, BlockLogs>();

  constructor(chain: ChainReader) {
    this.#chain = chain;
  }

  /** Logs of a block that is on the chain. */
  of(number: number, hash: Uint8Array): BlockLogs {
    const kept = this.#kept.get(number);
    if (kept !== undefined && Buffer.compare(kept.hash, hash) === 0) return kept;
    const read = indexed(hash, [...logsOf(this.#chain, number)]);
    this.#kept.delete(number);
    this.#kept.set(number, read);
    if (this.#kept.size > MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return read;
  }
}

function* logsOf(chain: ChainReader, number: number): Generator<BlockLog> {
  const body = chain.blockBody(number);
  if (body === undefined || body.length === 0) return;
  const { hash, header } = chain.block(number)!;
  const { publicLogsFollowPrivateLogs } = chain.generation.api;
  const blockTimestamp = headerTimestamp(header);
  for (const [txIndexInBlock, effect] of readTxEffects(body).entries()) {
    const { txHash, noteHashes, nullifiers, privateLogs, publicLogs } = effect;
    const tx = { blockNumber: number, blockHash: hash, blockTimestamp, txIndexInBlock, txHash, noteHashes, nullifiers };
    for (const [i, logData] of privateLogs.entries()) {
      yield { ...tx, logIndexWithinTx: i, logData, contractAddress: undefined };
    }
    const first = publicLogsFollowPrivateLogs ? privateLogs.length : 0;
    for (const [i, { fields, contractAddress }] of publicLogs.entries()) {
      yield { ...tx, logIndexWithinTx: first + i, logData: fields, contractAddress };
    }
  }
}

function indexed(hash: Uint8Array, all: readonly BlockLog[]): BlockLogs {
  const byTag = new Map<string, BlockLog[]>();
  const byContract = new Map<string, BlockLog[]>();
  const add = (map: Map<string, BlockLog[]>, key: string, log: BlockLog): void => {
    const others = map.get(key);
    if (others === undefined) map.set(key, [log]);
    else others.push(log);
  };
  for (const log of all) {
    const { contractAddress, logData } = log;
    if (contractAddress !== undefined) add(byContract, mapKey(contractAddress), log);
    if (logData.length >= WORD_BYTES) add(byTag, tagKey(logData.subarray(0, WORD_BYTES), contractAddress), log);
  }
  return { hash, all, byTag, byContract };
}
