import type { ChainStore } from "../../archiver/chain-store.ts";
import { FrameError } from "./errors.ts";
import { Fields } from "./fields.ts";
import { packValues, unpackValues, type Value } from "./payload.ts";

/** Raised with every change that another version cannot read. */
export const FEED_VERSION = 1;

export const FEED_PATH = "/svc/feed";
export const MAX_REQUEST_BYTES = 64 * 1024;
/** Entries of each list in a request. */
const MAX_ENTRIES = 256;
const DENSE_ENTRIES = 64;

/** Something of the chain by number (a message by index), and what identifies it and everything before it. */
export interface ChainEntry {
  number: number;
  /** A checkpoint's archive root and the hash of its L1 block, a block's hash, a message's rolling hash. */
  id: Uint8Array;
}

/** Where a follower's chain stands: entries in ascending order, dense at the end, sparse before. */
export interface FeedRequest {
  messages: ChainEntry[];
  checkpoints: ChainEntry[];
  proposed: ChainEntry[];
  /** The L1 block that it has followed the chain to, 0 for none. */
  processed: number;
}

/** What identifies a checkpoint at its place on L1. */
export function checkpointId({ archiveRoot, l1 }: { archiveRoot: Uint8Array; l1: { hash: Uint8Array } }): Uint8Array {
  return Buffer.concat([archiveRoot, l1.hash]);
}

/** The numbers from `lowest` to `last` that a request names: the last 64, then with doubling gaps, and `lowest`. */
export function locatorNumbers(last: number, lowest: number): number[] {
  const numbers: number[] = [];
  for (let number = last, step = 1; number > lowest; number -= step) {
    numbers.push(number);
    if (numbers.length >= DENSE_ENTRIES) step *= 2;
  }
  if (last >= lowest) numbers.push(lowest);
  return numbers.reverse();
}

/** Where a stored chain stands. */
export function requestOf(chain: ChainStore): FeedRequest {
  // Below the finalized checkpoint nothing can be unwound, so that nothing else has to be compared.
  const lowest = Math.max(chain.finalizedCheckpointNumber(), 1);
  const checkpoints = locatorNumbers(chain.latestCheckpointNumber(), lowest).map((number) => ({
    number,
    id: checkpointId(chain.checkpoint(number)!),
  }));
  const proposed: ChainEntry[] = [];
  const latest = chain.latestBlockNumber();
  for (let number = chain.checkpointedBlockNumber() + 1; number <= latest; number++) {
    proposed.push({ number, id: chain.block(number)!.hash });
  }
  return { messages: messageEntries(chain), checkpoints, proposed, processed: chain.state.processed()?.number ?? 0 };
}

function messageEntries({ messages }: ChainStore): ChainEntry[] {
  const entries: ChainEntry[] = [];
  let step = 1;
  for (let found = messages.last(); found !== undefined; found = messages.before(found.index - step + 1)) {
    entries.push({ number: found.index, id: found.rollingHash });
    if (entries.length >= DENSE_ENTRIES) step *= 2;
  }
  return entries.reverse();
}

const entryValues = (entries: ChainEntry[]): Value => entries.map(({ number, id }): Value => [number, id]);

export function encodeRequest({ messages, checkpoints, proposed, processed }: FeedRequest): Uint8Array {
  return packValues([
    ...[FEED_VERSION, entryValues(messages), entryValues(checkpoints), entryValues(proposed.slice(0, MAX_ENTRIES))],
    processed,
  ]);
}

/** Throws FrameError. */
export function decodeRequest(bytes: Uint8Array): FeedRequest {
  const fields = new Fields("request", unpackValues(bytes));
  const version = fields.uint("version");
  if (version !== FEED_VERSION) throw new FrameError("request version", `must be ${FEED_VERSION}, got ${version}`);
  const entries = (name: string, bytesOfId: number): ChainEntry[] => {
    let last = -1;
    return fields.list(name, MAX_ENTRIES).map((values) => {
      const entry = new Fields(name, values);
      const read = { number: entry.uint("number", 2 ** 48 - 1), id: entry.bytes("id", bytesOfId) };
      entry.end();
      if (read.number <= last) throw new FrameError(`request ${name}`, "must be in ascending order");
      last = read.number;
      return read;
    });
  };
  const request = {
    messages: entries("messages", 16),
    checkpoints: entries("checkpoints", 64),
    proposed: entries("proposed", 32),
    processed: fields.uint("processed", 2 ** 48 - 1),
  };
  fields.end();
  return request;
}
