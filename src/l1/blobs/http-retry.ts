import { HttpError } from "../../http/errors.ts";
import { type HttpCall, type WholeReply, wholeExchange } from "../../http/exchange.ts";
import { isTemporary, withRetries } from "../../http/retry.ts";
import { BlobSourceError } from "./errors.ts";

/** Delays after failed attempts (docs/protocol/04-l1-contracts.md#411-fetching-blobs). */
export const HTTP_RETRY_DELAYS_MS: readonly number[] = [1000, 1000, 3000];

interface RetryOptions {
  /** Name of the source, for the error. */
  source: string;
  retryDelaysMs: readonly number[];
  /** Timeout of one attempt, and the time within which attempts are started, in milliseconds. */
  timeoutMs: number;
  maxBytes: number;
}

/** One HTTP exchange, retried on network and server failures. Throws a BlobSourceError after the last attempt. */
export async function exchangeWithRetries(call: HttpCall, options: RetryOptions): Promise<WholeReply> {
  const { source, retryDelaysMs: delaysMs, timeoutMs, maxBytes } = options;
  const attempt = () => wholeExchange(call, { totalMs: timeoutMs, maxBytes });
  let reply: WholeReply;
  try {
    reply = await withRetries(attempt, { delaysMs, withinMs: timeoutMs, signal: call.signal });
  } catch (error) {
    if (error instanceof HttpError) throw new BlobSourceError(source, error.message, { cause: error });
    throw error;
  }
  if (isTemporary(reply.status)) throw new BlobSourceError(source, `HTTP status ${reply.status}`);
  return reply;
}
