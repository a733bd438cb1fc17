import { chmodSync, writeFileSync } from "node:fs";

/**
 * A program that can be started here: the given one, or one at `path` that starts it with the libraries of `root`, a
 * Debian 13 (scripts/debian-root.sh).
 */
export function runnableProgram(program: string, root: string | undefined, path: string): string {
  if (root === undefined) return program;
  const libraries = ["lib", "usr/lib"].map((lib) => `${root}/${lib}/x86_64-linux-gnu`).join(":");
  writeFileSync(
    path,
    `#!/bin/sh\nexec ${root}/lib64/ld-linux-x86-64.so.2 --library-path ${libraries} ${program} "$@"\n`,
  );
  chmodSync(path, 0o755);
  return path;
}
