import type { Stream, StreamCloseEvent, StreamMessageEvent } from "@libp2p/interface";

type Chunk = StreamMessageEvent["data"];

/**
 * The bytes of a stream as they are asked for. In between the stream is paused: the peer may send until its window is
 * full, and then waits. The stream's own iterator never pauses, and holds all that comes faster than it is taken.
 */
export class PulledStream {
  readonly #stream: Stream;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  abort(error: Error): void {
    this.#stream.abort(error);
  }

  /** Throws when the stream was reset. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Chunk> {
    const stream = this.#stream;
    let waiting: Chunk[] = [];
    let closed: StreamCloseEvent | undefined;
    let wake = (): void => {};
    let resuming = false;
    const pause = (): void => {
      if (!resuming && stream.status === "open" && stream.readStatus === "readable") stream.pause();
    };
    const onMessage = ({ data }: StreamMessageEvent): void => {
      waiting.push(data);
      pause();
      wake();
    };
    const onClose = (event: StreamCloseEvent): void => {
      closed = event;
      wake();
    };
    const onEnd = (): void => wake();
    stream.addEventListener("message", onMessage);
    stream.addEventListener("close", onClose);
    stream.addEventListener("remoteCloseWrite", onEnd);
    try {
      for (;;) {
        if (waiting.length === 0) {
          // What has come in the meantime is handed out before the muxer is told: a pause in between would be lost.
          resuming = true;
          this.#resume();
          resuming = false;
        }
        if (waiting.length > 0) {
          pause();
          const chunks = waiting;
          waiting = [];
          yield* chunks;
          continue;
        }
        if (closed?.error !== undefined) throw closed.error;
        if (closed !== undefined || stream.status !== "open") return;
        if (stream.remoteWriteStatus !== "writable" && stream.readBufferLength === 0) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      stream.removeEventListener("message", onMessage);
      stream.removeEventListener("close", onClose);
      stream.removeEventListener("remoteCloseWrite", onEnd);
    }
  }

  #resume(): void {
    if (this.#stream.status !== "open" || this.#stream.readStatus !== "paused") return;
    try {
      this.#stream.resume();
    } catch (error) {
      // The connection closed and the stream has not heard of it.
      this.#stream.abort(error as Error);
    }
  }
}
