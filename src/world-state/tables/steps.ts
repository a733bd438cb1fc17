import type { Store } from "../../storage/store.ts";

/**
 * Rows per nested transaction. LMDB keeps the changed pages of a transaction in an array sorted by page number and
 * allocates free pages from the highest number down, so each insertion shifts the whole array: with tens of thousands
 * of pages this takes longer than everything else. A nested transaction has a short array of its own, which is merged
 * at its end. It copies each page that it changes once more, so rows should come in order of their keys.
 */
const ROWS_PER_STEP = 512;

/** Writes the rows of each item, some hundreds of items per nested transaction. */
export function inSteps<T>(
  store: Pick<Store, "transaction">,
  items: readonly T[],
  write: (item: T) => void,
  perStep = ROWS_PER_STEP,
): void {
  if (items.length <= perStep) {
    items.forEach(write);
    return;
  }
  for (let from = 0; from < items.length; from += perStep) {
    store.transaction(() => items.slice(from, from + perStep).forEach(write));
  }
}
