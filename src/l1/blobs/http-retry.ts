import { setTimeout as sleep } from "node:timers/promises";
import { exchange, type HttpAnswer, HttpError, type HttpRequest } from "../../http/exchange.ts";
import { BlobSourceError } from "./errors.ts";

/** Waits after a failed exchange (sheet 04 section 4.6). */
export const HTTP_RETRY_DELAYS_MS: readonly number[] = [1000, 1000, 3000];

export interface RetryOptions {
  /** Name of the source, for the error. */
  source: string;
  retryDelaysMs: readonly number[];
}

/** Statuses that say nothing about the thing asked for, only about the moment. */
const isPassing = (status: number) => status === 429 || status >= 500;

/** One HTTP exchange, repeated while the network or the server fails. Throws a BlobSourceError after the last attempt. */
export async function exchangeWithRetries(
  url: string,
  request: HttpRequest,
  options: RetryOptions,
): Promise<HttpAnswer> {
  for (let attempt = 0; ; attempt++) {
    let reason: string;
    let cause: unknown;
    try {
      const answer = await exchange(url, request);
      if (!isPassing(answer.status)) return answer;
      reason = `HTTP status ${answer.status}`;
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      reason = error.message;
      cause = error;
    }
    const wait = options.retryDelaysMs[attempt];
    if (wait === undefined || request.signal?.aborted) throw new BlobSourceError(options.source, reason, { cause });
    await sleep(wait, undefined, { signal: request.signal }).catch(() => undefined);
  }
}
