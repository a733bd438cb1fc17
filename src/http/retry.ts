import { setTimeout as sleep } from "node:timers/promises";
import { HttpError } from "./errors.ts";

/** Statuses of temporary failures. */
export const isTemporary = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Whether a retry may help. */
export const isTemporaryError = (error: unknown): error is HttpError =>
  error instanceof HttpError && (error.kind === "unreachable" || error.kind === "timeout");

interface RetryLimits {
  /** Delays between attempts; there is one more attempt than delays. */
  delaysMs: readonly number[];
  /** No attempt starts later than this after the first one, in milliseconds. */
  withinMs: number;
  signal?: AbortSignal;
}

/**
 * Repeats `attempt` while it ends with a temporary status or error, and returns the last outcome. Since the total time
 * is limited, a slow server gets fewer attempts than one that refuses immediately.
 */
export async function withRetries<T extends { status: number }>(
  attempt: () => Promise<T>,
  { delaysMs, withinMs, signal }: RetryLimits,
): Promise<T> {
  const last = performance.now() + withinMs;
  for (const delay of delaysMs) {
    try {
      const reply = await attempt();
      if (!isTemporary(reply.status) || performance.now() + delay > last) return reply;
    } catch (error) {
      if (!isTemporaryError(error) || signal?.aborted || performance.now() + delay > last) throw error;
    }
    await sleep(delay, undefined, { signal }).catch(() => undefined);
  }
  return attempt();
}
