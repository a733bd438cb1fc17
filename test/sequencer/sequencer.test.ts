import { afterEach, describe, expect, test } from "vitest";
import type { InvalidProposal } from "../../src/archiver/tables/invalid-proposal.ts";
import { proposerIndex } from "../../src/l1/committee/sampling.ts";
import { ContractRevertError } from "../../src/l1/errors.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { inHash } from "../../src/protocol/sha-trees.ts";
import { epochOfSlot, slotTimestamp } from "../../src/protocol/time.ts";
import { type BlockOffer, NoCommitteeAttestations } from "../../src/sequencer/attestations.ts";
import { lateInvalidator } from "../../src/sequencer/late-invalidation.ts";
import { InvalidationRefusedError } from "../../src/sequencer/publisher/invalidate-request.ts";
import type { SequencerSettings } from "../../src/sequencer/settings.ts";
import { TimetableError } from "../../src/sequencer/timetable/timetable.ts";
import { until } from "../world/sequencer/proposing-node.ts";
import { ATTESTER, FakeNode, VOTE } from "./fake-parts.ts";

let node: FakeNode;
const start = (settings: Partial<SequencerSettings> = {}, prepare: (node: FakeNode) => void = () => {}): void => {
  node = new FakeNode(settings);
  prepare(node);
  node.sequencer.start();
};
afterEach(() => node?.sequencer.stop());

/** Waits until at least two turns have run. */
const turns = () => new Promise((resolve) => setTimeout(resolve, 60));
const published = (count = 1) =>
  until(() => node.published.length >= count && node.sequencer.status().state === "IDLE");

describe("a slot of this node", () => {
  test("a proposed slot passes through every state, with the terms of its start", async () => {
    start();
    node.addTx("a");
    await published();
    expect(node.states.map(({ newState }) => newState)).toEqual(
      expect.arrayContaining([
        "SYNCHRONIZING",
        "PROPOSER_CHECK",
        "INITIALIZING_CHECKPOINT",
        "WAITING_FOR_TXS",
        "CREATING_BLOCK",
        "ASSEMBLING_CHECKPOINT",
        "COLLECTING_ATTESTATIONS",
        "PUBLISHING_CHECKPOINT",
        "IDLE",
      ]),
    );
    expect(node.terms).toMatchObject([
      { slot: 10, checkpointNumber: 1, parentBlock: 0, timestamp: 1000 + 720, gasFees: { feePerL2Gas: 7n } },
    ]);
    // One L1 slot before the next slot begins.
    expect(node.published).toMatchObject([{ slot: 10, feeAssetPriceModifier: 3, timeoutAt: (1000 + 792 - 12) * 1000 }]);
    expect(node.sequencer.status().lastPublished).toMatchObject({
      slot: 10,
      checkpointNumber: 1,
      txs: 1,
      txHash: "0x01",
    });
  });

  test("a slot's block is built as soon as a tx arrives", async () => {
    start();
    await until(() => node.sequencer.status().state === "WAITING_FOR_TXS");
    node.addTx("late");
    await published();
    expect(node.builds).toMatchObject([{ txs: ["late"], minValidTxs: 1, maxTxs: 32 }]);
  });

  test("each slot gets one checkpoint", async () => {
    start();
    node.addTx("a");
    await published();
    node.settle();
    node.addTx("b");
    await turns();
    expect(node.published).toHaveLength(1);
    node.beginSlot(11);
    await published(2);
    expect(node.terms.map(({ slot, checkpointNumber }) => [slot, checkpointNumber])).toEqual([
      [10, 1],
      [11, 2],
    ]);
    expect(node.reasons).toEqual(["published: 2"]);
  });

  test("a slot has several blocks, each with its own txs, when blocks have a duration", async () => {
    start({ blockDurationMs: 6000 });
    node.addTx("a");
    for (let second = 1; second < 72 - 12 && node.published.length === 0; second++) {
      await turns();
      node.nowMs += 1000;
      if (second === 8) node.addTx("b");
    }
    await published();
    expect(node.builds.map(({ txs }) => txs)).toEqual([["a"], ["b"]]);
    // Building began 12 s before the start of the slot. A block's deadline is the end of its part of the slot.
    expect(node.builds.map(({ deadline }) => deadline! / 1000 - 1000 - 720 + 12)).toEqual([19, 25]);
    expect(node.published).toHaveLength(1);
  });

  test("a slot without txs is published only if the settings ask for it", async () => {
    start({ buildCheckpointIfEmpty: true });
    await published();
    expect(node.builds).toMatchObject([{ txs: [], minValidTxs: 0 }]);
  });

  test("a slot is never too late for a node that does not enforce the timetable", async () => {
    start({ enforceTimeTable: false });
    node.nowMs += 58_000;
    await turns();
    node.addTx("a");
    await published();
    expect(node.builds).toMatchObject([{ txs: ["a"], deadline: undefined }]);
  });
});

describe("slots that are not proposed", () => {
  /** Lets the slot pass and returns how it was counted. */
  async function reasonOf(): Promise<string[]> {
    await turns();
    await until(() => node.sequencer.status().state === "IDLE");
    node.sequencer.pause();
    node.beginSlot(12);
    await turns();
    return node.reasons;
  }
  const logged = () => node.log.find(({ message }) => message.startsWith("slot {slot} passed without"))?.facts;

  test("a slot without txs is not proposed", async () => {
    start();
    await until(() => node.sequencer.status().state === "WAITING_FOR_TXS");
    node.nowMs += 50_000;
    expect(await reasonOf()).toEqual(["no txs: 1"]);
    expect(logged()).toMatchObject({ slot: 10, reason: "no txs", available: 0 });
  });

  test("a slot is not proposed by a node that is not synced", async () => {
    start({}, (made) => {
      made.syncedL1 = false;
    });
    node.addTx("a");
    expect(await reasonOf()).toEqual(["not synced: 1"]);
  });

  test("a slot is proposed once L1 answers again", async () => {
    start();
    node.l1Silent = true;
    node.addTx("a");
    await turns();
    expect(node.published).toEqual([]);
    node.l1Silent = false;
    await published();
    expect(node.reasons).toEqual(["published: 1"]);
  });

  test("a slot is not proposed if L1 does not answer during it", async () => {
    start();
    node.l1Silent = true;
    expect(await reasonOf()).toEqual(["L1 unavailable: 1"]);
  });

  test("a checkpoint that L1 would reject is not built", async () => {
    start();
    const revert = { errorName: "Rollup__InvalidArchive", args: [], data: "0xb682a40e", message: "execution reverted" };
    node.refusal = new ContractRevertError(revert, {});
    node.addTx("a");
    expect(await reasonOf()).toEqual(["refused by L1: 1"]);
    expect(logged()).toMatchObject({ rule: "reverted: Rollup__InvalidArchive" });
    expect(node.builds).toEqual([]);
  });

  test.each(["rejected", "timed out", "expired", "no publisher"] as const)(
    "a slot is not proposed if publishing ends as: %s",
    async (kind) => {
      start();
      node.publish = async () => ({ kind, reason: "insufficient funds" });
      node.addTx("a");
      expect(await reasonOf()).toEqual(["publishing failed: 1"]);
      expect(logged()).toMatchObject({ outcome: kind, why: "insufficient funds" });
      // The stored blocks of the slot prevent a second proposal for it.
      expect(node.published).toHaveLength(1);
    },
  );

  test("a slot is not proposed again once a block of it is stored", async () => {
    start({ enforceTimeTable: false });
    node.publish = async () => ({ kind: "rejected", reason: "no" });
    node.addTx("a");
    await until(() => node.published.length === 1);
    node.addTx("b");
    expect(await reasonOf()).toEqual(["slot taken: 1"]);
    expect(node.published).toHaveLength(1);
  });

  test("a slot is not proposed if its first block fails", async () => {
    start();
    node.buildError = new Error("the state is gone");
    node.addTx("a");
    expect(await reasonOf()).toEqual(["build failed: 1"]);
    expect(logged()).toMatchObject({ error: "the state is gone" });
  });

  test("a block that the node's own archiver refuses is not published", async () => {
    start();
    node.refuseBlock = new Error("its slot has passed");
    node.addTx("a");
    expect(await reasonOf()).toEqual(["block refused: 1"]);
    expect(node.published).toEqual([]);
  });

  test("a slot with fewer blocks than the configured minimum is not proposed", async () => {
    start({ minBlocksForCheckpoint: 2 });
    node.addTx("a");
    expect(await reasonOf()).toEqual(["too few blocks: 1"]);
    expect(logged()).toMatchObject({ blocks: 1, least: 2 });
  });

  test("a slot is not proposed if its checkpoint cannot be assembled", async () => {
    start();
    node.assemblyError = new Error("a root differs");
    node.addTx("a");
    expect(await reasonOf()).toEqual(["assembly failed: 1"]);
    expect(logged()).toMatchObject({ error: "a root differs" });
  });

  test("a slot is not proposed if its attestations do not arrive", async () => {
    start();
    node.collector.collect = () => Promise.reject(new Error("2 of 3 came"));
    node.addTx("a");
    expect(await reasonOf()).toEqual(["attestations missing: 1"]);
    expect(logged()).toMatchObject({ error: "2 of 3 came" });
  });

  test("a slot is not proposed while blocks of an earlier slot are neither on L1 nor dropped", async () => {
    start();
    node.publish = async () => ({ kind: "timed out", reason: "no answer" });
    node.addTx("a");
    await until(() => node.published.length === 1);
    node.nowMs += 72_000;
    node.l1Timestamp += 72;
    await turns();
    node.sequencer.pause();
    node.beginSlot(12);
    await turns();
    expect(node.reasons).toEqual(["unsettled blocks: 1", "publishing failed: 1"]);
  });

  test("an unexpected error ends a slot and is logged", async () => {
    start({}, (fresh) => {
      Object.defineProperty(fresh, "attesters", {
        get: () => {
          throw new TypeError("no such key");
        },
      });
    });
    expect(await reasonOf()).toEqual(["failed: 1"]);
    expect(node.log).toContainEqual(expect.objectContaining({ level: "error", message: "proposing failed" }));
  });

  test("a slot whose deadline is missed after a block was built is not proposed", async () => {
    start();
    node.collector.collect = async () => {
      node.nowMs += 59_500;
      return { signatureIndices: new Uint8Array(), signaturesOrAddresses: new Uint8Array(), signers: [] };
    };
    node.addTx("a");
    expect(await reasonOf()).toEqual(["deadline missed: 1"]);
    expect(logged()).toMatchObject({ state: "PUBLISHING_CHECKPOINT", latest: 71 });
  });

  test("a slot whose work is started too late is not proposed", async () => {
    node = new FakeNode();
    node.nowMs += 52_000;
    node.l1Timestamp += 52;
    node.sequencer.start();
    expect(await reasonOf()).toEqual(["started too late: 1"]);
  });

  test("a paused sequencer keeps pending txs and includes them afterwards", async () => {
    start();
    node.sequencer.pause();
    node.addTx("a");
    await turns();
    expect([node.builds, node.pending]).toEqual([[], ["a"]]);
    node.beginSlot(11);
    await turns();
    node.sequencer.resume();
    await published();
    expect(node.reasons).toEqual(["published: 1", "paused: 1"]);
  });

  test("pausing ends the wait for txs", async () => {
    start();
    await until(() => node.sequencer.status().state === "WAITING_FOR_TXS");
    node.sequencer.pause();
    await until(() => node.sequencer.status().state === "IDLE");
    node.addTx("a");
    await turns();
    expect(node.builds).toEqual([]);
  });
});

describe("txs that no block can include", () => {
  test("txs that no block can include leave the pool with their reason in the log, and the others are proposed", async () => {
    start();
    node.unprocessable.add("bad");
    node.failing.add("breaks");
    for (const name of ["bad", "breaks", "good"]) node.addTx(name);
    await published();
    expect(node.removed.sort()).toEqual(["bad", "breaks"]);
    const dropped = node.log.filter(({ message }) => message.startsWith("dropping a tx"));
    expect(dropped.map(({ level, facts }) => [level, facts.reason])).toEqual([
      ["warn", "of no use"],
      ["error", "of no use"],
    ]);
    expect(node.published).toHaveLength(1);
  });

  test("txs that no block can include make no block alone, and nothing of the slot is stored", async () => {
    start();
    node.unprocessable.add("bad");
    node.addTx("bad");
    await until(() => node.removed.length === 1);
    await until(() => node.sequencer.status().state === "IDLE");
    node.beginSlot(11);
    node.addTx("good");
    await published();
    expect(node.reasons).toEqual(["published: 1", "too few valid txs: 1"]);
  });
});

describe("a committee", () => {
  const other = fromHex(`0x${"0b".repeat(20)}`);
  const own = fromHex(ATTESTER);
  const begin = (members: Uint8Array[] | undefined, settings = {}, { synced = true } = {}): FakeNode => {
    node = new FakeNode(settings);
    node.constants.targetCommitteeSize = 4;
    node.committee = { epoch: 0, committee: members, seed: 5n, escapeHatchOpen: false, settled: true };
    node.syncedL1 = synced;
    node.addTx("a");
    node.sequencer.start();
    return node;
  };
  const settled = async (): Promise<string[]> => {
    await turns();
    node.sequencer.pause();
    node.beginSlot(12);
    await turns();
    return node.reasons;
  };

  test("the proposer of a committee's slot proposes if its attestations can be collected", async () => {
    begin([own, own, own, own]);
    await published();
    expect(node.published).toMatchObject([{ attester: ATTESTER }]);
  });

  test("a committee's slot with another proposer is left to that node", async () => {
    begin([other, other, other, other]);
    expect(await settled()).toEqual(["not proposer: 1"]);
  });

  /** A committee of four, of which this node has the proposer's key alone, or all. */
  const committeeOf = (all: boolean): Uint8Array[] => {
    const proposer = proposerIndex(epochOfSlot(10, new FakeNode().constants), 10, 5n, 4);
    return [0, 1, 2, 3].map((i) => (all || i === proposer ? own : other));
  };

  test.each([
    { peers: 0, least: 1, all: false, outcome: "too few peers: 1" },
    { peers: 2, least: 3, all: false, outcome: "too few peers: 1" },
    { peers: 3, least: 3, all: false, outcome: "published: 1" },
    { peers: 0, least: 0, all: false, outcome: "published: 1" },
    { peers: 0, least: 1, all: true, outcome: "published: 1" },
  ])("a proposer with $peers of $least peers, keys of the whole committee: $all: $outcome", async (given) => {
    const { peers, least, all, outcome } = given;
    begin(committeeOf(all), { minPeersToPropose: least });
    node.peers = peers;
    expect(await settled()).toEqual([outcome]);
    expect(node.builds).toHaveLength(outcome.startsWith("published") ? 1 : 0);
  });

  test("a proposer without peers votes alone, and still builds if they come in its slot", async () => {
    begin(committeeOf(false), { governanceProposerPayload: `0x${"0c".repeat(20)}` });
    node.peers = 0;
    await until(() => node.votesAlone.length > 0);
    expect(node.votesAlone).toMatchObject([{ slot: 10, attester: ATTESTER }]);
    expect(node.builds).toEqual([]);
    node.peers = 1;
    await published();
  });

  test("a committee cannot attest without peers, which is reported before anything is built", async () => {
    begin([own, own, own, own]);
    node.collector = new NoCommitteeAttestations();
    expect(await settled()).toEqual(["no attesters: 1"]);
    const line = node.log.find(
      ({ level, message }) => level === "warn" && message.startsWith("slot {slot} passed without"),
    );
    expect(line?.facts.obstacle).toMatch(/committee of 4 must attest/);
    expect(node.builds).toEqual([]);
  });

  test("each block but a checkpoint's last possible one is offered to the committee once it is stored", async () => {
    const offers: BlockOffer[] = [];
    begin([own, own, own, own], { blockDurationMs: 20_000 });
    node.collector.offerBlock = async (offer) => void offers.push(offer);
    await until(() => node.sequencer.status().state === "WAITING_UNTIL_NEXT_BLOCK");
    expect(offers).toMatchObject([{ slot: 10, proposer: ATTESTER, block: { record: { number: 1 } } }]);
    expect(toHex(offers[0].inHash)).toBe(toHex(inHash([])));
    node.addTx("b");
    node.nowMs += 22_000;
    await published();
    expect(node.builds.map(({ txs }) => txs)).toEqual([["a"], ["b"]]);
    expect(offers).toHaveLength(1);
  });

  test("a slot whose block cannot be offered to the committee is not proposed", async () => {
    begin([own, own, own, own], { blockDurationMs: 20_000 });
    node.collector.offerBlock = () => Promise.reject(new Error("another node signed it"));
    expect(await settled()).toEqual(["proposal not sent: 1"]);
    expect(node.published).toEqual([]);
  });

  test("a sequencer whose block waits for its signature can be stopped", async () => {
    begin([own, own, own, own], { blockDurationMs: 20_000 });
    const { promise: offering, resolve: offered } = Promise.withResolvers<void>();
    node.collector.offerBlock = ({ signal }) => {
      offered();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    await offering;
    await node.sequencer.stop();
    expect(node.published).toEqual([]);
  });

  describe("a bad checkpoint on L1", () => {
    const pending = { address: `0x${"11".repeat(20)}`, slot: "0x01", value: "0x02" };
    const request = { ...VOTE, action: "invalidate-by-insufficient-attestations" as const };
    /** The bad checkpoint is 144 s old when slot 10 begins. */
    const beginBad = (members: Uint8Array[], settings = {}) => {
      begin(members, settings);
      const timestamp = BigInt(slotTimestamp(8, node.constants));
      node.invalid = { checkpointNumber: 1, reason: "insufficient-attestations", timestamp } as InvalidProposal;
      node.invalidation = { request, pending };
    };

    test("the next proposer removes a bad checkpoint in the transaction of its own", async () => {
      beginBad([own, own, own, own]);
      await published();
      expect(node.published).toMatchObject([{ slot: 10, others: [request], pending }]);
      expect(node.overrides).toEqual([pending, pending]);
      await turns();
      expect(node.votesAlone).toEqual([]);
    });

    test("a proposer without a checkpoint removes a bad one alone", async () => {
      beginBad([own, own, own, own], { minTxsPerBlock: 2 });
      await until(() => node.sequencer.status().state === "WAITING_FOR_TXS");
      node.nowMs += 60_000;
      await until(() => node.votesAlone.length > 0);
      expect(node.votesAlone).toEqual([{ slot: 10, attester: ATTESTER, requests: [request] }]);
      expect(node.published).toEqual([]);
    });

    test("a proposer builds nothing on a bad checkpoint that L1 would not remove, and needs nobody to remove one that is gone", async () => {
      beginBad([own, own, own, own]);
      node.refuseInvalidation = new InvalidationRefusedError(1, "Rollup__InvalidAttestations()");
      expect(await settled()).toEqual(["invalidation refused: 1"]);
      await node.sequencer.stop();
      beginBad([own, own, own, own]);
      node.invalidation = undefined;
      await published();
      expect(node.published).toMatchObject([{ others: [] }]);
    });

    test("a committee member removes a bad checkpoint that proposers leave for longer than its delay, once in a slot", async () => {
      const proposer = proposerIndex(epochOfSlot(10, new FakeNode().constants), 10, 5n, 4)!;
      beginBad([0, 1, 2, 3].map((i) => (i === (proposer + 1) % 4 ? own : other)));
      await turns();
      expect(node.votesAlone).toEqual([]);
      node.nowMs += 30_000;
      await turns();
      expect(node.votesAlone).toEqual([{ slot: 10, attester: ATTESTER, requests: [request] }]);
    });

    test("a member waits for its delay, others for theirs, and a delay of 0 means never", () => {
      const invalid = { timestamp: 1000n };
      const delays = { invalidateAfterAsMember: 144, invalidateAfterAsOther: 432 };
      const at = (seconds: number, committee: Uint8Array[], changes = {}) =>
        lateInvalidator(
          invalid,
          { own: [ATTESTER], committee, nowMs: (1000 + seconds) * 1000 },
          { ...delays, ...changes },
        );
      expect([at(144, [other, own]), at(145, [other, own])]).toEqual([undefined, ATTESTER]);
      expect([at(432, [other]), at(433, [other])]).toEqual([undefined, ATTESTER]);
      expect(at(433, [own], { invalidateAfterAsMember: 0 })).toBe(ATTESTER);
      expect(at(1e6, [own], { invalidateAfterAsMember: 0, invalidateAfterAsOther: 0 })).toBeUndefined();
    });
  });

  describe("votes of a committee's proposer", () => {
    const governanceProposerPayload = `0x${"9a".repeat(20)}`;
    const vote = { slot: 10, attester: ATTESTER, requests: [VOTE] };

    test("a proposer votes in the transaction of its checkpoint", async () => {
      begin([own, own, own, own], { governanceProposerPayload });
      await published();
      expect(node.voters).toEqual([{ slot: 10, proposer: ATTESTER, payload: governanceProposerPayload }]);
      expect(node.published[0].others).toEqual([VOTE]);
      await turns();
      expect(node.votesAlone).toEqual([]);
    });

    test("a proposer votes alone when there is no checkpoint", async () => {
      begin([own, own, own, own], { governanceProposerPayload, minTxsPerBlock: 2 });
      await until(() => node.sequencer.status().state === "WAITING_FOR_TXS");
      node.nowMs += 60_000;
      await until(() => node.votesAlone.length > 0);
      await turns();
      expect(node.votesAlone).toEqual([vote]);
      expect(node.published).toEqual([]);
    });

    test("a proposer votes alone, once in the slot, when its attestations cannot be collected or the escape hatch is open", async () => {
      begin([own, own, own, own], { governanceProposerPayload });
      node.collector = new NoCommitteeAttestations();
      await until(() => node.votesAlone.length > 0);
      await turns();
      expect(node.votesAlone).toEqual([vote]);
      await node.sequencer.stop();
      begin([own, own, own, own], { governanceProposerPayload });
      node.committee!.escapeHatchOpen = true;
      await until(() => node.votesAlone.length > 0);
      await turns();
      expect(node.votesAlone).toEqual([vote]);
    });

    test("a proposer that is not synced votes only late in the slot and only for its own attesters", async () => {
      begin([own, own, own, own], { governanceProposerPayload }, { synced: false });
      await turns();
      expect(node.votesAlone).toEqual([]);
      node.nowMs += 50_000;
      await until(() => node.votesAlone.length > 0);
      await turns();
      expect(node.votesAlone).toEqual([vote]);
      await node.sequencer.stop();
      begin([other, other, other, other], { governanceProposerPayload }, { synced: false });
      node.nowMs += 50_000;
      await turns();
      expect([node.votesAlone, node.voters]).toEqual([[], []]);
    });
  });

  test("a missing committee, an open escape hatch or disabled attesters prevent a proposal", async () => {
    begin(undefined);
    expect(await settled()).toEqual(["no committee: 1"]);
    await node.sequencer.stop();
    begin([own, own, own, own]);
    node.committee!.escapeHatchOpen = true;
    expect(await settled()).toEqual(["escape hatch: 1"]);
    await node.sequencer.stop();
    begin([own, own, own, own], { disabledValidators: [ATTESTER] });
    expect(await settled()).toEqual(["no keys: 1"]);
  });
});

test("a sequencer begins no block while it is held, and loses no tx that arrives meanwhile", async () => {
  start();
  await until(() => node.sequencer.status().state === "WAITING_FOR_TXS");
  const release = node.sequencer.hold();
  node.addTx("a");
  await turns();
  expect(node.builds).toEqual([]);
  expect(node.sequencer.status().state).toBe("IDLE");
  node.beginSlot(11);
  await turns();
  expect(node.builds).toEqual([]);
  release();
  await published();
  expect(node.published).toMatchObject([{ slot: 11 }]);
  expect(node.reasons).toEqual(["published: 1", "no txs: 1"]);
});

test("a sequencer does not vote on a network without committees, because L1 counts only votes of a slot's proposer", async () => {
  start({ governanceProposerPayload: `0x${"9a".repeat(20)}` });
  node.addTx("a");
  await published();
  expect(node.voters).toEqual([]);
  expect(node.published[0].others).toEqual([]);
});

test("a sequencer keeps its settings when new ones leave no time for a block", () => {
  start();
  const before = node.sequencer.timetable;
  expect(() => node.sequencer.configure({ l1PublishingTime: 70 })).toThrow(TimetableError);
  expect(node.sequencer.timetable).toBe(before);
  node.sequencer.configure({ blockDurationMs: 6000 });
  expect(node.sequencer.timetable.maxBlocks).toBeGreaterThan(1);
});

test("a sequencer stops during a wait, and counts the slot as interrupted", async () => {
  start();
  await until(() => node.sequencer.status().state === "WAITING_FOR_TXS");
  await node.sequencer.stop();
  expect(node.sequencer.status().state).toBe("STOPPED");
  expect(node.reasons).toEqual(["interrupted: 1"]);
  expect(node.log.at(-2)).toMatchObject({ level: "info", facts: { slots: { interrupted: 1 } } });
});
