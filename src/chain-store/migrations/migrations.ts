import type { Migration } from "../../storage/migrate.ts";
import { archiveRootInStatus } from "./archive-root-in-status.ts";

/**
 * Migrations of the chain store and of the pool store, oldest first. Each stays, with its test, as long as data
 * directories of its version may exist.
 */
export const CHAIN_MIGRATIONS: readonly Migration[] = [archiveRootInStatus];
export const POOL_MIGRATIONS: readonly Migration[] = [{ from: 3, change: "none in the pool" }];
