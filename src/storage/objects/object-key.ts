import { ObjectStoreError } from "./errors.ts";

/** Characters that neither URLs nor file systems read as anything else. */
const SEGMENT = /^[A-Za-z0-9._:=@-]+$/;
/** Characters of a key that an error shows. */
const SHOWN = 100;

/**
 * The key of an object, which may come from outside, as a path below a root: segments of a fixed alphabet, none of them
 * `.` or `..`. Throws an ObjectStoreError that names the store.
 */
export function checkedKey(key: string, store: string): string {
  const fits = (segment: string) => SEGMENT.test(segment) && segment !== "." && segment !== "..";
  if (key.split("/").every(fits)) return key;
  throw keyError(key, store);
}

export function keyError(key: string, store: string): ObjectStoreError {
  const shown = JSON.stringify(key.slice(0, SHOWN));
  return new ObjectStoreError(
    { store, operation: "name", key: shown },
    "parts of its path must be of the characters A-Z, a-z, 0-9, . _ : = @ and -",
  );
}
