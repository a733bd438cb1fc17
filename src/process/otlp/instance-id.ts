import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "../../storage/replace-file.ts";
import type { DataDirectory } from "../data-directory.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Identifies this node to collectors of metrics and logs: a UUID that stays the same across restarts, kept as
 * `instance-id` in the data directory. A temporary directory has a new one each time.
 */
export function instanceId({ path, temporary }: Pick<DataDirectory, "path" | "temporary">): string {
  if (temporary) return randomUUID();
  const file = join(path, "instance-id");
  const kept = read(file);
  if (kept !== undefined && UUID.test(kept)) return kept;
  const made = randomUUID();
  replaceFile(file, `${made}\n`);
  return made;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
