import type { Writable } from "node:stream";
import { transferMs } from "../format/least-rate.ts";

/** A follower left, or takes what it is sent too slowly. */
export class FollowerGoneError extends Error {
  readonly stalled: boolean;

  constructor(stalled: boolean) {
    super("the follower is gone");
    this.name = "FollowerGoneError";
    this.stalled = stalled;
  }
}

/**
 * Resolves once what was written is with the kernel, so that at most one batch waits here. Rejects with a
 * FollowerGoneError, at the latest after `stallTimeoutMs` and the time that the bytes take on the slowest link.
 */
export function sendInTime(response: Writable, bytes: Uint8Array, stallTimeoutMs: number): Promise<void> {
  if (response.destroyed) return Promise.reject(new FollowerGoneError(false));
  if (response.write(bytes)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const ended = (settle: () => void): void => {
      clearTimeout(timer);
      response.off("drain", drained);
      response.off("close", closed);
      settle();
    };
    const drained = (): void => ended(resolve);
    const closed = (): void => ended(() => reject(new FollowerGoneError(false)));
    const late = (): void => ended(() => reject(new FollowerGoneError(true)));
    const timer = setTimeout(late, stallTimeoutMs + transferMs(bytes.length));
    response.on("drain", drained);
    response.on("close", closed);
  });
}
