import { createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, createZstdDecompress } from "node:zlib";
import { HttpError } from "../../http/errors.ts";
import { type HttpReply, openExchange } from "../../http/exchange.ts";
import { redactUrl } from "../../http/redact.ts";
import { SCHEMA_VERSION } from "../../storage/identity.ts";
import { SNAPSHOT_BYTES, SNAPSHOT_PATH, SNAPSHOT_SCHEMA } from "../format/snapshot.ts";
import { UpstreamError } from "./errors.ts";

interface SnapshotDownload {
  /** Of the upstream's feed. */
  url: string;
  /** The database file to write, which must not exist. */
  file: string;
  /** Told the length of the database before it is written. Throws if there is no room. */
  begin(bytes: number): void;
  /** Told the bytes that are written so far. */
  progress(bytes: number): void;
  signal: AbortSignal;
  limits?: SnapshotLimits;
}

export interface SnapshotLimits {
  /** Time for the head of an answer, and for each further piece. */
  silentMs: number;
  /** Pause before asking again for a copy that is being made. */
  againMs: number;
  /** For how long an upstream may be making a copy. */
  preparingMs: number;
}

/** Waits of a download in all, as a multiple of the longest one, beside the time of its bytes at the least rate. */
const SILENCES = 3;
/** Minimum download rate in bytes per millisecond. */
const SLOWEST_RATE = 64;

/** The upstream chooses how far back its data may refer; unpacking keeps as much in memory, here at most 8 MiB. */
const MAX_WINDOW_LOG = 23;

const LIMITS: SnapshotLimits = { silentMs: 20_000, againMs: 500, preparingMs: 600_000 };

/**
 * Downloads a copy of an upstream's store (docs/feed.md#snapshots). Rejects with an UpstreamError, what `begin` throws,
 * or the reason of `signal`; what is written then is to be deleted.
 */
export async function downloadSnapshot(download: SnapshotDownload): Promise<void> {
  const { url, signal, limits = LIMITS } = download;
  const upstream = redactUrl(url);
  const preparedBy = performance.now() + limits.preparingMs;
  for (;;) {
    const done = new AbortController();
    try {
      const answer = await ask(url, { limits, signal: AbortSignal.any([signal, done.signal]) });
      if (answer.status === 200) return await receive(answer, download, upstream);
      if (answer.status !== 202) throw new UpstreamError(upstream, "refused", `answers with status ${answer.status}`);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      done.abort();
    }
    if (performance.now() + limits.againMs > preparedBy) {
      const rule = `has made no snapshot in ${Math.round(limits.preparingMs / 1000)} s`;
      throw new UpstreamError(upstream, "slow", rule);
    }
    await sleep(limits.againMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

async function ask(
  url: string,
  { limits: { silentMs }, signal }: { limits: SnapshotLimits; signal: AbortSignal },
): Promise<HttpReply> {
  const times = { silenceMs: silentMs, totalMs: SILENCES * silentMs, slowestRate: SLOWEST_RATE };
  try {
    return await openExchange({ url: `${url.replace(/\/+$/, "")}${SNAPSHOT_PATH}`, signal }, times);
  } catch (cause) {
    if (!(cause instanceof HttpError)) throw cause;
    throw new UpstreamError(redactUrl(url), cause.kind === "timeout" ? "silent" : "unreachable", cause.message, {
      cause,
    });
  }
}

async function receive(
  answer: HttpReply,
  { file, begin, progress, signal }: SnapshotDownload,
  upstream: string,
): Promise<void> {
  const count = (name: string): number => {
    const text = answer.headers.get(name) ?? "";
    if (/^[0-9]{1,15}$/.test(text)) return Number(text);
    throw new UpstreamError(upstream, "malformed", `header ${name} must be a whole number`);
  };
  const schema = count(SNAPSHOT_SCHEMA);
  if (schema !== SCHEMA_VERSION) {
    const versions = `${schema}, this node reads ${SCHEMA_VERSION}`;
    throw new UpstreamError(upstream, "refused", `the schema version of its snapshot is ${versions}`);
  }
  const bytes = count(SNAPSHOT_BYTES);
  begin(bytes);
  let written = 0;
  const counted = new Transform({
    transform(piece: Buffer, _, done) {
      written += piece.length;
      if (written > bytes) return done(new UpstreamError(upstream, "malformed", `its snapshot exceeds ${bytes} bytes`));
      progress(written);
      done(null, piece);
    },
  });
  try {
    const unpack = createZstdDecompress({
      params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
      chunkSize: 1024 * 1024,
    });
    await pipeline(answer.body, unpack, counted, createWriteStream(file, { flags: "wx" }), { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UpstreamError) throw error;
    if (error instanceof HttpError && error.kind !== "unreachable") {
      const rule = `${error.message}; ${written} of ${bytes} bytes of its snapshot are unpacked`;
      throw new UpstreamError(upstream, error.kind === "timeout" ? "silent" : "slow", rule, { cause: error });
    }
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code.startsWith("ZSTD_")) throw new UpstreamError(upstream, "malformed", `its snapshot is damaged: ${message}`);
    if (code.startsWith("ERR_") || error instanceof HttpError) {
      throw new UpstreamError(upstream, "ended", `ended the snapshot after ${written} of ${bytes} bytes`);
    }
    throw error;
  }
  if (written !== bytes)
    throw new UpstreamError(upstream, "ended", `ended the snapshot after ${written} of ${bytes} bytes`);
}
