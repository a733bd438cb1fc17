import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { redactUrl } from "../../http/redact.ts";
import { FrameError } from "../format/errors.ts";
import { FrameReader, type RawFrame } from "../format/frame-reader.ts";
import { type Frame, readFrame } from "../format/frames.ts";
import { MIN_BYTES_PER_SECOND, transferMs } from "../format/least-rate.ts";
import { decodePayload } from "../format/payload.ts";
import { encodeRequest, FEED_PATH, type FeedRequest } from "../format/request.ts";
import { UpstreamError } from "./errors.ts";

export interface StreamLimits {
  /** Time for the connection and the answer's head. */
  connectMs: number;
  /**
   * Time in which a frame must be complete, beside the time that its bytes take at `bytesPerSecond`, whatever drips in
   * meanwhile; upstreams send one every 5 s at least.
   */
  frameMs: number;
  bytesPerSecond: number;
}

const STREAM_LIMITS: StreamLimits = {
  connectMs: 10_000,
  frameMs: 20_000,
  bytesPerSecond: MIN_BYTES_PER_SECOND,
};

/** Frames that are read and not asked for yet; the socket is paused beyond it. */
const MAX_WAITING = 8;

/** A connection to the feed of an upstream: its frames in order. */
export class UpstreamStream {
  /** For log lines: without secrets. */
  readonly upstream: string;
  readonly #request: ClientRequest;
  readonly #answer: IncomingMessage;
  readonly #limits: StreamLimits;
  readonly #reader = new FrameReader();
  readonly #frames: RawFrame[] = [];
  #failure: UpstreamError | undefined;
  #wake: () => void = () => {};
  #timer: NodeJS.Timeout;
  /** Bytes of the connection so far. */
  received = 0;

  /** Rejects with an UpstreamError, or the reason of `signal`. */
  static async open(
    url: string,
    asked: FeedRequest,
    signal: AbortSignal,
    limits: StreamLimits = STREAM_LIMITS,
  ): Promise<UpstreamStream> {
    const upstream = redactUrl(url);
    const { protocol } = new URL(url);
    const body = encodeRequest(asked);
    const request = (protocol === "https:" ? httpsRequest : httpRequest)(`${url.replace(/\/+$/, "")}${FEED_PATH}`, {
      method: "POST",
      headers: { "Content-Type": "application/vnd.svc.feed", "Content-Length": body.length },
      signal,
      agent: false,
    });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const late = setTimeout(() => {
        request.destroy();
        reject(new UpstreamError(upstream, "silent", `does not answer within ${limits.connectMs} ms`));
      }, limits.connectMs);
      request.once("response", (given) => {
        clearTimeout(late);
        resolve(given);
      });
      request.on("error", (cause) => {
        clearTimeout(late);
        reject(new UpstreamError(upstream, "unreachable", `cannot be reached: ${cause.message}`, { cause }));
      });
      request.end(body);
    }).catch((error: unknown) => {
      signal.throwIfAborted();
      throw error;
    });
    if (answer.statusCode !== 200) {
      request.destroy();
      throw new UpstreamError(upstream, "refused", `answers with status ${answer.statusCode}`);
    }
    return new UpstreamStream(upstream, request, answer, limits);
  }

  private constructor(upstream: string, request: ClientRequest, answer: IncomingMessage, limits: StreamLimits) {
    this.upstream = upstream;
    this.#request = request;
    this.#answer = answer;
    this.#limits = limits;
    this.#timer = this.#frameTimer();
    answer.on("data", (bytes: Buffer) => this.#receive(bytes));
    answer.on("error", (cause) => this.#fail("ended", `the connection broke: ${cause.message}`));
    answer.on("close", () => this.#fail("ended", "ended the feed"));
  }

  #frameTimer(): NodeJS.Timeout {
    const { frameMs, bytesPerSecond } = this.#limits;
    // The length of a frame is known only when it has begun.
    const late = (waitedMs: number): void => {
      const maxMs = Math.ceil(frameMs + transferMs(this.#reader.awaited, bytesPerSecond));
      if (waitedMs < maxMs) {
        this.#timer = setTimeout(() => late(maxMs), maxMs - waitedMs);
        return;
      }
      const rule = this.#reader.atFrameEnd ? "sends nothing" : "sends a frame too slowly";
      this.#fail(this.#reader.atFrameEnd ? "silent" : "slow", `${rule}: none is complete within ${waitedMs} ms`);
    };
    return setTimeout(() => late(frameMs), frameMs);
  }

  #receive(bytes: Buffer): void {
    if (this.#failure !== undefined) return;
    this.received += bytes.length;
    let frames: RawFrame[];
    try {
      frames = this.#reader.push(bytes);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#fail("malformed", error.message);
      return;
    }
    if (frames.length === 0) return;
    this.#frames.push(...frames);
    clearTimeout(this.#timer);
    if (this.#frames.length >= MAX_WAITING) this.#answer.pause();
    else this.#timer = this.#frameTimer();
    this.#wake();
  }

  #fail(fault: UpstreamError["fault"], rule: string): void {
    clearTimeout(this.#timer);
    this.#failure ??= new UpstreamError(this.upstream, fault, rule);
    this.#request.destroy();
    this.#wake();
  }

  /**
   * The next frame. Rejects with an UpstreamError once all frames before a failure are read, or the reason of `signal`.
   */
  async next(signal: AbortSignal): Promise<Frame> {
    while (this.#frames.length === 0) {
      signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        const woken = (): void => {
          signal.removeEventListener("abort", woken);
          resolve();
        };
        this.#wake = woken;
        signal.addEventListener("abort", woken);
      });
    }
    const frame = this.#frames.shift()!;
    if (this.#answer.isPaused() && this.#frames.length < MAX_WAITING) {
      this.#answer.resume();
      this.#timer = this.#frameTimer();
    }
    try {
      return readFrame(await decodePayload(frame));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#fail("malformed", error.message);
      throw new UpstreamError(this.upstream, "malformed", error.message, { cause: error });
    }
  }

  close(): void {
    this.#fail("ended", "the connection is closed");
  }
}
