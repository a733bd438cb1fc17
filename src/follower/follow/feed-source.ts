import { replayWorldState } from "../../archiver/replay-world-state.ts";
import type { ApplyServices, ChainSource } from "../../archiver/sync-services.ts";
import type { Core } from "../../core/core.ts";
import { redactUrl } from "../../http/redact.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { toHex } from "../../protocol/bytes.ts";
import { FrameError } from "../format/errors.ts";
import type { Frame } from "../format/frames.ts";
import { readHello } from "../format/hello.ts";
import { requestOf } from "../format/request.ts";
import { FrameApplier } from "./apply-frames.ts";
import { UpstreamError, UpstreamLieError } from "./errors.ts";
import { STREAM_LIMITS, type StreamLimits, UpstreamStream } from "./upstream-stream.ts";

export interface FeedSourceOptions {
  /** In order of preference. */
  urls: readonly string[];
  core: Core;
  limits?: StreamLimits;
  /** An upstream that lied is not asked again for this long, unless all did. */
  distrustMs?: number;
  now?: () => number;
}

const DISTRUST_MS = 10 * 60_000;
/** Frames that change nothing which an upstream may send in a row and per second. */
const IDLE_FRAMES = 100;
const IDLE_FRAMES_PER_SECOND = 10;

interface Connection {
  stream: UpstreamStream;
  applier: FrameApplier;
}

/**
 * Follows upstream nodes by their feed. An iteration applies one frame. After a failure the next upstream is tried; the
 * synchronizer pauses in between.
 */
export class FeedSource implements ChainSource {
  readonly name = "the upstream";
  readonly waits = true;
  readonly #services: ApplyServices;
  readonly #options: FeedSourceOptions;
  readonly #distrusted = new Map<string, number>();
  #connection: Connection | undefined;
  #caughtUp = false;
  #at = 0;
  #idleFrames = 0;
  #idleSince = 0;

  constructor(services: ApplyServices, options: FeedSourceOptions) {
    this.#services = services;
    this.#options = options;
  }

  get caughtUp(): boolean {
    return this.#caughtUp;
  }

  /** The upstream that is followed at the moment, as it may be printed. */
  get upstream(): string | undefined {
    return this.#connection?.stream.upstream;
  }

  /** The chain was rolled back: what it lacks now has to be asked for. */
  forgetProcessed(): void {
    this.#disconnect();
  }

  close(): void {
    this.#disconnect();
  }

  async run(): Promise<void> {
    const { signal, exclusive } = this.#services;
    signal.throwIfAborted();
    try {
      if (this.#connection === undefined) {
        await exclusive(() => replayWorldState(this.#services));
        this.#connection = await this.#connect();
      }
      await this.#apply(this.#connection, await this.#connection.stream.next(signal));
    } catch (error) {
      this.#disconnect();
      if (!(error instanceof UpstreamError) && !(error instanceof UpstreamLieError)) throw error;
      if (error instanceof UpstreamLieError) this.#distrust(error);
      this.#at++;
      throw error;
    }
  }

  #disconnect(): void {
    this.#connection?.stream.close();
    this.#connection = undefined;
  }

  /** The next upstream that did not lie lately; if all did, simply the next one. */
  #nextUrl(): string {
    const { urls, now = Date.now } = this.#options;
    for (let i = 0; i < urls.length; i++) {
      const url = urls[(this.#at + i) % urls.length];
      if ((this.#distrusted.get(url) ?? 0) > now()) continue;
      this.#at += i;
      return url;
    }
    return urls[this.#at % urls.length];
  }

  #distrust({ field, expected, got, upstream }: UpstreamLieError): void {
    const { urls, distrustMs = DISTRUST_MS, now = Date.now } = this.#options;
    this.#distrusted.set(urls[this.#at % urls.length], now() + distrustMs);
    this.#services.logger.error(
      { upstream, field, expected, got },
      "an upstream gave an invalid answer: not following it",
    );
  }

  async #connect(): Promise<Connection> {
    const { chain, reader, logger, signal } = this.#services;
    const { core, limits = STREAM_LIMITS } = this.#options;
    const url = this.#nextUrl();
    const stream = await UpstreamStream.open(url, requestOf(chain), signal, limits);
    try {
      const first = await stream.next(signal);
      if (first.kind !== "hello")
        throw new UpstreamError(stream.upstream, "malformed", `begins with a frame ${first.kind}`);
      checkIdentity(stream.upstream, first, reader.identity);
    } catch (error) {
      stream.close();
      throw error instanceof FrameError ? new UpstreamError(redactUrl(url), "malformed", error.message) : error;
    }
    logger.info({ upstream: stream.upstream, block: chain.latestBlockNumber() }, "following the upstream {upstream}");
    return { stream, applier: new FrameApplier(this.#services, core, stream.upstream) };
  }

  async #apply({ stream, applier }: Connection, frame: Frame): Promise<void> {
    const { chain, emit, times } = this.#services;
    switch (frame.kind) {
      case "hello":
        throw new UpstreamError(stream.upstream, "malformed", "says hello twice");
      case "ping":
        return this.#idle(stream);
      case "end":
        throw new UpstreamError(stream.upstream, "ended", `ended the feed: ${frame.reason}`);
    }
    const before = this.#services.store.version();
    await applier.apply(frame);
    if (this.#services.store.version() === before) this.#idle(stream);
    if (frame.kind !== "marks") return;
    emit("pendingCheckpoint", frame.latest.checkpoint);
    if (!this.#caughtUp) {
      this.#caughtUp = true;
      emit("initialSyncComplete", { ...times });
    }
    emit("progress", {
      checkpoint: chain.latestCheckpointNumber(),
      targetCheckpoint: Math.max(frame.latest.checkpoint, chain.latestCheckpointNumber()),
      block: chain.latestBlockNumber(),
      l1Block: frame.processed?.number ?? 0,
      initialSyncComplete: true,
    });
  }

  /** Throws an UpstreamError if too many frames change nothing. */
  #idle({ upstream }: UpstreamStream): void {
    const now = performance.now();
    this.#idleFrames = Math.max(0, this.#idleFrames - ((now - this.#idleSince) / 1000) * IDLE_FRAMES_PER_SECOND) + 1;
    this.#idleSince = now;
    if (this.#idleFrames <= IDLE_FRAMES) return;
    this.#idleFrames = 0;
    throw new UpstreamError(upstream, "malformed", "sends frames without end that change nothing");
  }
}

/** Throws UpstreamLieError if an upstream follows another chain, FrameError for a malformed hello. */
function checkIdentity(upstream: string, hello: Extract<Frame, { kind: "hello" }>, own: RollupIdentity): void {
  const expected = chainFacts(own);
  for (const [field, got] of Object.entries(chainFacts(readHello(hello).identity))) {
    if (got !== expected[field]) throw new UpstreamLieError(upstream, { field, expected: expected[field], got });
  }
}

/** What makes it the same chain; addresses of contracts beside the rollup may be configured. */
function chainFacts(identity: RollupIdentity): Record<string, string> {
  const { l1ChainId, rollupVersion, addresses, genesisArchiveRoot, constants } = identity;
  const { rollupAddress } = addresses;
  const named = {
    l1ChainId,
    rollupVersion,
    rollupAddress,
    genesisArchiveRoot: toHex(genesisArchiveRoot),
    ...constants,
  };
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)]));
}
