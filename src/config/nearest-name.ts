/** Longer names are compared up to here. */
export const MAX_NAME_LENGTH = 80;

/** Number of characters to insert, remove or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
    }
    row = next;
  }
  return row[b.length];
}

/** The known name that a misspelt one is closest to, whatever their case, and how far it is. */
export function nearestName(given: string, known: Iterable<string>): { name: string; distance: number } {
  const compared = given.slice(0, MAX_NAME_LENGTH).toUpperCase();
  let nearest = { name: "", distance: Number.POSITIVE_INFINITY };
  for (const name of known) {
    const far = distance(compared, name.toUpperCase());
    if (far < nearest.distance) nearest = { name, distance: far };
  }
  return nearest;
}
