import { PassThrough } from "node:stream";
import { afterEach, describe, expect, it } from "vitest";
import type { InvalidProposal } from "../../../src/archiver/attestation-verdict.ts";
import { errorFacts } from "../../../src/archiver/error-facts.ts";
import { l1Ranges } from "../../../src/archiver/l1-ranges.ts";
import { prefetched } from "../../../src/archiver/prefetch.ts";
import { backoff, isPowerOfTwo } from "../../../src/archiver/retry.ts";
import { reportProgress } from "../../../src/archiver/sync-progress.ts";
import { decodeInvalidProposal, encodeInvalidProposal } from "../../../src/archiver/tables/invalid-proposal.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import { FakeL1 } from "../../world/archiver/fake-l1.ts";
import { type Follower, follow } from "../../world/archiver/following.ts";
import { CONSTANTS, seeded } from "../../world/archiver/synthetic-chain.ts";

describe("prefetching", () => {
  async function* numbers(count: number, closed: () => void = () => {}) {
    try {
      for (let i = 0; i < count; i++) yield i;
    } finally {
      closed();
    }
  }

  it("prefetching keeps the order of slow loads and never exceeds its bound on concurrent loads", async () => {
    let running = 0;
    let most = 0;
    const load = async (n: number) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5));
      running--;
      return n * 2;
    };
    const results: number[] = [];
    for await (const result of prefetched(numbers(20), load, 4)) results.push(result);
    expect(results).toEqual(Array.from({ length: 20 }, (_, i) => i * 2));
    expect(most).toBe(4);
  });

  it("prefetching yields what precedes a failure, then throws it and closes its source", async () => {
    let closed = false;
    const load = async (n: number) => {
      if (n === 2) throw new Error("load 2");
      return n;
    };
    const results: number[] = [];
    const reading = (async () => {
      for await (const result of prefetched(
        numbers(9, () => {
          closed = true;
        }),
        load,
        3,
      ))
        results.push(result);
    })();
    await expect(reading).rejects.toThrow("load 2");
    expect(results).toEqual([0, 1]);
    expect(closed).toBe(true);
  });
});

it("retry pauses double up to a bound, and at least half of each is guaranteed", () => {
  const pauses = (random: number) => [1, 2, 3, 4, 9, 999].map((n) => backoff(n, 500, 15_000, () => random));
  expect(pauses(1)).toEqual([500, 1000, 2000, 4000, 15_000, 15_000]);
  expect(pauses(0)).toEqual([250, 500, 1000, 2000, 7500, 7500]);
  expect([0, 1, 2, 3, 4, 6, 8, 1024].filter(isPowerOfTwo)).toEqual([1, 2, 4, 8, 1024]);
});

it("L1 ranges cover every block once, 601 at a time with the network's defaults", () => {
  expect([...l1Ranges(10, 1300, 100, CONSTANTS)]).toEqual([
    { from: 10, to: 610 },
    { from: 611, to: 1211 },
    { from: 1212, to: 1300 },
  ]);
  expect([...l1Ranges(5, 5, 100, CONSTANTS)]).toEqual([{ from: 5, to: 5 }]);
  expect([...l1Ranges(6, 5, 100, CONSTANTS)]).toEqual([]);
});

it("the log facts of an error hold its rule, fields and causes, without stacks or long bytes", () => {
  const error = Object.assign(new Error("outer", { cause: new DecodeError("blob", "must be whole") }), {
    hash: new Uint8Array(500),
    amount: 5n,
  });
  const facts = errorFacts(error);
  expect(facts).toMatchObject({
    err: "Error",
    rule: "outer",
    amount: "5",
    cause: { err: "DecodeError", subject: "blob" },
  });
  expect(String(facts.hash)).toHaveLength(2 + 128);
  expect(JSON.stringify(facts)).not.toContain("stack");
  expect(errorFacts("text")).toEqual({ err: "Unknown", rule: "text" });
});

it("an invalid proposal is read back as it was stored", () => {
  const proposal: InvalidProposal = {
    reason: "insufficient-attestations",
    invalidIndex: undefined,
    checkpointNumber: 5,
    archiveRoot: seeded("archive"),
    lastArchiveRoot: seeded("last"),
    slotNumber: 31,
    timestamp: 1795231704n,
    epoch: 7,
    seed: 2n ** 255n,
    committee: [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)],
    attestors: [new Uint8Array(20).fill(2)],
    attestations: [
      { address: new Uint8Array(20), signature: new Uint8Array(65).fill(5) },
      { address: new Uint8Array(20).fill(1), signature: undefined },
    ],
    unusedBits: 0x3f,
  };
  const plain = (p: InvalidProposal) => JSON.stringify(p, (_, v) => (typeof v === "bigint" ? `${v}` : v));
  for (const p of [proposal, { ...proposal, reason: "invalid-attestation" as const, invalidIndex: 0, committee: [] }]) {
    expect(JSON.parse(plain(decodeInvalidProposal(encodeInvalidProposal(p))))).toEqual(JSON.parse(plain(p)));
  }
});

describe("sync progress", () => {
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

  it("sync progress is logged at most once in five seconds, with a summary at the end", async () => {
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

  it("sync progress is a bar on a terminal", async () => {
    const { lines, drawn } = await synced(true, () => 0);
    expect(lines).toHaveLength(1);
    expect(drawn).toContain("checkpoint 4/4");
  });
});
