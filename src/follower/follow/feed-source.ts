import { replayWorldState } from "../../archiver/replay-world-state.ts";
import type { ApplyServices, ChainSource } from "../../archiver/sync-services.ts";
import type { Core } from "../../core/core.ts";
import type { EndpointHealth } from "../../endpoints/endpoint-health.ts";
import { RateLimit } from "../../events/rate-limit.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { toHex } from "../../protocol/bytes.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import type { Frame } from "../format/frames.ts";
import type { Hello } from "../format/hello.ts";
import { requestOf } from "../format/request.ts";
import { FrameApplier } from "./apply-frames.ts";
import { type FeedUpstream, openFeed } from "./ask-upstream.ts";
import { UpstreamError, UpstreamLieError } from "./errors.ts";
import type { StreamLimits, UpstreamStream } from "./upstream-stream.ts";

export interface FeedSourceOptions {
  /** In order of preference. */
  upstreams: readonly FeedUpstream[];
  core: Core;
  limits?: StreamLimits;
}

/** An upstream that lied is not asked again for this long, unless all did. */
const DISTRUST_MS = 10 * 60_000;
/** Frames that change nothing which an upstream may send in a row and per second. */
const IDLE_FRAMES = { burst: 100, perSecond: 10 };

interface Connection {
  upstream: FeedUpstream;
  stream: UpstreamStream;
  applier: FrameApplier;
}

/**
 * Follows upstream nodes by their feed. An iteration applies one frame. After a failure another upstream is asked, by
 * the policy of src/endpoints; the synchronizer pauses in between.
 */
export class FeedSource implements ChainSource {
  readonly name = "the upstream";
  readonly waits = true;
  readonly #services: ApplyServices;
  readonly #options: FeedSourceOptions;
  #connection: Connection | undefined;
  #idleFrames = new RateLimit(IDLE_FRAMES);

  constructor(services: ApplyServices, options: FeedSourceOptions) {
    this.#services = services;
    this.#options = options;
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
    const { interruption, exclusive } = this.#services;
    const { signal } = interruption;
    signal.throwIfAborted();
    try {
      if (this.#connection === undefined) {
        await exclusive(() => replayWorldState(this.#services));
        this.#connection = await this.#connect();
      }
      await this.#apply(this.#connection, await this.#connection.stream.next(signal));
    } catch (error) {
      const health = this.#connection?.upstream.health;
      this.#disconnect();
      if (error instanceof UpstreamError) health?.failed(error.message);
      else if (error instanceof UpstreamLieError && health !== undefined) this.#distrust(health, error);
      throw error;
    }
  }

  #disconnect(): void {
    this.#connection?.stream.close();
    this.#connection = undefined;
  }

  #distrust(health: EndpointHealth, error: UpstreamLieError): void {
    const { field, expected, got, upstream, message } = error;
    health.distrust(message, DISTRUST_MS);
    this.#services.logger.error(
      { upstream, field, expected, got },
      "an upstream gave an invalid answer: not following it",
    );
  }

  async #connect(): Promise<Connection> {
    const { chain, reader, logger, interruption } = this.#services;
    const { core, limits, upstreams } = this.#options;
    const accept = (hello: Hello, { health }: FeedUpstream, name: string): void => {
      const lie = identityLie(name, hello, reader.identity);
      if (lie === undefined) return;
      this.#distrust(health, lie);
      throw lie;
    };
    const request = requestOf(chain);
    const { signal } = interruption;
    const { upstream, stream } = await openFeed(upstreams, { request, accept, signal, limits });
    logger.info({ upstream: stream.upstream, block: chain.latestBlockNumber() }, "following the upstream {upstream}");
    return { upstream, stream, applier: new FrameApplier(this.#services, core, stream.upstream) };
  }

  async #apply({ stream, applier }: Connection, frame: Frame): Promise<void> {
    const { chain, emit, times, initialSync } = this.#services;
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
    if (!initialSync.complete) {
      initialSync.complete = true;
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
    if (this.#idleFrames.take()) return;
    this.#idleFrames = new RateLimit(IDLE_FRAMES);
    throw new UpstreamError(upstream, "malformed", "sends frames without end that change nothing");
  }
}

/** Undefined if the upstream follows the own chain. */
function identityLie(upstream: string, { identity }: Hello, own: RollupIdentity): UpstreamLieError | undefined {
  const expected = chainFacts(own);
  const different = Object.entries(chainFacts(identity)).find(([field, got]) => got !== expected[field]);
  if (different === undefined) return undefined;
  const [field, got] = different;
  return new UpstreamLieError(upstream, { field, expected: expected[field], got });
}

/** What makes it the same chain; addresses of contracts beside the rollup may be configured. */
function chainFacts(identity: RollupIdentity): Record<string, string> {
  const { l1ChainId, rollupVersion, addresses, genesisArchiveRoot, constants } = identity;
  const { rollupAddress } = addresses;
  const named = {
    generation: generationNamed(identity.generation).name,
    l1ChainId,
    rollupVersion,
    rollupAddress,
    genesisArchiveRoot: toHex(genesisArchiveRoot),
    ...constants,
  };
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, String(value)]));
}
