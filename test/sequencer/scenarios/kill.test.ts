import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { CHECKPOINT_PROPOSED_TOPIC } from "../../../src/l1/checkpoints/proposed-event.ts";
import { checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { type L1Constants, slotTimestamp } from "../../../src/protocol/time.ts";
import { rounds } from "../../support/soak.ts";
import { Follower } from "../../world/node/follower.ts";
import { ControlledL1, RECORDED_ROLLUP } from "../../world/sequencer/l1-control.ts";
import { type LogLine, slotAfter, until } from "../../world/sequencer/proposing-node.ts";
import { KillableSequencer } from "./killable-sequencer.ts";
import { Traffic } from "./pool-traffic.ts";

let l1: ControlledL1;
let dataDirectory: string;
/** The running process, or the last one. */
let node: KillableSequencer;
const traffic = new Traffic();

beforeAll(async () => {
  l1 = await ControlledL1.start();
  dataDirectory = mkdtempSync(join(tmpdir(), "svc-sequencer-kill-"));
});
afterAll(async () => {
  await node?.kill();
  l1?.stop();
  if (dataDirectory) rmSync(dataDirectory, { recursive: true, force: true });
});

/** A step of a checkpoint, recognized by the log line at its start, and whether L1 mines transactions during it. */
interface Step {
  name: string;
  begins(line: LogLine): boolean;
  mining: boolean;
}
const entering = (state: string, mining = true): Step => ({
  name: `entering ${state}${mining ? "" : " while L1 mines nothing"}`,
  begins: ({ msg, newState }) => msg === "sequencer state" && newState === state,
  mining,
});
const saying = (text: string, mining = true): Step => ({
  name: `saying "${text}"${mining ? "" : " while L1 mines nothing"}`,
  begins: ({ msg }) => msg === text,
  mining,
});
const STEPS: readonly Step[] = [
  entering("PROPOSER_CHECK"),
  entering("INITIALIZING_CHECKPOINT"),
  saying("beginning a checkpoint"),
  entering("WAITING_FOR_TXS"),
  entering("CREATING_BLOCK"),
  saying("built block {block} of slot {slot} with {txs:tx} in {ms} ms"),
  saying("stored the block as proposed"),
  entering("ASSEMBLING_CHECKPOINT"),
  entering("COLLECTING_ATTESTATIONS"),
  entering("PUBLISHING_CHECKPOINT"),
  saying("sent an L1 tx"),
  saying("sent an L1 tx", false),
  saying("published checkpoint {checkpointNumber} of slot {slot} in L1 block {l1BlockNumber}"),
  saying("published a checkpoint"),
];
interface Kill {
  /** Undefined: any. */
  step: Step | undefined;
  delayMs: () => number;
}

/** Of the short form. */
const FIRST = randomInt(6);

const atItsStart = (step: Step): Kill => ({ step, delayMs: () => 0 });
const aMomentLater = (step: Step): Kill => ({ step, delayMs: () => Math.random() * 40 });

/** Each step at its start and a moment later, and a few kills at random times. */
const ALL_KILLS: readonly Kill[] = [
  ...STEPS.flatMap((step) => [atItsStart(step), aMomentLater(step)]),
  ...Array.from({ length: 6 }, () => ({ step: undefined, delayMs: () => Math.random() * 1500 })),
];
/** Every sixth in the short form, from another first one in each run. */
const KILLS = rounds(
  ALL_KILLS,
  ALL_KILLS.filter((_, i) => i % 6 === FIRST),
);

async function constantsOf(node: KillableSequencer): Promise<L1Constants> {
  const answer = await untilAnswered(() => node.rpc<Record<keyof L1Constants, number | string>>("svc_getL1Constants"));
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, Number(value)]),
  ) as unknown as L1Constants;
}

async function beginSlot(constants: L1Constants): Promise<number> {
  await l1.proveAll(RECORDED_ROLLUP);
  const { timestamp } = await l1.latest();
  const slot = slotAfter(Math.max(timestamp, Date.now() / 1000), constants);
  await l1.warpTo(slotTimestamp(slot, constants));
  return slot;
}

/** Retries on connection errors: on a busy machine a connection may end between two requests. */
function untilAnswered<T>(ask: () => Promise<T | false>): Promise<T> {
  return until<T>(() => ask().catch((): false => false));
}

const send = (node: KillableSequencer) => node.rpc("node_sendTx", [traffic.make().json]);

/** Kills the node at a step of a checkpoint, restarts it, and waits until it proposes the next checkpoint. */
async function killAndRestart(constants: L1Constants, { step, delayMs }: Kill): Promise<void> {
  const reached = step && node.line((line) => step.begins(line));
  if (step?.mining === false) await l1.automine(false);
  await beginSlot(constants);
  await untilAnswered(() => send(node).then(() => true));
  await reached;
  await sleep(delayMs());
  await node.kill();
  if (step?.mining === false) {
    await l1.automine(true);
    await l1.call("evm_mine");
  }
  node = await KillableSequencer.start(l1, dataDirectory);
  await untilAnswered(() => node.rpc<boolean>("node_isReady"));
  // The chain continues: a new checkpoint comes, in a slot of its own.
  await beginSlot(constants);
  await untilAnswered(() => send(node).then(() => true));
  const published = await until(() => node.log.find(({ msg }) => msg === "published a checkpoint"));
  await untilAnswered(
    async () => (await node.rpc<number>("node_getCheckpointNumber")) >= Number(published.checkpointNumber),
  );
}

test(`a sequencer continues after each of ${KILLS.length} kills and proposes nothing twice`, {
  timeout: 3_600_000,
}, async () => {
  node = await KillableSequencer.start(l1, dataDirectory);
  await untilAnswered(() => node.rpc<boolean>("node_isReady"));
  const constants = await constantsOf(node);
  const started = await untilAnswered(() => node.rpc<number>("node_getCheckpointNumber"));
  for (const kill of KILLS) {
    try {
      await killAndRestart(constants, kill);
    } catch (error) {
      const tail = node.log.filter(({ level }) => level > 20).slice(-40);
      const lines = tail.map((line) => JSON.stringify(line)).join("\n");
      throw new Error(`after a kill ${kill.step?.name ?? "at some instant"}: ${error}\n${lines}`, { cause: error });
    }
  }
  const last = await untilAnswered(() => node.rpc<number>("node_getCheckpointNumber"));
  expect(last - started).toBeGreaterThanOrEqual(KILLS.length);
  await expectNothingTwice(started);
});

async function expectNothingTwice(started: number): Promise<void> {
  const filter = { address: RECORDED_ROLLUP, fromBlock: "0x0", topics: [CHECKPOINT_PROPOSED_TOPIC] };
  const events = await l1.call<{ topics: string[] }[]>("eth_getLogs", [filter]);
  const numbers = events.map(({ topics }) => Number(topics[1])).filter((number) => number > started);
  const last = await untilAnswered(() => node.rpc<number>("node_getCheckpointNumber"));
  expect(numbers).toEqual(Array.from({ length: last - started }, (_, i) => started + 1 + i));

  const follower = await Follower.fresh(loadCore(), { l1RpcUrls: [l1.url] });
  try {
    const { chain, world } = follower.services;
    const slots = numbers.map((number) => checkpointSlot(chain.checkpoint(number)!.header));
    expect(new Set(slots).size).toBe(slots.length);
    const tips = await node.rpc<{ proposed: { number: number; hash: string } }>("node_getL2Tips");
    expect(chain.tips().proposed).toEqual(tips.proposed);
    expect(world.status().tip).toBe(tips.proposed.number);
  } finally {
    await follower.remove();
  }
}
