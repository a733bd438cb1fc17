import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../storage/make-folder.ts";

const PREFIX = "svc-job-";

interface JobFolderSettings {
  /** Parent of the folders of jobs. */
  readonly parent: string;
  /** Parent of the folders of the witness solver, if it has others. */
  readonly solverParent: string | undefined;
  /** Leaves the folders of jobs for inspection. */
  readonly keep: boolean;
}

/** Working folders of jobs: each job has its own, and nothing is left of it afterwards. */
export class JobFolders {
  readonly #settings: JobFolderSettings;

  constructor(settings: JobFolderSettings) {
    this.#settings = settings;
  }

  /** Creates the parents, and removes what processes that were killed have left, unless folders are kept. */
  async prepare(): Promise<void> {
    const { parent, solverParent = parent, keep } = this.#settings;
    for (const folder of new Set([parent, solverParent])) {
      makeFolder(folder);
      if (keep) continue;
      for (const name of await readdir(folder)) {
        if (isLeftOver(name)) await rm(join(folder, name), { recursive: true, force: true });
      }
    }
  }

  /** Calls `work` with the folders of a new job, which may be one and the same. */
  async use<T>(work: (folder: string, solverFolder: string) => Promise<T>): Promise<T> {
    const { parent, solverParent, keep } = this.#settings;
    const prefix = `${PREFIX}${process.pid}-`;
    const folder = await mkdtemp(join(parent, prefix));
    let solverFolder = folder;
    try {
      if (solverParent !== undefined) solverFolder = await mkdtemp(join(solverParent, prefix));
      return await work(folder, solverFolder);
    } finally {
      if (!keep) for (const own of [folder, solverFolder]) await rm(own, { recursive: true, force: true });
    }
  }
}

/** Whether a folder is of a process that does not run any more. This process has not begun a job yet. */
function isLeftOver(name: string): boolean {
  const [, pid] = /^svc-job-(\d{1,10})-/.exec(name) ?? [];
  if (pid === undefined) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
}
