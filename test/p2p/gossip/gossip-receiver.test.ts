import { setImmediate as turn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { GossipReceiver, type GossipReceiverOptions } from "../../../src/p2p/gossip/gossip-receiver.ts";
import type { Topic } from "../../../src/p2p/gossip/publisher.ts";
import { type GossipOutcome, type GossipTopic, TOPIC_RULES } from "../../../src/p2p/gossip/topic.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { wrapper } from "../live/decoders.ts";
import { FakeRouter } from "./fake-router.ts";

const VERSION = "00-1-0-0-0-0";
const running: GossipReceiver[] = [];

afterEach(() => {
  for (const receiver of running.splice(0)) receiver.stop();
  vi.useRealTimers();
});

function row(name: Topic, validate: GossipTopic["validate"], rules: Partial<GossipTopic> = {}): GossipTopic {
  return { name, ...TOPIC_RULES[name], validate, ...rules };
}

function receiving(topics: readonly GossipTopic[], options: Partial<GossipReceiverOptions> = {}) {
  const router = new FakeRouter(VERSION);
  const penalties: string[] = [];
  const receiver = new GossipReceiver({
    router: router.asRouter(),
    topics,
    version: VERSION,
    penalties: { penalize: (peer, tolerance) => void penalties.push(`${peer} ${tolerance}`) },
    seenMessages: 100,
    deadlineMs: 4_200,
    wrapper,
    logger: silentLogger,
    ...options,
  });
  running.push(receiver);
  receiver.start();
  return { router, receiver, penalties };
}

/** A validation that ends when the test says so. */
function pending() {
  const waiting: ((outcome: GossipOutcome) => void)[] = [];
  return { waiting, validate: () => new Promise<GossipOutcome>((resolve) => waiting.push(resolve)) };
}

const accept: GossipTopic["validate"] = () => ({ result: "accept" });

async function turns(count = 5): Promise<void> {
  for (let i = 0; i < count; i++) await turn();
}

test("messages of the current slot are validated before transactions that came earlier", async () => {
  const order: string[] = [];
  const noting =
    (name: string): GossipTopic["validate"] =>
    (payload) => {
      order.push(`${name} ${Buffer.from(payload)}`);
      return { result: "accept" };
    };
  const { router } = receiving([
    row("tx", noting("tx"), { parallel: 2 }),
    row("checkpoint_attestation", noting("attestation")),
    row("block_proposal", noting("block")),
    row("checkpoint_proposal", noting("checkpoint")),
  ]);
  for (let i = 0; i < 5; i++) router.deliver("tx", { key: `t${i}` });
  router.deliver("checkpoint_attestation", { key: "a" });
  router.deliver("block_proposal", { key: "b" });
  router.deliver("checkpoint_proposal", { key: "c" });
  await turns();
  expect(order.slice(0, 3).toSorted()).toEqual(["attestation a", "block b", "checkpoint c"]);
  expect(order[2]).toBe("attestation a");
  expect(order.slice(3)).toEqual(["tx t0", "tx t1", "tx t2", "tx t3", "tx t4"]);
});

test("validations of transactions do not delay a proposal that comes while they run", async () => {
  const { waiting, validate } = pending();
  const { router } = receiving([row("tx", validate, { parallel: 3 }), row("block_proposal", accept)]);
  for (let i = 0; i < 10; i++) router.deliver("tx", { key: `t${i}` });
  await turns();
  expect(waiting).toHaveLength(3);
  router.deliver("block_proposal", { key: "b" });
  await turns();
  expect(router.verdictOn("b")).toBe("accept");
  waiting[0]({ result: "ignore" });
  await turns();
  expect(waiting).toHaveLength(4);
});

test("a flood of one peer neither displaces nor delays the messages of another beyond its turn", async () => {
  const { waiting, validate } = pending();
  const { router, receiver } = receiving([
    row("tx", validate, { parallel: 1, queue: { messages: 20, bytes: 1_000_000 } }),
  ]);
  for (let i = 0; i < 1_000; i++) router.deliver("tx", { key: `f${i}`, from: "flooder" });
  for (let i = 0; i < 3; i++) router.deliver("tx", { key: `h${i}`, from: "honest" });
  await turns();
  for (let i = 0; i < 7; i++) {
    waiting[i]({ result: "accept" });
    await turns();
  }
  expect(["h0", "h1", "h2"].map((key) => router.verdictOn(key))).toEqual(["accept", "accept", "accept"]);
  const dropped = router.verdicts.filter(({ result }) => result === "ignore");
  expect(dropped.every(({ from }) => from === "flooder")).toBe(true);
  expect(receiver.counts().get("tx")).toMatchObject({ received: 1_003, dropped: dropped.length });
  // All but the one that runs and those that wait.
  expect(router.verdicts.length).toBe(1_003 - (20 - 7));
});

test("a transaction that waited longer than the deadline is ignored unchecked, a proposal is checked all the same", async () => {
  const { waiting, validate } = pending();
  const checked: string[] = [];
  const { router, receiver } = receiving(
    [
      row("tx", validate, { parallel: 1 }),
      row("block_proposal", (payload) => {
        checked.push(Buffer.from(payload).toString());
        return { result: "accept" };
      }),
    ],
    { deadlineMs: -1 },
  );
  router.deliver("tx", { key: "t" });
  router.deliver("block_proposal", { key: "b" });
  await turns();
  expect(router.verdictOn("t")).toBe("ignore");
  expect(waiting).toHaveLength(0);
  expect(checked).toEqual(["b"]);
  expect(receiver.counts().get("tx")).toMatchObject({ late: 1 });
  expect(receiver.counts().get("block_proposal")).toMatchObject({ accepted: 1, late: 1 });
});

test("a message whose id was seen on its topic is ignored, also after gossipsub forgot it", async () => {
  let calls = 0;
  const count: GossipTopic["validate"] = () => {
    calls++;
    return { result: "accept" };
  };
  const { router } = receiving([row("tx", count), row("block_proposal", count)], { seenMessages: 2 });
  router.deliver("tx", { key: "1" });
  router.deliver("tx", { key: "1" });
  router.deliver("block_proposal", { key: "1" });
  await turns();
  expect(router.verdicts.map(({ result }) => result).toSorted()).toEqual(["accept", "accept", "ignore"]);
  expect(calls).toBe(2);
  // The oldest of more than `seenMessages` ids is forgotten.
  for (const key of ["2", "3", "1"]) router.deliver("tx", { key });
  await turns();
  expect(calls).toBe(5);
});

test("a malformed wrapper is rejected at the largest cost on known and unknown topics, each time it arrives", async () => {
  const { router, penalties } = receiving([row("tx", accept)]);
  const data = Uint8Array.of(0, 0, 0, 5, 1);
  for (const topic of [router.subscribed[0], "/aztec/other/0", router.subscribed[0]]) {
    router.deliverRaw(topic, { key: "m", from: "peer", data });
  }
  router.deliverRaw("/aztec/other/0", { key: "n", from: "peer", data: wrapper.wrap(new Uint8Array(3), "tx") });
  await turns();
  expect(router.verdicts.map(({ result }) => result)).toEqual(["reject", "reject", "reject", "ignore"]);
  expect(penalties).toEqual(["peer low", "peer low", "peer low"]);
});

test("a payload that cannot be decoded is rejected at the largest cost, a failure of this node is ignored", async () => {
  const { router, penalties } = receiving([
    row("tx", () => {
      throw new DecodeError("tx", "cut off");
    }),
    row("block_proposal", () => Promise.reject(new Error("the disk is full"))),
  ]);
  router.deliver("tx", { key: "t" });
  router.deliver("block_proposal", { key: "b" });
  await turns();
  expect([router.verdictOn("t"), router.verdictOn("b")]).toEqual(["reject", "ignore"]);
  expect(penalties).toEqual(["peer low"]);
});

test("failures of this node on a topic are logged as errors every ten seconds at most", async () => {
  const errors: object[] = [];
  const failing: GossipTopic["validate"] = () => Promise.reject(new Error("no proof verifier"));
  const { router } = receiving([row("tx", failing), row("block_proposal", failing)], {
    logger: { ...silentLogger, error: (facts) => void errors.push(facts) },
  });
  for (let i = 0; i < 50; i++) router.deliver("tx", { key: `t${i}` });
  router.deliver("block_proposal", { key: "b" });
  await turns(20);
  expect(router.verdicts).toHaveLength(51);
  expect(errors).toHaveLength(2);
});

test("a rejected message makes gossipsub compute its sender's score anew", async () => {
  const { router } = receiving([row("tx", () => ({ result: "reject" }))]);
  router.score.scoreCache.set("peer", {}).set("other", {});
  router.acceptFromWhitelist.set("peer", {});
  router.deliver("tx", { key: "t" });
  await turns();
  expect([...router.score.scoreCache.keys()]).toEqual(["other"]);
  expect(router.acceptFromWhitelist.size).toBe(0);
});

test("work that a message causes starts after its verdict, also for a rejected one, and its failure is logged", async () => {
  const events: string[] = [];
  const errors: object[] = [];
  const { router } = receiving(
    [
      row("checkpoint_proposal", (payload) => ({
        result: Buffer.from(payload).toString() === "bad" ? "reject" : "accept",
        async process() {
          events.push(`processing after ${router.verdicts.length} verdicts`);
          throw new Error("a defect");
        },
      })),
    ],
    { logger: { ...silentLogger, error: (facts) => void errors.push(facts) } },
  );
  router.deliver("checkpoint_proposal", { key: "good" });
  await turns();
  router.deliver("checkpoint_proposal", { key: "bad" });
  await turns();
  expect(events).toEqual(["processing after 1 verdicts", "processing after 2 verdicts"]);
  expect(errors).toHaveLength(2);
});

test("a validation that never ends gives up its place after a minute", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { waiting, validate } = pending();
  const { router } = receiving([row("tx", validate, { parallel: 1 })]);
  for (const key of ["1", "2"]) router.deliver("tx", { key });
  await turns();
  expect(waiting).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  await turns();
  expect(waiting).toHaveLength(2);
  waiting[0]({ result: "accept" });
  await turns();
  expect(router.verdictOn("1")).toBe("accept");
});

test("a stopped receiver validates, reports and logs nothing more", async () => {
  const { waiting, validate } = pending();
  const errors: object[] = [];
  const failing = Promise.withResolvers<GossipOutcome>();
  const { router, receiver } = receiving(
    [row("tx", validate, { parallel: 1 }), row("block_proposal", () => failing.promise)],
    { logger: { ...silentLogger, error: (facts) => void errors.push(facts) } },
  );
  router.deliver("block_proposal", { key: "b" });
  for (const key of ["1", "2"]) router.deliver("tx", { key });
  await turns();
  receiver.stop();
  waiting[0]({ result: "accept" });
  failing.reject(new Error("the store is closed"));
  router.deliver("tx", { key: "3" });
  await turns();
  expect(waiting).toHaveLength(1);
  expect(errors).toEqual([]);
  expect(router.verdicts).toEqual([]);
});

test("a receiver has stopped once its running validations have ended", async () => {
  const { waiting, validate } = pending();
  const { router, receiver } = receiving([row("tx", validate)]);
  for (const key of ["1", "2"]) router.deliver("tx", { key });
  await turns();
  let isStopped = false;
  const stopped = receiver.stop().then(() => {
    isStopped = true;
  });
  waiting[0]({ result: "accept" });
  await turns();
  expect(isStopped).toBe(false);
  waiting[1]({ result: "accept" });
  await stopped;
});

test("a receiver with a validation that never ends has stopped after two seconds", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { router, receiver } = receiving([row("tx", () => new Promise(() => {}))]);
  router.deliver("tx", { key: "1" });
  await turns();
  const stopped = receiver.stop();
  vi.advanceTimersByTime(2_000);
  await stopped;
});

test("a message without a readable wrapper counts as received and rejected", () => {
  const { router, receiver } = receiving([row("tx", accept)]);
  router.deliverRaw(`/aztec/tx/${VERSION}`, { key: "1", from: "peer", data: Uint8Array.of(0, 0, 0, 9, 1) });
  expect(receiver.counts().get("tx")).toMatchObject({ received: 1, rejected: 1 });
});

test("a stopped receiver says when what its messages caused has ended", async () => {
  const work = Promise.withResolvers<void>();
  const { router, receiver } = receiving([row("tx", () => ({ result: "accept", process: () => work.promise }))]);
  router.deliver("tx", { key: "1" });
  await turns();
  await receiver.stop();
  let isProcessed = false;
  const processed = receiver.processed().then(() => {
    isProcessed = true;
  });
  await turns();
  expect(isProcessed).toBe(false);
  work.reject(new Error("the node stops"));
  await processed;
});
