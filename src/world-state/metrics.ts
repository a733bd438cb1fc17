import { TREE_IDS, TREE_NAMES } from "../protocol/constants.ts";
import type { Store } from "../storage/store.ts";
import { gauge } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { WORLD_STATE_TABLES } from "./tables/tables.ts";
import type { WorldState } from "./world-state.ts";

const TREE = "aztec.merkle_tree.name";
const TABLE = "aztec.world_state.db_type";
const TREES = { [TREE]: TREE_NAMES } as const;
/** The trees share their tables, so sizes are those of all trees. */
const ALL_TREES = { [TREE]: "all" } as const;

export const WORLD_STATE_METRICS = {
  treeSize: gauge("aztec.world_state.tree_size", { labels: TREES, meaning: "leaves of a tree" }),
  unfinalized: gauge("aztec.world_state.unfinalized_height", {
    labels: TREES,
    meaning: "latest block of a tree",
  }),
  finalized: gauge("aztec.world_state.finalized_height", {
    labels: TREES,
    meaning: "latest finalized block of a tree",
  }),
  oldest: gauge("aztec.world_state.oldest_block", {
    labels: TREES,
    meaning: "oldest block whose state of a tree is kept",
  }),
  mapSize: gauge("aztec.world_state.db_map_size", {
    unit: "By",
    labels: { [TREE]: ["all"] },
    meaning: "size up to which the store of the trees, which is that of the chain, may grow",
  }),
  fileSize: gauge("aztec.world_state.db_physical_size", {
    unit: "By",
    labels: { [TREE]: ["all"] },
    meaning: "size of the file of the trees, which is that of the chain",
  }),
  usedSize: gauge("aztec.world_state.db_used_size", {
    unit: "By",
    labels: { [TREE]: ["all"], [TABLE]: "any" },
    meaning: "bytes of the pages of a table of the trees",
  }),
  items: gauge("aztec.world_state.db_num_items", {
    labels: { [TREE]: ["all"], [TABLE]: "any" },
    meaning: "rows of a table of the trees",
  }),
} as const;

/** Exports heights and sizes of the trees. */
export function observeWorldState(
  metrics: Metrics,
  { world, store }: { world: Pick<WorldState, "status" | "at">; store: Pick<Store, "stats"> },
): () => void {
  const rows = WORLD_STATE_METRICS;
  return metrics.observe((to) => {
    const { tip, finalized, oldest } = world.status();
    const state = world.at("latest");
    for (const tree of TREE_IDS) {
      const labels = { [TREE]: TREE_NAMES[tree] };
      to.set(rows.treeSize, state.snapshot(tree).size, labels);
      to.set(rows.unfinalized, tip, labels);
      to.set(rows.finalized, finalized, labels);
      to.set(rows.oldest, oldest, labels);
    }
    const { mapBytes, fileBytes, tables } = store.stats();
    if (mapBytes !== undefined) to.set(rows.mapSize, mapBytes, ALL_TREES);
    to.set(rows.fileSize, fileBytes, ALL_TREES);
    for (const name of Object.values(WORLD_STATE_TABLES)) {
      const table = tables.get(name);
      if (table === undefined) continue;
      const labels = { ...ALL_TREES, [TABLE]: name };
      to.set(rows.usedSize, table.bytes, labels);
      to.set(rows.items, table.entries, labels);
    }
  });
}
