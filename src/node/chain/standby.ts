import { setTimeout as sleep } from "node:timers/promises";
import { L1Error, OtherProtocolError } from "../../l1/errors.ts";
import type { RollupReader } from "../../l1/types.ts";
import type { ConfiguredGeneses, Genesis } from "../../network/genesis.ts";
import type { NodeLogger } from "../../process/logging/logging.ts";
import { toHex } from "../../protocol/bytes.ts";
import { GENERATION_NAMES, generationNamed } from "../../protocol/generations/known/choose.ts";
import { PathPrefix } from "../../rpc/routes/path-prefix.ts";
import { wantsJson } from "../../rpc/routes/wants-json.ts";
import { listen } from "../../rpc/server/listen.ts";
import type { Answer, HttpApplication } from "../../rpc/wire/listener.ts";

const POLL_MS = 60_000;

const JSON_HEADERS = [["Content-Type", "application/json; charset=utf-8"]] as const;

/** Why a rollup cannot be followed. */
interface Obstacle {
  /** For GET /ready, which anybody may read. */
  readonly reason: string;
  /** The log line, with its facts. */
  readonly line: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

const notReady = (reason: string) => ({
  ready: false,
  reasons: [{ component: "l1", rule: "state", value: "waiting", limit: "ok", reason: `standing by: ${reason}` }],
});

/**
 * Answers only GET and HEAD: /status and /live with 200, /ready with 503 and the reason, which /status has in its JSON
 * form.
 */
const statusOnly = (reason: () => string): HttpApplication => ({
  receive(head): Answer {
    const { method, path } = head;
    const headers = [["Content-Type", "text/plain; charset=utf-8"]] as const;
    const known = path === "/status" || path === "/live" || path === "/ready";
    const json = (status: number, body: unknown): Answer => ({
      status,
      headers: JSON_HEADERS,
      body: Buffer.from(JSON.stringify(body)),
    });
    if (!known) return { status: 404, headers, body: Buffer.from("Not Found") };
    if (method !== "GET" && method !== "HEAD") return { status: 405, headers: [...headers, ["Allow", "HEAD, GET"]] };
    if (path === "/ready") return json(503, notReady(reason()));
    if (path === "/live") return json(200, { live: true });
    if (wantsJson(head.query, head.header("accept"))) return json(200, notReady(reason()));
    return { status: 200, headers, body: Buffer.from("OK") };
  },
  failed: () => ({ status: 500, headers: [] }),
});

interface StandbyOptions<R extends RollupReader> {
  host: string;
  port: number;
  /** See RpcServerOptions. */
  prefix: string;
  /** See ListenerOptions. */
  maxConnections?: number;
  /** Connects for the first time. */
  connect: () => Promise<R>;
  /** Connects again, since the registry's canonical rollup may have changed. */
  reconnect: () => Promise<R>;
  geneses: Pick<ConfiguredGeneses, "of" | "firstRoot">;
  log: NodeLogger;
  signal: AbortSignal;
}

function otherGenesis({ identity }: RollupReader, configured: Uint8Array): Obstacle {
  const { addresses, rollupVersion } = identity;
  return {
    reason: "the rollup was deployed for another genesis",
    line:
      "standing by: the rollup was deployed for another genesis. " +
      "TEST_ACCOUNTS, SPONSORED_FPC and PREFUND_ADDRESSES have to be those of the network",
    facts: {
      rollupAddress: addresses.rollupAddress,
      rollupVersion,
      rollupGenesisArchiveRoot: toHex(identity.genesisArchiveRoot),
      configuredGenesisArchiveRoot: toHex(configured),
    },
  };
}

function otherProtocol({ message, remedy }: OtherProtocolError): Obstacle {
  return {
    reason: `the rollup is of an unknown protocol, and this program follows ${GENERATION_NAMES}`,
    line: `standing by: ${message}; ${remedy}`,
    facts: {},
  };
}

/** A rollup that can be followed, and its genesis. */
interface Compatible<R> {
  readonly reader: R;
  readonly genesis: Genesis;
}

/**
 * The rollup if it can be followed. Rejects with what `connect` rejects with, except for rollups of other protocols.
 */
async function look<R extends RollupReader>(
  connect: () => Promise<R>,
  geneses: StandbyOptions<R>["geneses"],
): Promise<Compatible<R> | { obstacle: Obstacle }> {
  try {
    const reader = await connect();
    const genesis = geneses.of(generationNamed(reader.identity.generation), reader.identity.genesisArchiveRoot);
    return genesis
      ? { reader, genesis }
      : { obstacle: otherGenesis(reader, geneses.firstRoot(generationNamed(reader.identity.generation))) };
  } catch (error) {
    if (error instanceof OtherProtocolError) return { obstacle: otherProtocol(error) };
    throw error;
  }
}

/**
 * Connects to the rollup, and pauses the start while that is of another protocol, or its genesis differs from the
 * configured one (docs/protocol/09-configuration.md#910-start). Meanwhile serves only probes on the public port, and
 * polls L1 every 60 s. Returns the reader of the first compatible rollup. Throws the reason of `signal`, and what the
 * first connection throws.
 */
export async function untilCompatible<R extends RollupReader>(options: StandbyOptions<R>): Promise<Compatible<R>> {
  const { log, signal, geneses } = options;
  const first = await look(options.connect, geneses);
  if ("reader" in first) return first;
  let { obstacle } = first;
  const probes = statusOnly(() => obstacle.reason);
  const listener = await listen(
    options.prefix === "" ? probes : new PathPrefix(probes, options.prefix),
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
    for (;;) {
      log.warn(obstacle.facts, obstacle.line);
      await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
      try {
        const seen = await look(options.reconnect, geneses);
        if ("reader" in seen) return seen;
        obstacle = seen.obstacle;
      } catch (error) {
        if (!(error instanceof L1Error)) throw error;
        log.warn({ err: error }, "standing by: cannot read L1");
      }
    }
  } finally {
    await listener.close(0);
  }
}
