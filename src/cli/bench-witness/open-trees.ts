import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadCore } from "../../core/load-core.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import { readIdentity, type StoreIdentity } from "../../storage/identity.ts";
import { DamagedStoreError, inspectStore } from "../../storage/inspect.ts";
import { openStore } from "../../storage/store.ts";
import { genesisContent, genesisState } from "../../world-state/genesis.ts";
import { StateReader } from "../../world-state/state-reader.ts";
import type { WorldStateReader } from "../../world-state/types.ts";
import { BenchWitnessError } from "./errors.ts";

const INSPECTIONS = 3;
const INSPECTION_PAUSE_MS = 100;

/** Read access to the trees of a data directory. */
interface OpenTrees {
  world: WorldStateReader;
  identity: StoreIdentity;
  close(): Promise<void>;
}

/** Folder of the chain store in a data directory. Throws BenchWitnessError. */
export function chainStoreOf(dataDirectory: string): string {
  const subject = `data directory ${dataDirectory}`;
  const found = statSync(dataDirectory, { throwIfNoEntry: false });
  if (found === undefined) throw new BenchWitnessError(subject, "does not exist");
  if (!found.isDirectory()) throw new BenchWitnessError(subject, "is not a folder");
  const path = join(dataDirectory, "chain");
  if (!existsSync(join(path, "data.mdb")))
    throw new BenchWitnessError(subject, "contains no chain store; a node that uses the directory creates one");
  return path;
}

/**
 * Checks the database file, as a node does before it opens it. A running node may be writing the file meanwhile, so the
 * check is repeated if it finds damage. Throws DamagedStoreError.
 */
export async function inspectBesideNode(path: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      inspectStore(path);
      return;
    } catch (error) {
      if (!(error instanceof DamagedStoreError) || attempt === INSPECTIONS) throw error;
      await sleep(INSPECTION_PAUSE_MS);
    }
  }
}

/**
 * Opens a chain store read-only. Works while a node is running: LMDB gives every reader a snapshot, and readers and the
 * writer do not block each other. Throws BenchWitnessError or StoreSchemaError.
 */
export async function openTrees(path: string): Promise<OpenTrees> {
  const store = openStore({ path, readOnly: true, singlePages: true });
  try {
    const identity = readIdentity(store);
    if (identity === undefined) throw new BenchWitnessError(`chain store ${path}`, "belongs to no chain yet");
    const core = loadCore();
    // The genesis given here is used for block 0 only, which is never read.
    const world = new StateReader(
      core,
      store,
      genesisState(core, genesisContent(generationNamed(identity.generation), [])),
    );
    return { world, identity, close: () => store.close() };
  } catch (error) {
    await store.close();
    throw error;
  }
}
