import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { MIN_BYTES_PER_SECOND } from "../../../src/follower/format/least-rate.ts";
import { sendInTime } from "../../../src/follower/serve/send-in-time.ts";

const STALL_MS = 30_000;
const SECONDS = 60;
/** A batch that takes a minute on the slowest link. */
const BATCH = new Uint8Array(SECONDS * MIN_BYTES_PER_SECOND);

let taken: () => void;
let link: Writable;

beforeEach(() => {
  vi.useFakeTimers();
  link = new Writable({
    highWaterMark: 1,
    write(_, __, done) {
      taken = done;
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
  link.destroy();
});

test("what a follower is sent may take as long as on the slowest link", async () => {
  const sent = sendInTime(link, BATCH, STALL_MS);
  await vi.advanceTimersByTimeAsync(STALL_MS + SECONDS * 1000 - 1);
  taken();
  await expect(sent).resolves.toBeUndefined();
});

test("what a follower is sent is given up when it takes longer", async () => {
  const sent = expect(sendInTime(link, BATCH, STALL_MS)).rejects.toMatchObject({ stalled: true });
  await vi.advanceTimersByTimeAsync(STALL_MS + SECONDS * 1000);
  await sent;
});

test("what a follower is sent is given up when the follower leaves", async () => {
  const sent = expect(sendInTime(link, BATCH, STALL_MS)).rejects.toMatchObject({ stalled: false });
  link.destroy();
  await sent;
  await expect(sendInTime(link, BATCH, STALL_MS)).rejects.toMatchObject({ stalled: false });
});
