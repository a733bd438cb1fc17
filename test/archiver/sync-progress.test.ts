import { PassThrough } from "node:stream";
import { afterEach, expect, test, vi } from "vitest";
import { reportProgress } from "../../src/archiver/sync-progress.ts";
import { noTimes, timed } from "../../src/archiver/sync-services.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { FakeL1 } from "../world/archiver/fake-l1.ts";
import { type Follower, follow } from "../world/archiver/following.ts";

const core = loadCore();
let follower: Follower | undefined;
afterEach(() => follower?.close());

const synced = async (isTTY: boolean, now: () => number) => {
  const l1 = new FakeL1(core);
  for (let i = 0; i < 4; i++) l1.propose();
  follower = follow(l1, core, { commit: { checkpoints: 1, bytes: 1 } });
  const lines: object[] = [];
  const note = (facts: object) => void lines.push(facts);
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 100,
    cursorTo() {},
    clearLine() {},
    moveCursor() {},
  });
  let drawn = "";
  stream.on("data", (chunk) => {
    drawn += chunk;
  });
  reportProgress(follower.synchronizer, {
    logger: { debug: note, info: note, warn: note, error: note },
    stream: stream as unknown as NodeJS.WriteStream,
    now,
  });
  await follower.synchronizer.syncOnce();
  return { lines, drawn };
};

test("sync progress is logged at most once in five seconds, with a summary at the end", async () => {
  let time = 0;
  const { lines, drawn } = await synced(false, () => {
    time += 2500;
    return time;
  });
  expect(lines).toMatchObject([
    { checkpoint: 3, targetCheckpoint: 4, checkpointsPerSecond: 0.4 },
    { checkpoints: 4, blocks: 4, txs: 4, commitMs: expect.any(Number), waitingMs: expect.any(Number) },
  ]);
  expect(drawn).toBe("");
});

test("sync progress is a bar on a terminal", async () => {
  const { lines, drawn } = await synced(true, () => 0);
  expect(lines).toHaveLength(1);
  expect(drawn).toContain("checkpoint 4/4");
});

test("time in which several works of a stage overlap counts once", async () => {
  const clock = vi.spyOn(performance, "now");
  const times = noTimes();
  const ends = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  clock.mockReturnValue(100);
  const first = timed(times, "blobFetch", () => ends[0].promise);
  clock.mockReturnValue(110);
  const second = timed(times, "blobFetch", () => ends[1].promise);
  clock.mockReturnValue(130);
  ends[0].resolve();
  await first;
  expect(times.blobFetch).toBe(30);
  clock.mockReturnValue(135);
  ends[1].resolve();
  await second;
  clock.mockReturnValue(500);
  await timed(times, "blobFetch", async () => clock.mockReturnValue(501));
  expect(times.blobFetch).toBe(36);
  clock.mockRestore();
});
