import { expect, test } from "vitest";
import { RollbackRefusedError } from "../../../src/archiver/roll-back.ts";
import { syncControl } from "../../../src/node/services/sync-control.ts";
import { checkpointOf } from "../../world/rpc/development-chain.ts";
import { GENESIS_BLOCK } from "../../world/rpc/fakes.ts";

function control(failure?: Error) {
  const done: (string | number)[] = [];
  const sync = syncControl(
    {
      pause: async () => void done.push("pause"),
      resume: () => void done.push("resume"),
      rollBackTo: async (target) => {
        done.push(target);
        if (failure) throw failure;
      },
    },
    {
      finalizedBlockNumber: () => 6,
      latestBlockNumber: () => 20,
      block: (number) => (number > 3 ? { ...GENESIS_BLOCK, number, checkpointNumber: number } : undefined),
      checkpoint: (number) => ({ ...checkpointOf(number, number), startBlock: number }),
    },
    { clear: () => void done.push("clear pool") },
  );
  return { sync, done };
}

test("a rollback pauses sync, rolls back and resumes if asked to", async () => {
  const { sync, done } = control();
  await sync.rollBackTo(8, { force: false, resumeSync: true });
  await sync.rollBackTo(6, { force: false, resumeSync: false });
  expect(done).toEqual(["pause", 8, "resume", "pause", 6]);
});

test("a rollback below the finalized block needs force", async () => {
  const { sync, done } = control();
  const refused = sync.rollBackTo(5, { force: false, resumeSync: true });
  await expect(refused).rejects.toThrow(RollbackRefusedError);
  await expect(refused).rejects.toThrow("Cannot rollback to block 5 as it is before finalized 6");
  expect(done).toEqual([]);
  await sync.rollBackTo(5, { force: true, resumeSync: true });
  expect(done).toEqual(["pause", "clear pool", 5, "resume"]);
});

test("a rollback to an unknown block below the finalized one does not clear the pool", async () => {
  const { sync, done } = control();
  await expect(sync.rollBackTo(2, { force: true, resumeSync: true })).rejects.toThrow("Target L2 block 2 not found");
  expect(done).toEqual(["pause", "resume"]);
});

test("after a failed rollback sync resumes only if asked to", async () => {
  const { sync, done } = control(new RollbackRefusedError(9, "Target L2 block 9 not found"));
  await expect(sync.rollBackTo(9, { force: false, resumeSync: true })).rejects.toThrow("not found");
  await expect(sync.rollBackTo(9, { force: false, resumeSync: false })).rejects.toThrow("not found");
  expect(done).toEqual(["pause", 9, "resume", "pause", 9]);
});
