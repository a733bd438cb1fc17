import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Thrown if this system or user cannot limit the memory of processes. */
export class MemoryLimitError extends Error {
  constructor(reason: string, options?: ErrorOptions) {
    super(`the memory of a process cannot be limited: ${reason}`, options);
    this.name = "MemoryLimitError";
  }
}

interface Hierarchy {
  folder: string;
  /** Name of the file with a group's limit. */
  limit: string;
}

/** The mounted hierarchy of control groups that has the memory controller, of either version. */
function memoryHierarchy(): Hierarchy {
  for (const line of readFileSync("/proc/mounts", "utf8").split("\n")) {
    const [, folder, type, options = ""] = line.split(" ");
    if (type === "cgroup" && options.split(",").includes("memory")) return { folder, limit: "memory.limit_in_bytes" };
    if (type !== "cgroup2") continue;
    const controllers = readFileSync(join(folder, "cgroup.controllers"), "utf8").trim().split(" ");
    if (controllers.includes("memory")) return { folder, limit: "memory.max" };
  }
  throw new MemoryLimitError("no control groups with the memory controller are mounted");
}

/**
 * A control group whose processes share a limited memory, the cached pages of the files that they read first included.
 * Needs root.
 */
export class MemoryLimit {
  readonly #folder: string;

  constructor(bytes: number) {
    const { folder, limit } = memoryHierarchy();
    this.#folder = join(folder, `svc-bench-${process.pid}`);
    try {
      if (limit === "memory.max") writeFileSync(join(folder, "cgroup.subtree_control"), "+memory");
      mkdirSync(this.#folder);
      writeFileSync(join(this.#folder, limit), String(bytes));
    } catch (error) {
      throw new MemoryLimitError(error instanceof Error ? error.message : String(error), { cause: error });
    }
  }

  /** A command that runs another one within the limit. */
  within(command: string, args: readonly string[]): [command: string, args: string[]] {
    const join = 'echo $$ > "$0" && exec "$@"';
    return ["sh", ["-c", join, `${this.#folder}/cgroup.procs`, command, ...args]];
  }

  /** To be called when all its processes have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }
}
