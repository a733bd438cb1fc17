/** Deletes the entries of a map or set that were inserted first, until at most `most` are left. */
export function dropOldest<Key>(entries: Map<Key, unknown> | Set<Key>, most: number): void {
  if (entries.size <= most) return;
  for (const key of entries.keys()) {
    entries.delete(key);
    if (entries.size <= most) return;
  }
}
