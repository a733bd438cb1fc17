import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PartValues } from "../../config/part-values.ts";
import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { LoggerFor, NodeLogger } from "../../process/logging/logging.ts";
import { type NodeRecord, readNodeRecord } from "../../process/node-record.ts";
import type { RunningService } from "../../process/supervise.ts";
import { UpstreamUrls } from "../../rpc/forward/upstream-urls.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { openReadable, type ReadableStore, unreadable } from "./readable-store.ts";
import { serveStore } from "./serve-store.ts";
import { UpstreamNode } from "./upstream-node.ts";

const LOOK_MS = 500;

interface RpcOnlyOptions {
  values: PartValues;
  /** The data directory of the node. */
  directory: string;
  loggerFor: LoggerFor;
  metrics: Metrics;
  /** The health of the node. */
  endpoints: EndpointBook;
  /** Aborts the start. */
  signal: AbortSignal;
  onFatal: (error: Error) => void;
}

interface Opened {
  record: NodeRecord;
  readable: ReadableStore;
}

/**
 * Answers JSON-RPC from the store of a node on this machine, until stopped. Takes no lock and writes nothing there.
 * Waits for a node to open the store. While the store is exchanged for another one or migrated, the port is closed.
 */
export async function startRpcOnly(options: RpcOnlyOptions): Promise<RunningService> {
  const stop = new AbortController();
  const interrupted = (): void => stop.abort(options.signal.reason);
  options.signal.addEventListener("abort", interrupted);
  const service = new RpcOnly(options, stop.signal);
  try {
    await service.serve();
  } catch (error) {
    service.close();
    throw error;
  }
  const served = service.serveOn().catch((error: Error) => {
    if (!stop.signal.aborted) options.onFatal(error);
  });
  return {
    async stop() {
      stop.abort();
      await served;
      await service.pause();
      service.close();
    },
  };
}

class RpcOnly {
  readonly #options: RpcOnlyOptions;
  readonly #stopped: AbortSignal;
  readonly #log: NodeLogger;
  readonly #upstreams = new UpstreamUrls([]);
  readonly #node: UpstreamNode;
  #readable: ReadableStore | undefined;
  #serving: { port: number; stop(): Promise<void> } | undefined;

  constructor(options: RpcOnlyOptions, stopped: AbortSignal) {
    this.#options = options;
    this.#stopped = stopped;
    this.#log = options.loggerFor("node");
    this.#node = new UpstreamNode(() => this.#upstreams.current[0], options.endpoints);
  }

  close(): void {
    this.#node.stop();
  }

  /** Opens the port as soon as the store can be read. Rejects with an OperatorError or the reason of the signal. */
  async serve(): Promise<void> {
    const { values, loggerFor, metrics, onFatal } = this.#options;
    const { record, readable } = await this.#opened();
    this.#readable = readable;
    this.#forwardTo(record);
    const [node, upstreams] = [this.#node, this.#upstreams];
    try {
      this.#serving = await serveStore({ values, record, readable, upstreams, node, metrics, loggerFor, onFatal });
    } catch (error) {
      await readable.store.close();
      this.#readable = undefined;
      throw error;
    }
    const { port } = this.#serving;
    this.#log.info(
      { host: values.rpc.listen.host, port },
      "answering JSON-RPC on {host}:{port} from the store of a node",
    );
  }

  /** Closes the port and the store. */
  async pause(): Promise<void> {
    const [serving, readable] = [this.#serving, this.#readable];
    this.#serving = undefined;
    this.#readable = undefined;
    await serving?.stop();
    await readable?.store.close();
  }

  /** Serves whatever store the node has, until stopped. */
  async serveOn(): Promise<void> {
    while (!this.#stopped.aborted) {
      const reason = await this.#untilUnreadable();
      if (reason === undefined) return;
      this.#log.warn({ reason }, "the port closes until the store can be read again: {reason}");
      await this.pause();
      await this.serve();
    }
  }

  /** Resolves to why the store can no longer be read; undefined when stopped. */
  async #untilUnreadable(): Promise<string | undefined> {
    const readable = this.#readable;
    if (readable === undefined) return undefined;
    for (;;) {
      const reason = unreadable(readable);
      if (reason !== undefined) return reason;
      this.#readAgain();
      await changed(readable, this.#stopped);
      if (this.#stopped.aborted) return undefined;
    }
  }

  /** The node may have another port since its last start. */
  #readAgain(): void {
    try {
      const record = readNodeRecord(this.#options.directory);
      if (record !== undefined) this.#forwardTo(record);
    } catch (error) {
      this.#log.warn({ err: error }, "the record of the node cannot be read");
    }
  }

  #forwardTo({ rpcUrl }: NodeRecord): void {
    this.#upstreams.change([this.#options.values.rpc.forward.nodeUrl ?? rpcUrl]);
  }

  async #opened(): Promise<Opened> {
    const { directory, values } = this.#options;
    let told: string | undefined;
    for (;;) {
      this.#stopped.throwIfAborted();
      const record = readNodeRecord(directory);
      const mapSizeKb = Math.max(record?.mapSizeKb ?? 0, values.storage.mapSizeKb);
      const readable = record
        ? await openReadable(join(directory, "chain"), { mapSizeKb, identity: record.identity })
        : "no node has started on the data directory yet";
      if (record !== undefined && typeof readable !== "string") return { record, readable };
      if (told !== readable) this.#log.info({ directory, reason: readable }, "waiting: {reason}");
      told = readable as string;
      await sleep(LOOK_MS, undefined, { signal: this.#stopped }).catch(() => undefined);
    }
  }
}

/** Resolves after a commit, or after a while. */
async function changed({ store }: ReadableStore, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      unsubscribe();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_MS);
    const unsubscribe = store.onCommit(end);
    signal.addEventListener("abort", end);
  });
  store.version();
}
