import { gauge } from "../telemetry/metrics/metric-row.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import type { Store } from "./store.ts";
import { diskBytes } from "./write-room.ts";

const STORE = "aztec.db_type";
const LABELS = { [STORE]: "any" } as const;

export const STORAGE_METRICS = {
  items: gauge("aztec.db.num_items", { labels: LABELS, meaning: "rows of a store" }),
  mapSize: gauge("aztec.db.map_size", { unit: "By", labels: LABELS, meaning: "size up to which a store may grow" }),
  fileSize: gauge("aztec.db.physical_file_size", { unit: "By", labels: LABELS, meaning: "size of a store's file" }),
  usedSize: gauge("aztec.db.used_size", { unit: "By", labels: LABELS, meaning: "bytes of a store's pages in use" }),
  freePages: gauge("svc.store.free_pages", {
    unit: "{page}",
    labels: LABELS,
    meaning: "pages of a store's file that wait to be used again",
  }),
  readers: gauge("svc.store.readers", { labels: LABELS, meaning: "reading threads of a store" }),
  readerLag: gauge("svc.store.reader_lag", {
    unit: "{commit}",
    labels: LABELS,
    meaning: "commits since the snapshot of a store that has been read longest",
  }),
  tableSize: gauge("svc.store.table_size", {
    unit: "By",
    labels: { ...LABELS, table: "any" },
    meaning: "bytes of the pages of a store's table",
  }),
  diskFree: gauge("svc.store.disk_free", {
    unit: "By",
    labels: LABELS,
    meaning: "free space on a store's disk",
  }),
  diskSize: gauge("svc.store.disk_size", { unit: "By", labels: LABELS, meaning: "size of a store's disk" }),
} as const;

/** Exports the sizes of a store, under the name that the release has for what it holds where it has one. */
export function observeStore(
  metrics: Metrics,
  name: string,
  store: Pick<Store, "stats" | "freeBytes" | "path">,
): () => void {
  const rows = STORAGE_METRICS;
  const labels = { [STORE]: name };
  return metrics.observe((to) => {
    const { mapBytes, fileBytes, freePages, pageBytes, readers, readerLag, tables } = store.stats();
    let items = 0;
    for (const [table, { entries, bytes }] of tables) {
      items += entries;
      to.set(rows.tableSize, bytes, { ...labels, table });
    }
    to.set(rows.items, items, labels);
    if (mapBytes !== undefined) to.set(rows.mapSize, mapBytes, labels);
    to.set(rows.fileSize, fileBytes, labels);
    to.set(rows.usedSize, fileBytes - freePages * pageBytes, labels);
    to.set(rows.freePages, freePages, labels);
    to.set(rows.readers, readers, labels);
    to.set(rows.readerLag, readerLag, labels);
    to.set(rows.diskFree, store.freeBytes(), labels);
    to.set(rows.diskSize, diskBytes(store.path), labels);
  });
}
