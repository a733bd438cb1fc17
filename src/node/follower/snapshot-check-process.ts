import { setPriority } from "node:os";
import { checkStores } from "../../chain-store/check/check-stores.ts";
import type { Fault } from "../../chain-store/check/fault.ts";
import { loadCore } from "../../core/load-core.ts";

/** Message to the process: the data directory. */
export interface SnapshotCheckRequest {
  directory: string;
}

/** Its answer: the first fault, if there is one. */
export interface SnapshotCheckAnswer {
  fault: Fault | undefined;
}

const LESS_THAN_THE_NODE = 10;

// A check of a follower that is gone helps nobody.
process.once("disconnect", () => process.exit(1));
process.once("message", ({ directory }: SnapshotCheckRequest) => {
  try {
    setPriority(LESS_THAN_THE_NODE);
  } catch {}
  let fault: Fault | undefined;
  const report = {
    stage() {},
    step() {},
    fault(found: Fault) {
      fault ??= found;
    },
  };
  void checkStores(directory, loadCore(), report).then(() => {
    const answer: SnapshotCheckAnswer = { fault };
    process.send?.(answer, () => process.exit(0));
  });
});
