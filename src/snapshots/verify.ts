import { type ChainServices, type StoreOwner, storeOwner } from "../chain-store/chain-services.ts";
import type { Core } from "../core/core.ts";
import { blockHash } from "../core/derive/block-hash.ts";
import type { RollupReader } from "../l1/types.ts";
import { toHex } from "../protocol/bytes.ts";
import { ARCHIVE } from "../protocol/constants.ts";
import { generationNamed } from "../protocol/generations/known/choose.ts";
import {
  differentField,
  readIdentity,
  SCHEMA_VERSION,
  StoreGenerationError,
  StoreSchemaError,
} from "../storage/identity.ts";
import { DamagedStoreError, inspectStore } from "../storage/inspect.ts";
import { openStore } from "../storage/store.ts";
import { SnapshotRefusedError } from "./refusal.ts";
import { factsOf, type SnapshotFacts } from "./snapshot-facts.ts";
import type { SnapshotEntry } from "./snapshot-index.ts";

export interface VerifyOptions {
  core: Core;
  reader: Pick<RollupReader, "identity" | "archiveAt">;
  mapSizeKb: number;
  /** Opens a folder in the same way as the node's chain store. */
  openChain: (path: string) => Promise<ChainServices>;
}

/** Checks the pages of a downloaded database. Throws SnapshotRefusedError. */
export function checkDatabase(folder: string): void {
  try {
    inspectStore(folder);
  } catch (error) {
    if (!(error instanceof DamagedStoreError)) throw error;
    throw new SnapshotRefusedError("database", `its database is damaged: ${error.rule}`, { cause: error });
  }
}

/** Checks that a downloaded database is of this node's chain and schema. Throws SnapshotRefusedError. */
export async function checkIdentity(
  folder: string,
  { identity: own, mapSizeKb }: { identity: StoreOwner; mapSizeKb: number },
): Promise<void> {
  const store = openStore({ path: folder, mapSizeKb });
  try {
    const identity = readIdentity(store);
    if (identity === undefined) throw new SnapshotRefusedError("identity", "it does not say what chain it is of");
    const expected = storeOwner(own);
    const field = differentField(identity, expected);
    if (field !== undefined) {
      const [found, followed] = [identity, expected].map((one) => one[field] ?? generationNamed(undefined).name);
      throw new SnapshotRefusedError("identity", `its ${field} is ${found}, this node follows ${followed}`);
    }
    if (identity.schemaVersion !== SCHEMA_VERSION) {
      const versions = `${identity.schemaVersion}, this node writes ${SCHEMA_VERSION}`;
      throw new SnapshotRefusedError("schema", `its schema version is ${versions}`);
    }
  } catch (error) {
    if (error instanceof StoreGenerationError) {
      const rule = `its generation is ${error.generation}, which this program does not know`;
      throw new SnapshotRefusedError("identity", rule, { cause: error });
    }
    if (!(error instanceof StoreSchemaError)) throw error;
    const rule = error.found === undefined ? "cannot be read" : `is ${error.found}, this node writes ${SCHEMA_VERSION}`;
    throw new SnapshotRefusedError("schema", `its schema version ${rule}`, { cause: error });
  } finally {
    await store.close();
  }
}

function checkTip(services: ChainServices, entry: SnapshotEntry, core: Core): void {
  const facts = checkTrees(services, core);
  for (const name of ["l2BlockNumber", "l2BlockHash", "checkpointNumber", "archiveRoot", "l1BlockNumber"] as const) {
    if (facts[name] !== entry[name]) {
      throw new SnapshotRefusedError("tip", `its ${name} is ${facts[name]}, ${entry[name]} is announced`);
    }
  }
}

/**
 * Checks that the last block and the trees of a store without proposed blocks are those that its last checkpoint
 * names. Throws SnapshotRefusedError.
 */
export function checkTrees({ chain, world }: ChainServices, core: Core): SnapshotFacts {
  const facts = factsOf(chain);
  if (facts === undefined) throw new SnapshotRefusedError("tip", "it holds no checkpoint");
  const { l2BlockNumber, l2BlockHash, archiveRoot } = facts;
  const hash = toHex(blockHash(core, chain.block(l2BlockNumber)!.header));
  if (hash !== l2BlockHash) {
    throw new SnapshotRefusedError("tip", `the header of its block ${l2BlockNumber} has the hash ${hash}`);
  }
  const { tip } = world.status();
  if (tip !== l2BlockNumber) {
    throw new SnapshotRefusedError(
      "world-state",
      `its trees are those of block ${tip}, its chain ends at ${l2BlockNumber}`,
    );
  }
  const root = toHex(world.snapshot(tip, ARCHIVE).root);
  if (root !== archiveRoot) {
    throw new SnapshotRefusedError(
      "world-state",
      `its archive tree has the root ${root}, its checkpoint ${archiveRoot}`,
    );
  }
  return facts;
}

/**
 * Checks a downloaded database against its index entry, this node's chain and L1: pages, identity, schema, tip, trees,
 * and the archive root that L1 has for the tip's checkpoint. Blocks before the tip are not checked: their content is
 * trusted. Throws SnapshotRefusedError; L1's errors as they are.
 */
export async function verifySnapshot(folder: string, entry: SnapshotEntry, options: VerifyOptions): Promise<void> {
  checkDatabase(folder);
  await checkIdentity(folder, { identity: options.reader.identity, mapSizeKb: options.mapSizeKb });
  const services = await options.openChain(folder);
  try {
    checkTip(services, entry, options.core);
  } finally {
    await services.store.close();
  }
  const onL1 = toHex(await options.reader.archiveAt(entry.checkpointNumber));
  if (onL1 !== entry.archiveRoot) {
    const { checkpointNumber, archiveRoot } = entry;
    const rule = `its checkpoint ${checkpointNumber} has the archive root ${archiveRoot}, on L1 it is ${onL1}`;
    throw new SnapshotRefusedError("archive", rule);
  }
}
