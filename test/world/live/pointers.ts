/** JSON pointers at which two values differ. List indexes are `*`, so that equal differences of many items are one. */
export function differingPointers(a: unknown, b: unknown, at = ""): string[] {
  if (Object.is(a, b)) return [];
  if (!isContainer(a) || !isContainer(b) || Array.isArray(a) !== Array.isArray(b)) return [at === "" ? "/" : at];
  const found = Array.isArray(a) && a.length !== members(b) ? [`${at}/length`] : [];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    const step = Array.isArray(a) ? "*" : key.replaceAll("~", "~0").replaceAll("/", "~1");
    found.push(...differingPointers(a[key], b[key], `${at}/${step}`));
  }
  return [...new Set(found)];
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function members(value: Record<string, unknown>): number {
  return Object.keys(value).length;
}
