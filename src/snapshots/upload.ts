import { mkdtemp, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ChainStore } from "../archiver/chain-store.ts";
import { removeProposedAfter } from "../archiver/unwind-chain.ts";
import type { ChainServices } from "../chain-store/chain-services.ts";
import { UPLOAD_FOLDER } from "../chain-store/swap.ts";
import { OperatorError } from "../errors/operator-error.ts";
import { SCHEMA_VERSION } from "../storage/identity.ts";
import { inspectStore } from "../storage/inspect.ts";
import type { ObjectStore } from "../storage/objects/object-store.ts";
import type { Store } from "../storage/store.ts";
import { HEALTHY, type HealthProbe } from "../telemetry/health.ts";
import type { Logger } from "../telemetry/logger.ts";
import { PackedFile } from "./packed-file.ts";
import { factsOf, type SnapshotFacts } from "./snapshot-facts.ts";
import {
  databaseName,
  indexKey,
  MAX_INDEX_BYTES,
  type SnapshotEntry,
  type SnapshotNetwork,
  snapshotFolder,
  withEntry,
} from "./snapshot-index.ts";
import { transferLog } from "./transfer-report.ts";

const REASONS = {
  syncing: "Archiver initial sync not complete. Cannot start snapshot.",
  empty: "Archiver has no latest L2 block hash downloaded. Cannot start snapshot.",
  busy: "Snapshot upload already in progress. Cannot start another one until complete.",
} as const;

/**
 * An upload is not started (docs/protocol/05-rpc.md#537-other-admin-methods). The message goes to the caller of the
 * admin method.
 */
export class SnapshotUploadError extends OperatorError {
  override readonly errorCode: string = "snapshot-upload";

  readonly reason: keyof typeof REASONS;

  constructor(reason: keyof typeof REASONS) {
    super(REASONS[reason]);
    this.name = "SnapshotUploadError";
    this.reason = reason;
  }
}

export interface SnapshotUploadServices {
  store: Store;
  chain: ChainStore;
  network: SnapshotNetwork;
  initialSyncComplete: () => boolean;
  /** Opens a copy of the store in the same way as the node's own store. */
  openChain: (path: string) => Promise<ChainServices>;
  /** Opens the target store. Throws an ObjectStoreUrlError if it is not writable. */
  openLocation: (url: string) => ObjectStore;
  /** Folder for the copy; needs enough disk space. */
  directory: string;
  /** Told how long each upload took; undefined if it failed. */
  ended?(ms: number | undefined): void;
  logger: Logger;
}

/** Uploads copies of the chain store in the background, one at a time. */
export class SnapshotUploader {
  /** The node works as usual while a snapshot is made. */
  readonly health: HealthProbe = {
    name: "snapshots",
    read: () => (this.#running === undefined ? HEALTHY : { state: "ok", reason: "a snapshot is being uploaded" }),
  };
  readonly #services: SnapshotUploadServices;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(services: SnapshotUploadServices) {
    this.#services = services;
  }

  /**
   * Starts an upload and returns immediately; progress and result are logged. Throws an ObjectStoreUrlError if the
   * location is not writable, or a SnapshotUploadError.
   */
  startUpload(location: string): void {
    const { chain, initialSyncComplete, openLocation } = this.#services;
    const target = openLocation(location);
    if (!initialSyncComplete()) throw new SnapshotUploadError("syncing");
    if (chain.latestCheckpointNumber() === 0) throw new SnapshotUploadError("empty");
    if (this.#running !== undefined) throw new SnapshotUploadError("busy");
    this.#running = this.#run(target).finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves once no upload is running. Never rejects. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Aborts a running upload. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the node stops"));
    await this.settled();
  }

  async #run(target: ObjectStore): Promise<void> {
    const { logger, directory, ended = () => {} } = this.#services;
    const began = performance.now();
    const location = target.name;
    let folder: string | undefined;
    let report: () => void;
    try {
      logger.info({ location }, "snapshot upload starts");
      folder = await mkdtemp(join(directory, UPLOAD_FOLDER));
      const entry = await this.#upload(target, folder);
      const { l2BlockNumber, l2BlockHash, l1BlockNumber, chain } = entry;
      const facts = { location, l2BlockNumber, l2BlockHash, l1BlockNumber, ...chain };
      ended(performance.now() - began);
      report = () => logger.info(facts, "snapshot is uploaded");
    } catch (error) {
      const stopped = this.#stopping.signal.aborted;
      if (!stopped) ended(undefined);
      report = () =>
        stopped
          ? logger.warn({ location }, "snapshot upload is broken off: the node stops")
          : logger.error({ location, err: error }, "snapshot upload failed");
    }
    if (folder !== undefined) {
      await rm(folder, { recursive: true, force: true }).catch((error: unknown) => {
        logger.warn({ path: folder, reason: String(error) }, "the copy for a snapshot cannot be removed");
      });
    }
    // Logged last, after all temporary files are deleted.
    report();
  }

  async #upload(target: ObjectStore, folder: string): Promise<SnapshotEntry> {
    const { store, network, logger } = this.#services;
    const { signal } = this.#stopping;
    const readIndex = () => target.get(indexKey(network), { signal, maxBytes: MAX_INDEX_BYTES });
    const copy = join(folder, "chain");
    const started = performance.now();
    await store.copyTo(copy, signal);
    const facts = await this.#factsOfCopy(copy);
    inspectStore(copy);
    const file = join(copy, "data.mdb");
    const { size: bytes } = await stat(file);
    logger.info({ ms: Math.round(performance.now() - started), bytes, ...facts }, "snapshot copy is made");

    const made = new Date();
    const name = databaseName(made, facts.l2BlockHash);
    const draft: SnapshotEntry = {
      ...facts,
      timestamp: made.getTime(),
      schemaVersions: { chain: SCHEMA_VERSION },
      dataUrls: { chain: name },
      chain: { bytes, sha256: "", packedBytes: 0 },
    };
    // Read first, so that an invalid index ends the upload before the large transfer.
    withEntry(await readIndex(), network, draft);
    const report = transferLog(logger, bytes, "snapshot is being uploaded");
    const packed = new PackedFile(file, report, signal);
    await target.put(`${snapshotFolder(network)}/${name}`, packed, { publicRead: true, signal });
    const entry = { ...draft, chain: { bytes, sha256: packed.sha256(), packedBytes: packed.packedBytes } };
    await target.put(indexKey(network), withEntry(await readIndex(), network, entry), {
      contentType: "application/json",
      cacheControl: "no-store",
      publicRead: true,
      signal,
    });
    return entry;
  }

  /**
   * The facts of the copy, which may be older than the store. Removes proposed blocks from it, since a node that
   * restores it knows only the chain on L1.
   */
  async #factsOfCopy(path: string): Promise<SnapshotFacts> {
    const { store, chain, world } = await this.#services.openChain(path);
    try {
      const checkpointed = chain.checkpointedBlockNumber();
      if (chain.latestBlockNumber() > checkpointed)
        removeProposedAfter({ store, chain, worldState: world }, checkpointed);
      const facts = factsOf(chain);
      if (facts === undefined) throw new SnapshotUploadError("empty");
      return facts;
    } finally {
      await store.close();
    }
  }
}
