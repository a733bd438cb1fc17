import type { Migration } from "../../storage/migrate.ts";

const STATUS_KEY = Buffer.from("status");
/** Tip, finalized and oldest block, u32 each. */
const BLOCKS_BYTES = 12;
/** Trees before the archive in a row of `ws-states`, each `root 32 | size u48`. */
const ARCHIVE_ROOT_AT = 4 * 38;

/** Version 4 appends the archive root of the tip to the status of the trees; zeros where no state is stored. */
export const archiveRootInStatus: Migration = {
  from: 3,
  change: "the status of the trees gets the archive root of the tip",
  part(store) {
    const meta = store.table("ws-meta");
    const status = meta.get(STATUS_KEY)?.slice(0, BLOCKS_BYTES);
    // Genesis is not stored yet.
    if (status === undefined) return { done: 1 };
    const state = store.table("ws-states").get(status.slice(0, 4));
    const root = state?.slice(ARCHIVE_ROOT_AT, ARCHIVE_ROOT_AT + 32) ?? new Uint8Array(32);
    meta.put(STATUS_KEY, Buffer.concat([status, root]));
    return { done: 1 };
  },
};
