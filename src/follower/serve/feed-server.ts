import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ChainStore } from "../../archiver/chain-store.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { CommitWatch } from "../../storage/commit-watch.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PrefilledEntry } from "../../world-state/tables/genesis-row.ts";
import { FrameError } from "../format/errors.ts";
import { helloFrame } from "../format/hello.ts";
import { decodeRequest, FEED_PATH, MAX_REQUEST_BYTES } from "../format/request.ts";
import { SNAPSHOT_PATH } from "../format/snapshot.ts";
import { FeedCursor } from "./feed-cursor.ts";
import { runSession } from "./feed-session.ts";
import { FollowerGoneError, sendInTime } from "./send-in-time.ts";
import { serveSnapshot } from "./serve-snapshot.ts";
import type { SnapshotCopies } from "./snapshot-copies.ts";

/** The port of the feed cannot be opened. */
class FeedPortError extends OperatorError {
  override readonly errorCode: string = "feed-port";
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: unknown) {
    const { code } = cause as NodeJS.ErrnoException;
    super(`the port of the feed, ${host}:${port}, cannot be opened (${code ?? String(cause)})`, { cause });
    this.name = "FeedPortError";
    this.host = host;
    this.port = port;
  }
}

export interface FeedServerOptions {
  chain: ChainStore;
  identity: RollupIdentity;
  publicData: readonly PrefilledEntry[];
  commits: CommitWatch;
  /** Makes the next reads see the latest commit. */
  refresh(): void;
  host: string;
  /** 0 takes a free port. */
  port: number;
  maxFollowers: number;
  /** Copies of the store for followers that start. */
  snapshots: SnapshotCopies;
  /** Port of the node's JSON-RPC, which followers forward live calls to; 0 if it has none. */
  rpcPort: number;
  /** Told of the number of followers. */
  counted?: (followers: number) => void;
  /**
   * A follower that takes nothing of a snapshot for this long is dropped, and one that takes longer for what it is sent
   * of the feed than this and the time on the slowest link.
   */
  stallTimeoutMs?: number;
  log: Logger;
}

const REQUEST_TIMEOUT_MS = 10_000;
const STALL_TIMEOUT_MS = 30_000;
/** Connections that have not asked yet, beside those of followers. */
const SPARE_CONNECTIONS = 16;

export interface FeedServer {
  readonly port: number;
  /** Followers that are connected. */
  readonly followers: number;
  close(): Promise<void>;
}

/** Serves the feed (docs/feed.md) on a port of its own. Rejects with a FeedPortError. */
export async function startFeedServer(options: FeedServerOptions): Promise<FeedServer> {
  const feed = new Feed(options);
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS, noDelay: true },
    (request, response) => feed.receive(request, response),
  );
  server.maxConnections = options.maxFollowers + SPARE_CONNECTIONS;
  const { host, port } = options;
  try {
    await listening(server, host, port);
  } catch (error) {
    throw new FeedPortError(host, port, error);
  }
  return {
    port: (server.address() as AddressInfo).port,
    get followers() {
      return feed.followers;
    },
    close: async () => {
      feed.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      await options.snapshots.close();
    },
  };
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

class Feed {
  readonly #options: FeedServerOptions;
  readonly #closing = new AbortController();
  followers = 0;

  constructor(options: FeedServerOptions) {
    this.#options = options;
  }

  close(): void {
    this.#closing.abort();
  }

  receive(request: IncomingMessage, response: ServerResponse): void {
    const path = (request.url ?? "").split("?", 1)[0];
    const refuse = (status: number, text: string): void => {
      request.resume();
      response.writeHead(status, { "Content-Type": "text/plain; charset=utf-8", Connection: "close" });
      response.end(`${text}\n`);
    };
    const method = path === FEED_PATH ? "POST" : path === SNAPSHOT_PATH ? "GET" : undefined;
    if (method === undefined) refuse(404, "Not Found");
    else if (request.method !== method) refuse(405, "Method Not Allowed");
    else if (this.followers >= this.#options.maxFollowers) refuse(503, "too many followers");
    else if (method === "GET") this.#begin(response, this.#snapshot(response, refuse));
    else this.#begin(response, this.#serve(request, response, refuse));
  }

  #begin(response: ServerResponse, served: Promise<void>): void {
    this.#count(1);
    served
      .catch((error: unknown) => {
        this.#options.log.error({ err: String(error) }, "the feed of a follower failed");
        response.destroy();
      })
      .finally(() => {
        this.#count(-1);
      });
  }

  #count(change: 1 | -1): void {
    this.followers += change;
    this.#options.counted?.(this.followers);
  }

  #snapshot(response: ServerResponse, refuse: (status: number, text: string) => void): Promise<void> {
    const { chain, refresh, snapshots: copies, log, stallTimeoutMs = STALL_TIMEOUT_MS } = this.#options;
    refresh();
    if (chain.latestCheckpointNumber() === 0) {
      refuse(404, "the chain has no checkpoint yet");
      return Promise.resolve();
    }
    return serveSnapshot({ copies, response, refuse, stallTimeoutMs, signal: this.#closing.signal, log });
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    refuse: (status: number, text: string) => void,
  ): Promise<void> {
    const {
      chain,
      identity,
      publicData,
      rpcPort,
      commits,
      refresh,
      log,
      stallTimeoutMs = STALL_TIMEOUT_MS,
    } = this.#options;
    let body: Uint8Array | undefined;
    try {
      body = await readBody(request);
    } catch {
      // The client left before its request was complete.
      return void response.destroy();
    }
    if (body === undefined) return refuse(413, `the request must have at most ${MAX_REQUEST_BYTES} bytes`);
    let cursor: FeedCursor;
    try {
      cursor = new FeedCursor(chain, identity.genesisArchiveRoot, decodeRequest(body));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      return refuse(400, error.message);
    }
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const signal = AbortSignal.any([gone.signal, this.#closing.signal]);
    const client = request.socket.remoteAddress;
    response.writeHead(200, { "Content-Type": "application/vnd.svc.feed", "Cache-Control": "no-store" });
    log.info({ client }, "a follower connected");
    const hello = helloFrame({ identity, publicData, rpcPort });
    try {
      const send = (bytes: Uint8Array): Promise<void> => sendInTime(response, bytes, stallTimeoutMs);
      await runSession({ cursor, hello, commits, refresh, send, signal });
    } catch (error) {
      if (!(error instanceof FollowerGoneError)) throw error;
      if (error.stalled) log.warn({ client, stallTimeoutMs }, "a follower reads too slowly: its connection is closed");
    }
    response.destroy();
    log.info({ client }, "a follower is gone");
  }
}

/** The body of a request; undefined if it is too long. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of request) {
    bytes += (piece as Buffer).length;
    if (bytes > MAX_REQUEST_BYTES) return undefined;
    pieces.push(piece as Buffer);
  }
  return Buffer.concat(pieces);
}
