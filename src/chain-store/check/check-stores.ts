import { existsSync } from "node:fs";
import { join } from "node:path";
import { ChainStore } from "../../archiver/chain-store.ts";
import type { Core } from "../../core/core.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { ARCHIVE, TREE_IDS } from "../../protocol/constants.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { readIdentity, StoreGenerationError, StoreSchemaError, storedGeneration } from "../../storage/identity.ts";
import { DamagedStoreError, inspectPages, inspectStore } from "../../storage/inspect.ts";
import { openStore, type Store } from "../../storage/store.ts";
import { type GenesisState, genesisState } from "../../world-state/genesis.ts";
import { storedContent } from "../../world-state/tables/genesis-row.ts";
import { blockKey } from "../../world-state/tables/row-keys.ts";
import { readState } from "../../world-state/tables/state-row.ts";
import { openTables, WORLD_STATE_TABLES } from "../../world-state/tables/tables.ts";
import { ChainChecker } from "./check-chain.ts";
import { checkPool } from "./check-pool.ts";
import { checkSignatures } from "./check-signatures.ts";
import { TreesChecker } from "./check-trees.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";

/** Genesis as the store says that it was made. */
function storedGenesis(store: Store, core: Core, { hashing }: Generation): GenesisState {
  const content = storedContent(store) ?? { publicData: [], nullifiers: [], timestamp: 0n };
  return genesisState(core, { ...content, treeNodes: hashing.treeNodes });
}

function checkGenesis(store: Store, genesis: GenesisState, report: CheckReport): void {
  checkRow(report, WORLD_STATE_TABLES.states, 0, () => {
    const row = openTables(store).states.get(blockKey(0));
    const same =
      row !== undefined && TREE_IDS.every((tree) => equal(readState(row)[tree].root, genesis.fork.snapshot(tree).root));
    return same ? undefined : "is not the genesis that ws-meta names";
  });
  checkPart(report, "identity", () => {
    const root = toHex(genesis.fork.snapshot(ARCHIVE).root);
    const identity = readIdentity(store);
    if (identity === undefined || identity.genesisArchiveRoot === root) return;
    report.fault({
      table: "identity",
      key: "identity",
      rule: `its genesis archive root is not ${root}, which ws-meta gives`,
    });
  });
}

function checkChain(store: Store, core: Core, report: CheckReport): void {
  checkPart(report, WORLD_STATE_TABLES.meta, () => {
    const generation = storedGeneration(store);
    const genesis = storedGenesis(store, core, generation);
    checkGenesis(store, genesis, report);
    const { header, hash } = genesis;
    // Nothing here asks for epochs.
    const chain = new ChainStore({ store, genesis: { header, hash }, epochDuration: 1, generation });
    checkPart(report, "chain", () => new ChainChecker({ store, chain, core }, report).run());
    checkPart(report, "ws", () => new TreesChecker({ store, chain, core, nodes: genesis.fork.nodes }, report).run());
  });
}

/**
 * Checks the pages of a database, then what its rows say. All in one synchronous run, so that everything is read of one
 * snapshot, which also keeps a running node from using the pages again. A store whose first commit was not `begun` has
 * no rows to check.
 */
async function checkStore(
  path: string,
  report: CheckReport,
  check: (store: Store) => void,
  begun = (store: Store) => readIdentity(store) !== undefined,
): Promise<void> {
  try {
    inspectStore(path);
    const store = openStore({ path, readOnly: true });
    try {
      report.stage(`pages of ${path}`, 0);
      if (!begun(store)) return;
      inspectPages(path);
      check(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (error instanceof StoreSchemaError || error instanceof StoreGenerationError) {
      report.fault({ table: "identity", key: "identity", rule: error.message });
      return;
    }
    const rule =
      error instanceof DamagedStoreError ? error.rule : error instanceof Error ? error.message : String(error);
    report.fault({ table: "pages", key: join(path, "data.mdb"), rule });
  }
}

/** Folders of a data directory with a store that is checked. */
export type StoreFolder = "chain" | "pool" | "signing";
const FOLDERS: readonly StoreFolder[] = ["chain", "pool", "signing"];

/** The folders that have a store; that of the chain is always among them. */
export function storeFolders(directory: string): StoreFolder[] {
  return FOLDERS.filter((folder) => folder === "chain" || existsSync(join(directory, folder, "data.mdb")));
}

/**
 * Checks one store of a data directory. LMDB trusts the pages that it reads: a damaged one may end the process by a
 * signal.
 */
export function checkFolder(directory: string, folder: StoreFolder, core: Core, report: CheckReport): Promise<void> {
  const path = join(directory, folder);
  switch (folder) {
    case "chain":
      return checkStore(path, report, (store) => checkChain(store, core, report));
    case "pool":
      return checkStore(path, report, (store) => checkPool(store, core, report));
    case "signing": {
      const begun = (store: Store) => store.table("signing_schema").get(Buffer.from("version")) !== undefined;
      return checkStore(path, report, (store) => checkSignatures(store, report), begun);
    }
  }
}

/** Checks the stores of a data directory in this process. */
export async function checkStores(directory: string, core: Core, report: CheckReport): Promise<void> {
  for (const folder of storeFolders(directory)) await checkFolder(directory, folder, core, report);
}
