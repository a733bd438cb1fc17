import { createServer } from "node:net";
import type { EventLoopUtilization } from "node:perf_hooks";
import { MessageChannel, Worker } from "node:worker_threads";
import { OperatorError } from "../../errors/operator-error.ts";
import { within } from "../../events/within.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { moduleBeside } from "../../threads/module-beside.ts";
import type { LongCalls } from "../calls/long-calls.ts";
import type { UpstreamUrls } from "../forward/upstream-urls.ts";
import type { KeySource, SharedKeys } from "../keys/shared-keys.ts";
import { OpenConnections } from "../limits/open-connections.ts";
import { SharedBuckets } from "../limits/shared-buckets.ts";
import { SocketCounts } from "../limits/socket-counts.ts";
import type { NodeHealth } from "../ports/node-health.ts";
import type { NodeServices } from "../ports/node-services.ts";
import type { PoolEvents } from "../ports/pool-events.ts";
import { serveCalls } from "../remote/call-port.ts";
import { REMOTE_HEALTH, REMOTE_LONG_CALLS, REMOTE_METHODS } from "../remote/remote-services.ts";
import { allowLongHeads } from "../server/listen.ts";
import { RPC_DEFAULTS } from "../server/rpc-server.ts";
import { SocketCuts } from "../subscriptions/socket-cuts.ts";
import { DEFAULT_GRACE_MS, ListenError, type Listener } from "../wire/listener.ts";
import type { FromThread, RpcThreadData, RpcThreadSettings, ToThread } from "./rpc-thread.ts";

/**
 * Pauses before a thread that died is started again; the last one holds for all further times. A thread that so many
 * times in a row ends before it listens will not do so the next time.
 */
const RESTART_PAUSES_MS = [100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000];
/** A thread that has run this long died of something new. */
const SETTLED_MS = 60_000;
/** Time in which threads close their listeners when the process ends at once. */
const ABANDON_MS = 1_000;
/** What a closing thread may take beyond the requests in flight. */
const CLOSE_MARGIN_MS = 2_000;

export interface RpcThreadsOptions
  extends Pick<RpcThreadSettings, "reads" | "calls">,
    Partial<Pick<RpcThreadSettings, "minBlockWaitMs">> {
  /** Keys that clients may present, and what the threads share of them; none when absent. */
  keys?: { source: KeySource; shared: SharedKeys };
  threads: number;
  /** `maxWaitingBytes` is for all threads together. */
  server: RpcThreadSettings["server"];
  /** Most bytes of results that all threads together keep. */
  cacheBytes: number;
  /** Of this thread. */
  services: NodeServices;
  health?: NodeHealth;
  /** From SocketCuts.memory; its own by default. */
  socketCuts?: SharedArrayBuffer;
  /** Undefined where there is no pool. */
  poolEvents?: PoolEvents;
  longCalls: LongCalls;
  /** See RpcThreadSettings. */
  upstreams?: UpstreamUrls;
  upstreamApiKey?: string;
  log: Logger;
  /** Told when a thread that died cannot be started again; without it the error is thrown. */
  onFatal?: ((error: Error) => void) | undefined;
  /** The file that the threads run, and RESTART_PAUSES_MS; for tests. */
  entry?: URL;
  restartPausesMs?: readonly number[];
}

/** A thread of the public port died and cannot be started again. */
class RpcThreadError extends OperatorError {
  override readonly errorCode: string = "rpc-thread";

  constructor(attempts: number, cause: Error) {
    super(`an RPC thread died and cannot be started again, tried ${attempts} times: ${cause.message}`, { cause });
    this.name = "RpcThreadError";
  }
}

/**
 * The number of a port that nobody listens on, a free one for 0. Threads share a port by SO_REUSEPORT, which would let
 * them share one with another process as well. Rejects with a ListenError.
 */
function unusedPort(host: string | undefined, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (cause: NodeJS.ErrnoException) => reject(new ListenError(host, port, cause.code, { cause })));
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });
}

/** One thread, started again whenever it dies after it has listened once. */
class RpcThread {
  readonly #data: Omit<RpcThreadData, "calls" | "keys">;
  readonly #options: RpcThreadsOptions;
  readonly #died: () => void;
  #worker: Worker | undefined;
  #restart: NodeJS.Timeout | undefined;
  #failures = 0;
  /** Ends before it listened, in a row. */
  #failedStarts = 0;
  #deaths = 0;
  /** Whether its end is a reason to start it again. */
  #wanted = false;

  constructor(data: Omit<RpcThreadData, "calls" | "keys">, options: RpcThreadsOptions, died: () => void) {
    this.#data = data;
    this.#options = options;
    this.#died = died;
  }

  /** Resolves once the thread listens; rejects when it ends before. */
  start(): Promise<Extract<FromThread, { kind: "listening" }>> {
    const { server } = this.#data.settings;
    const { log } = this.#options;
    const channel = new MessageChannel();
    const { services, health, longCalls, keys } = this.#options;
    const callable = { ...REMOTE_METHODS, ...REMOTE_LONG_CALLS, ...(health && REMOTE_HEALTH) };
    serveCalls(channel.port1, { ...services, longCalls, ...(health && { health }) }, callable, ["longCalls"]);
    const worker = new Worker(this.#options.entry ?? entryFile(), {
      name: `rpc-${this.#data.slot}`,
      workerData: {
        ...this.#data,
        settings: this.#settings(),
        calls: channel.port2,
        keys: keys?.source.keys ?? [],
      } satisfies RpcThreadData,
      transferList: [channel.port2],
    });
    this.#worker = worker;
    const unfollow = this.#options.poolEvents?.onChange((change) => this.tell({ kind: "pool-change", change }));
    const started = performance.now();
    return new Promise((resolve, reject) => {
      let failure: Error | undefined;
      let listened = false;
      worker.on("message", (told: FromThread) => {
        if (told.kind === "log") log[told.level](told.facts, told.message);
        else if (told.kind === "listening") {
          this.#wanted = true;
          listened = true;
          resolve(told);
        } else failure = new ListenError(server.listen.host, server.listen.port, told.code);
      });
      worker.on("error", (error: unknown) => {
        failure = error instanceof Error ? error : new Error(String(error));
      });
      worker.on("exit", (code) => {
        channel.port1.close();
        unfollow?.();
        this.#worker = undefined;
        this.#died();
        const reason = failure ?? new Error(`RPC thread ${this.#data.slot} ended with code ${code}`);
        reject(reason);
        if (!this.#wanted) return;
        this.#failedStarts = listened ? 0 : this.#failedStarts + 1;
        const attempts = this.#pauses.length;
        if (this.#failedStarts === attempts) {
          this.#wanted = false;
          const { onFatal } = this.#options;
          const error = new RpcThreadError(attempts, reason);
          if (onFatal === undefined) throw error;
          return onFatal(error);
        }
        if (performance.now() - started > SETTLED_MS) this.#failures = 0;
        this.#startAgain({ thread: this.#data.slot, code, err: failure });
      });
    });
  }

  /** As they are now. */
  #settings(): RpcThreadSettings {
    const { upstreams } = this.#options;
    return { ...this.#data.settings, ...(upstreams && { upstreams: upstreams.current }) };
  }

  get #pauses(): readonly number[] {
    return this.#options.restartPausesMs ?? RESTART_PAUSES_MS;
  }

  #startAgain(facts: object): void {
    const pauses = this.#pauses;
    const pauseMs = pauses[Math.min(this.#failures, pauses.length - 1)];
    this.#failures += 1;
    this.#deaths += 1;
    this.#options.log.error({ ...facts, pauseMs }, "an RPC thread died: starting it again");
    this.#restart = setTimeout(() => {
      // Failure is reported by the exit event.
      this.start().catch(() => undefined);
    }, pauseMs);
  }

  /** Of its event loop since the thread started; undefined while there is no thread. */
  get loop(): EventLoopUtilization | undefined {
    return this.#worker?.performance.eventLoopUtilization();
  }

  /** Times that the thread died. */
  get deaths(): number {
    return this.#deaths;
  }

  tell(order: ToThread): void {
    this.#worker?.postMessage(order);
  }

  /** Resolves once the thread is gone. */
  async close(graceMs: number | undefined): Promise<void> {
    this.#wanted = false;
    clearTimeout(this.#restart);
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
    this.tell({ kind: "close", graceMs });
    await gone;
  }
}

function entryFile(): URL {
  return moduleBeside(import.meta.url, "rpc-thread-entry");
}

interface RpcThreadStatus {
  /** Of its event loop since the thread started; undefined while there is no thread. */
  readonly loop: EventLoopUtilization | undefined;
  /** Times that the thread died. */
  readonly deaths: number;
}

/** The public JSON-RPC on threads of its own, all listening on one port. */
export class RpcThreads implements Listener {
  readonly port: number;
  readonly adapter: Listener["adapter"];
  readonly #threads: readonly RpcThread[];
  readonly #log: Logger;
  readonly #listening: Int32Array;
  readonly #connections: OpenConnections;
  readonly #atExit = (): void => this.abandon();

  /** Resolves once all threads listen. Rejects with a ListenError, or with what kept a thread from starting. */
  static async start(options: RpcThreadsOptions): Promise<RpcThreads> {
    const {
      threads: count,
      server,
      reads,
      services,
      cacheBytes,
      minBlockWaitMs = RPC_DEFAULTS.minBlockWaitMs,
      calls,
    } = options;
    const { maxWaitingBytes = RPC_DEFAULTS.maxWaitingBytes } = server.limits ?? {};
    const { ready: _ready, txGasLimits: _txGasLimits, ...status } = services.status;
    allowLongHeads();
    const settings: RpcThreadSettings = {
      reads,
      status,
      health: options.health !== undefined,
      server: {
        ...server,
        listen: { ...server.listen, port: await unusedPort(server.listen.host, server.listen.port) },
        limits: { ...server.limits, maxWaitingBytes: Math.ceil(maxWaitingBytes / count) },
      },
      cacheBytes: Math.floor(cacheBytes / count),
      connections: OpenConnections.memory(),
      sockets: SocketCounts.memory(count),
      socketCuts: options.socketCuts ?? SocketCuts.memory(),
      poolEvents: options.poolEvents !== undefined,
      upstreamApiKey: options.upstreamApiKey,
      rateLimit: SharedBuckets.memory(),
      minBlockWaitMs,
      calls,
      keys: options.keys?.shared,
      listening: new SharedArrayBuffer(4),
    };
    const connections = new OpenConnections(settings.connections);
    const sockets = new SocketCounts(settings.sockets);
    const died = (slot: number): void => {
      connections.forget(slot);
      sockets.forget(slot);
    };
    const threads = Array.from(
      { length: count },
      (_, slot) => new RpcThread({ settings, slot }, options, () => died(slot)),
    );
    options.keys?.source.onChange((keys) => {
      for (const thread of threads) thread.tell({ kind: "keys", keys });
    });
    const outcomes = await Promise.allSettled(threads.map((thread) => thread.start()));
    const failed = outcomes.find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) {
      await Promise.all(threads.map((thread) => thread.close(0)));
      throw failed.reason;
    }
    const { upstreams } = options;
    upstreams?.onChange(() => {
      for (const thread of threads) thread.tell({ kind: "upstreams", urls: upstreams.current });
    });
    const [first] = outcomes as PromiseFulfilledResult<Extract<FromThread, { kind: "listening" }>>[];
    return new RpcThreads(threads, first.value, settings, options.log);
  }

  private constructor(
    threads: readonly RpcThread[],
    { port, adapter }: Pick<Listener, "port" | "adapter">,
    settings: RpcThreadSettings,
    log: Logger,
  ) {
    this.#threads = threads;
    this.port = port;
    this.adapter = adapter;
    this.#listening = new Int32Array(settings.listening);
    this.#connections = new OpenConnections(settings.connections);
    this.#log = log;
    process.once("exit", this.#atExit);
  }

  get openConnections(): number {
    return this.#connections.total;
  }

  /** Of each thread. */
  status(): RpcThreadStatus[] {
    return this.#threads.map(({ loop, deaths }) => ({ loop, deaths }));
  }

  async close(graceMs = DEFAULT_GRACE_MS): Promise<void> {
    const gone = Promise.all(this.#threads.map((thread) => thread.close(graceMs))).then(() => true);
    if (await within(gone, { ms: graceMs + CLOSE_MARGIN_MS, late: () => false })) process.off("exit", this.#atExit);
    else this.#log.warn({}, "an RPC thread did not end in time");
  }

  /** Ends the threads' listeners and waits for it without giving the event loop a turn. */
  abandon(): void {
    for (const thread of this.#threads) thread.tell({ kind: "abandon" });
    const end = performance.now() + ABANDON_MS;
    for (;;) {
      const open = Atomics.load(this.#listening, 0);
      const left = end - performance.now();
      if (open === 0 || left <= 0) return;
      Atomics.wait(this.#listening, 0, open, left);
    }
  }
}
