import { setTimeout as sleep } from "node:timers/promises";
import { L1Error } from "../l1/errors.ts";
import type { RollupReader } from "../l1/types.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import { listen } from "../rpc/http/listen.ts";
import type { Answer, HttpApplication } from "../rpc/http/listener.ts";
import type { NodeLogger } from "./logging.ts";

const POLL_MS = 60_000;

const JSON_HEADERS = [["Content-Type", "application/json; charset=utf-8"]] as const;
const NOT_READY = {
  ready: false,
  reasons: [
    {
      component: "l1",
      rule: "state",
      value: "waiting",
      limit: "ok",
      reason: "standing by: the rollup was deployed for another genesis",
    },
  ],
};

/** Answers only GET and HEAD: /status and /live with 200, /ready with 503. */
const statusOnly: HttpApplication = {
  receive({ method, path }): Answer {
    const headers = [["Content-Type", "text/plain; charset=utf-8"]] as const;
    const known = path === "/status" || path === "/live" || path === "/ready";
    if (!known) return { status: 404, headers, body: Buffer.from("Not Found") };
    if (method !== "GET" && method !== "HEAD") return { status: 405, headers: [...headers, ["Allow", "HEAD, GET"]] };
    if (path === "/ready") return { status: 503, headers: JSON_HEADERS, body: Buffer.from(JSON.stringify(NOT_READY)) };
    if (path === "/live")
      return { status: 200, headers: JSON_HEADERS, body: Buffer.from(JSON.stringify({ live: true })) };
    return { status: 200, headers, body: Buffer.from("OK") };
  },
  failed: () => ({ status: 500, headers: [] }),
};

export interface StandbyOptions<R extends RollupReader> {
  host: string;
  port: number;
  /** See ListenerOptions. */
  maxConnections?: number;
  /** Reconnects, since the registry's canonical rollup may have changed. */
  reconnect: () => Promise<R>;
  genesisArchiveRoot: Uint8Array;
  log: NodeLogger;
  signal: AbortSignal;
}

/**
 * Pauses the start while the rollup's genesis differs from the configured one
 * (docs/protocol/09-configuration.md#910-start). Serves only GET /status on the public port, polls L1 every 60 s, and
 * returns the reader of the first compatible rollup. Throws the reason of `signal`.
 */
export async function untilCompatible<R extends RollupReader>(first: R, options: StandbyOptions<R>): Promise<R> {
  const { log, signal, genesisArchiveRoot } = options;
  const fits = (reader: RollupReader): boolean => equal(reader.identity.genesisArchiveRoot, genesisArchiveRoot);
  if (fits(first)) return first;
  const listener = await listen(
    statusOnly,
    {
      host: options.host,
      port: options.port,
      maxConnections: options.maxConnections,
      requestTimeoutMs: 30_000,
      stallTimeoutMs: 30_000,
    },
    log,
  );
  try {
    for (let reader = first; ; ) {
      log.warn(
        {
          rollupAddress: reader.identity.addresses.rollupAddress,
          rollupGenesisArchiveRoot: toHex(reader.identity.genesisArchiveRoot),
          configuredGenesisArchiveRoot: toHex(genesisArchiveRoot),
        },
        "standing by: the rollup was deployed for another genesis. TEST_ACCOUNTS, SPONSORED_FPC and PREFUND_ADDRESSES have to be those of the network",
      );
      await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      try {
        reader = await options.reconnect();
      } catch (error) {
        if (!(error instanceof L1Error)) throw error;
        log.warn({ reason: error.message }, "standing by: cannot read L1");
        continue;
      }
      if (fits(reader)) return reader;
    }
  } finally {
    await listener.close(0);
  }
}
