import { RebuildPool } from "../../archiver/rebuilders.ts";
import { type ChainServices, type ChainServicesOptions, openChainServices } from "../../chain-store/chain-services.ts";
import { reportMigration } from "../../chain-store/migrations/report-migration.ts";
import { CorePool } from "../../core/pool.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import type { Teardown } from "../../process/teardown.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { ReaderWatch } from "../../storage/reader-watch.ts";
import type { StoreFault } from "../../storage/store-errors.ts";
import type { ThreadBudget } from "../context/thread-budget.ts";

/** Opens the chain store in a folder. `onFault` is called when it can no longer be written, or is damaged. */
type OpenChain = (path: string, onFault?: (fault: StoreFault) => void) => Promise<ChainServices>;

interface StoredChainOptions
  extends Pick<ChainServicesOptions, "core" | "identity" | "publicData" | "mapSizeKb" | "signal"> {
  directory: Pick<DataDirectory, "chainStore" | "temporary">;
  threads: Pick<ThreadBudget, "hashing" | "rebuilding">;
  /** After which idle threads end; undefined: the default of the pools. */
  idleMs: number | undefined;
  loggerFor: LoggerFor;
  onFatal: ((error: Error) => void) | undefined;
  /** Called before the store is opened: it may put a snapshot in its place. */
  prepare(openChain: OpenChain): Promise<void>;
}

export interface StoredChain extends ChainServices {
  readonly openChain: OpenChain;
  readonly rebuild: RebuildPool["rebuild"];
}

/** Opens the chain store of a data directory, with threads that hash and rebuild blocks. `teardown` closes them. */
export async function openStoredChain(options: StoredChainOptions, teardown: Teardown): Promise<StoredChain> {
  const { core, identity, publicData, directory, mapSizeKb, threads, idleMs, loggerFor, signal, onFatal } = options;
  const { temporary } = directory;
  const log = loggerFor("node");
  const hasher = new CorePool({ size: threads.hashing, idleMs });
  teardown.add("hashing threads", () => hasher.close());
  const rebuilds = new RebuildPool(core, generationNamed(identity.generation), {
    threads: threads.rebuilding,
    idleMs,
  });
  teardown.add("rebuild threads", () => rebuilds.close());
  const report = reportMigration("chain", log);
  const openChain: OpenChain = (path, onFault) =>
    openChainServices({ path, mapSizeKb, temporary, core, identity, publicData, hasher, onFault, report, signal });
  await options.prepare(openChain);
  const services = await openChain(directory.chainStore, onFatal);
  const { store, chain } = services;
  teardown.add("store", () => store.close());
  const readers = new ReaderWatch(store, loggerFor("storage"));
  teardown.add("watch of readers", () => readers.stop());
  const facts = { path: store.path, temporary, block: chain.latestBlockNumber() };
  log.info(facts, "opened the chain store at block {block}");
  return { ...services, openChain, rebuild: rebuilds.rebuild };
}
