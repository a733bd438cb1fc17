import type { CommitWatch } from "../../storage/commit-watch.ts";
import type { Frame } from "../format/frames.ts";
import { frameValues } from "../format/frames.ts";
import { encodeFrame } from "../format/payload.ts";
import type { FeedCursor } from "./feed-cursor.ts";

/** A follower knows by these that the connection lives. */
const PING_MS = 5_000;

interface SessionOptions {
  cursor: FeedCursor;
  hello: Frame;
  commits: CommitWatch;
  /** Called before the store is read, so that reads see the latest commit. */
  refresh(): void;
  /** Sends bytes; resolves once the client can take more. Rejects when it is gone or takes nothing for too long. */
  send(bytes: Uint8Array): Promise<void>;
  /** Aborted when the client is gone or the server closes. */
  signal: AbortSignal;
}

/** Sends one follower what it lacks, at once and after every commit, until the signal is aborted or sending fails. */
export async function runSession({ cursor, hello, commits, refresh, send, signal }: SessionOptions): Promise<void> {
  let wake: () => void = () => {};
  let news = true;
  const unsubscribe = commits.onCommit(() => {
    news = true;
    wake();
  });
  const stopped = (): void => wake();
  signal.addEventListener("abort", stopped);
  try {
    await send(encode(hello));
    while (!signal.aborted) {
      news = false;
      refresh();
      const { frames, complete } = cursor.next();
      if (frames.length > 0) await send(Buffer.concat(frames.map(encode)));
      if (!complete) continue;
      while (!news && !signal.aborted) {
        const pinged = await new Promise<boolean>((resolve) => {
          const timer = setTimeout(() => resolve(true), PING_MS);
          wake = () => {
            clearTimeout(timer);
            resolve(false);
          };
        });
        if (pinged) await send(encode({ kind: "ping" }));
      }
    }
  } finally {
    unsubscribe();
    signal.removeEventListener("abort", stopped);
  }
}

function encode(frame: Frame): Uint8Array {
  return encodeFrame(frameValues(frame));
}
