import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { constants, createZstdCompress } from "node:zlib";
import { SCHEMA_VERSION } from "../../storage/identity.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { SNAPSHOT_BYTES, SNAPSHOT_SCHEMA } from "../format/snapshot.ts";
import type { SnapshotCopies } from "./snapshot-copies.ts";

/** Most of a store is hashes: level 1 takes twice the time and saves a fifteenth more. */
const LEVEL = -5;
const PIECE_BYTES = 1024 * 1024;

interface SnapshotAnswer {
  copies: SnapshotCopies;
  response: ServerResponse;
  /** Answers with a text. */
  refuse: (status: number, text: string) => void;
  /** A follower that takes nothing for this long is dropped. */
  stallTimeoutMs: number;
  signal: AbortSignal;
  log: Logger;
}

/** Answers a request for a copy of the store (docs/feed.md#snapshots). */
export async function serveSnapshot(answer: SnapshotAnswer): Promise<void> {
  const { copies, response, refuse, stallTimeoutMs, signal, log } = answer;
  const taken = await copies.take();
  if (taken === "making") return refuse(202, "the copy is being made, ask again");
  if ("refused" in taken) return refuse(503, taken.refused);
  const { file, bytes, release } = taken;
  if (response.destroyed) return release();
  const client = response.req.socket.remoteAddress;
  try {
    response.writeHead(200, {
      "Content-Type": "application/vnd.svc.snapshot",
      "Cache-Control": "no-store",
      [SNAPSHOT_BYTES]: bytes,
      [SNAPSHOT_SCHEMA]: SCHEMA_VERSION,
    });
    response.setTimeout(stallTimeoutMs, () => response.destroy());
    const pack = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: LEVEL }, chunkSize: PIECE_BYTES });
    await pipeline(createReadStream(file, { highWaterMark: PIECE_BYTES }), pack, response, { signal });
    log.info({ client, bytes }, "sent a follower a copy of the store");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!signal.aborted) log.warn({ client, reason: code ?? String(error) }, "a follower left during a snapshot");
  } finally {
    response.destroy();
    release();
  }
}
