import { setTimeout as sleep } from "node:timers/promises";
import { HttpError } from "./errors.ts";

/** Statuses that say nothing about the thing asked for, only about the moment. */
export const isPassing = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Whether asking again may help. */
export const isPassingError = (error: unknown): error is HttpError =>
  error instanceof HttpError && (error.kind === "unreachable" || error.kind === "timeout");

export interface RetryLimits {
  /** Waits between attempts; one more attempt than waits. */
  delaysMs: readonly number[];
  /** No attempt begins later than this after the first one. Milliseconds. */
  withinMs: number;
  signal?: AbortSignal;
}

/**
 * Repeats `attempt` while it ends in a passing status or error; the last outcome is the outcome. A server that made its caller wait is
 * not asked as often as one that refused at once.
 */
export async function withRetries<T extends { status: number }>(
  attempt: () => Promise<T>,
  { delaysMs, withinMs, signal }: RetryLimits,
): Promise<T> {
  const last = performance.now() + withinMs;
  for (const delay of delaysMs) {
    try {
      const reply = await attempt();
      if (!isPassing(reply.status) || performance.now() + delay > last) return reply;
    } catch (error) {
      if (!isPassingError(error) || signal?.aborted || performance.now() + delay > last) throw error;
    }
    await sleep(delay, undefined, { signal }).catch(() => undefined);
  }
  return attempt();
}
