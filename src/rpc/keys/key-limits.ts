import type { RpcAnswer } from "../jsonrpc/answer.ts";
import { type CallLimit, ClientLimit } from "../limits/client-limit.ts";
import { SharedBuckets } from "../limits/shared-buckets.ts";
import type { ApiKey } from "./api-key.ts";
import type { KeyCounts } from "./key-counts.ts";

/** Keys whose rate is kept in mind; see ClientLimit. */
const MAX_TRACKED = 4_096;

/** Memory that the threads of a port share, so that a key's limit holds for all of them. */
export interface KeyMemory {
  rateLimit: SharedArrayBuffer;
}

export function keyMemory(): KeyMemory {
  return { rateLimit: SharedBuckets.memory(MAX_TRACKED) };
}

/** The limit of the calls made with one key, from whatever address. Counts them. */
export function keyLimit({ name, rateLimit }: ApiKey, memory: KeyMemory, counts: KeyCounts): CallLimit {
  const limit = rateLimit > 0 ? new ClientLimit({ perSecond: rateLimit, memory: memory.rateLimit }) : undefined;
  const counted = (calls: number, refusal: RpcAnswer | undefined): RpcAnswer | undefined => {
    counts.add(name, refusal === undefined ? "ok" : "refused", calls);
    return refusal;
  };
  // No colon: the name must not look like an IPv6 address, of which a part would count.
  const bucket = `key ${name}`;
  return {
    request: () => counted(1, limit?.request(bucket)),
    batch: (_client, furtherCalls) => counted(furtherCalls, limit?.batch(bucket, furtherCalls)),
  };
}
