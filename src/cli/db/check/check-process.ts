import { checkFolder, type StoreFolder } from "../../../chain-store/check/check-stores.ts";
import { loadCore } from "../../../core/load-core.ts";
import { checkProgress } from "./progress.ts";

/** Message to the process. */
export interface CheckRequest {
  directory: string;
  folder: StoreFolder;
}

/** What the process tells: the part that it checks, and how many faults it has printed. */
export interface CheckState {
  part: string;
  faults: number;
  done: boolean;
}

process.once("disconnect", () => process.exit(1));
process.once("message", ({ directory, folder }: CheckRequest) => {
  const progress = checkProgress(process.stderr);
  const state: CheckState = { part: "", faults: 0, done: false };
  // Sent at once, as far as the channel has room: nothing may come after it.
  const tell = (): void => void process.send?.({ ...state });
  const report = {
    stage(name: string, total: number) {
      state.part = name;
      tell();
      progress.stage(name, total);
    },
    step: progress.step,
    fault({ table, key, rule }: { table: string; key: string; rule: string }) {
      state.faults++;
      process.stdout.write(`fault: ${table} ${key}: ${rule}\n`);
      tell();
    },
  };
  void checkFolder(directory, folder, loadCore(), report).then(() => {
    progress.end();
    process.send?.({ ...state, done: true }, () => process.exit(0));
  });
});
