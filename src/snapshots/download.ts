import { createHash } from "node:crypto";
import { open, statfs } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../storage/make-folder.ts";
import { unpackedStream } from "../storage/objects/gunzip.ts";
import type { ObjectReader } from "../storage/objects/object-store.ts";
import { SnapshotRefusedError } from "./refusal.ts";
import type { TransferReport } from "./transfer-report.ts";

/** A gzipped database in an object store. */
interface PackedDatabase {
  store: ObjectReader;
  key: string;
  /** Of the database file. */
  bytes: number;
  sha256: string;
  /** Of the object. */
  packedBytes: number;
}

interface DownloadOptions {
  /** Created by the download. */
  folder: string;
  report: (total: number) => TransferReport;
  signal: AbortSignal;
}

/** Disk space that must stay free in addition to the database. */
const SPARE_BYTES = 64 * 1024 * 1024;

function isZlibError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && String((error as NodeJS.ErrnoException).code).startsWith("Z_");
}

/**
 * Downloads a database to `data.mdb` in a new folder, and checks its unpacked length and SHA-256. Never writes more
 * than the announced length. Throws SnapshotRefusedError, ObjectStoreError, or the reason of
 * `signal`.
 */
export async function download(database: PackedDatabase, options: DownloadOptions): Promise<void> {
  const { folder, signal } = options;
  const { store, key, bytes, sha256, packedBytes } = database;
  makeFolder(folder);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < bytes + SPARE_BYTES) {
    throw new SnapshotRefusedError("space", `its database has ${bytes} bytes, ${bavail * bsize} bytes are free`);
  }
  const body = await store.open(key, signal);
  if (body === undefined) throw new SnapshotRefusedError("absent", `the store has no ${key}`);
  const report = options.report(packedBytes);
  let received = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of body?.pieces ?? []) {
      received += piece.length;
      report.update(Math.min(received, packedBytes));
      yield piece;
    }
  }
  const hash = createHash("sha256");
  let written = 0;
  const file = await open(join(folder, "data.mdb"), "wx");
  try {
    for await (const piece of unpackedStream(counted())) {
      signal.throwIfAborted();
      written += piece.length;
      if (written > bytes)
        throw new SnapshotRefusedError("size", `it unpacks to more than the ${bytes} bytes announced`);
      hash.update(piece);
      await file.writeFile(piece);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!isZlibError(error)) throw error;
    const at = `after ${received} of ${packedBytes} bytes`;
    throw new SnapshotRefusedError("gzip", `its gzip data is damaged ${at}: ${error.message}`, { cause: error });
  } finally {
    report.end();
    await file.close();
  }
  if (written !== bytes)
    throw new SnapshotRefusedError("size", `it unpacks to ${written} bytes, ${bytes} are announced`);
  const found = hash.digest("hex");
  if (found !== sha256) throw new SnapshotRefusedError("sha256", `its SHA-256 is ${found}, ${sha256} is announced`);
}
