import { chmodSync, renameSync, rmSync, writeFileSync } from "node:fs";

/** Replaces a file atomically. Only the owner can ever read it. Throws the system's error. */
export function replaceFile(path: string, text: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flush: true });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}
