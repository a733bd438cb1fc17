import { createWriteStream } from "node:fs";
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, createZstdDecompress } from "node:zlib";
import { redactUrl } from "../../http/redact.ts";
import { SCHEMA_VERSION } from "../../storage/identity.ts";
import { SNAPSHOT_BYTES, SNAPSHOT_PATH, SNAPSHOT_SCHEMA } from "../format/snapshot.ts";
import { UpstreamError } from "./errors.ts";

export interface SnapshotDownload {
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
}

/** The upstream chooses how far back its data may refer; unpacking keeps as much in memory, here at most 8 MiB. */
const MOST_WINDOW_LOG = 23;

const LIMITS: SnapshotLimits = { silentMs: 20_000, againMs: 500 };

/**
 * Downloads a copy of an upstream's store (docs/feed.md#snapshots). Rejects with an UpstreamError, what `begin` throws,
 * or the reason of `signal`; what is written then is to be deleted.
 */
export async function downloadSnapshot(download: SnapshotDownload): Promise<void> {
  const { url, signal, limits: { silentMs, againMs } = LIMITS } = download;
  const upstream = redactUrl(url);
  for (;;) {
    const { request, answer } = await ask(url, { silentMs, signal });
    try {
      if (answer.statusCode === 200) return await receive(answer, download, upstream);
      if (answer.statusCode !== 202) {
        throw new UpstreamError(upstream, "refused", `answers with status ${answer.statusCode}`);
      }
    } finally {
      request.destroy();
    }
    await sleep(againMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

function ask(
  url: string,
  { silentMs, signal }: { silentMs: number; signal: AbortSignal },
): Promise<{ request: ClientRequest; answer: IncomingMessage }> {
  const upstream = redactUrl(url);
  const send = new URL(url).protocol === "https:" ? httpsRequest : httpRequest;
  const request = send(`${url.replace(/\/+$/, "")}${SNAPSHOT_PATH}`, { signal, agent: false, timeout: silentMs });
  return new Promise((resolve, reject) => {
    request.once("timeout", () =>
      request.destroy(new UpstreamError(upstream, "silent", `sends nothing for ${silentMs} ms`)),
    );
    request.once("response", (answer) => resolve({ request, answer }));
    request.on("error", (cause) => {
      if (signal.aborted) reject(signal.reason);
      else if (cause instanceof UpstreamError) reject(cause);
      else reject(new UpstreamError(upstream, "unreachable", `cannot be reached: ${cause.message}`, { cause }));
    });
    request.end();
  });
}

async function receive(
  answer: IncomingMessage,
  { file, begin, progress, signal }: SnapshotDownload,
  upstream: string,
): Promise<void> {
  const count = (name: string): number => {
    const text = String(answer.headers[name] ?? "");
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
      params: { [constants.ZSTD_d_windowLogMax]: MOST_WINDOW_LOG },
      chunkSize: 1024 * 1024,
    });
    await pipeline(answer, unpack, counted, createWriteStream(file, { flags: "wx" }), { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UpstreamError) throw error;
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (code.startsWith("ZSTD_")) throw new UpstreamError(upstream, "malformed", `its snapshot is damaged: ${message}`);
    if (code.startsWith("ERR_") || code === "ECONNRESET") {
      throw new UpstreamError(upstream, "ended", `ended the snapshot after ${written} of ${bytes} bytes`);
    }
    throw error;
  }
  if (written !== bytes)
    throw new UpstreamError(upstream, "ended", `ended the snapshot after ${written} of ${bytes} bytes`);
}
