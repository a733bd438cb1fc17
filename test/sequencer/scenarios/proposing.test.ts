import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { readBigUint, toHex } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { Follower } from "../../world/node/follower.ts";
import { ControlledL1, PUBLISHER, PUBLISHER_KEY } from "../../world/sequencer/l1-control.ts";
import { ProposingNode, until } from "../../world/sequencer/proposing-node.ts";
import { Traffic } from "./pool-traffic.ts";

/** Generous, because the tests wait for other processes on a machine that may be busy. */
const LIMIT = { timeout: 600_000 };

let l1: ControlledL1;
let node: ProposingNode;
let traffic: Traffic;

beforeAll(async () => {
  l1 = await ControlledL1.start();
  traffic = new Traffic();
  node = await ProposingNode.start(l1, {
    SEQ_PUBLISHER_PRIVATE_KEY: PUBLISHER_KEY,
    BLOB_FILE_STORE_UPLOAD_URL: l1.recorded.chain.blobStore,
  });
}, 300_000);
afterAll(async () => {
  await node?.remove();
  l1?.stop();
});

const checkpoints = () => node.parts.chain.latestCheckpointNumber();
const idle = () => until(() => node.sequencer.status().state !== "PUBLISHING_CHECKPOINT");

/** Pauses the sequencer and waits until the checkpoint that it may have begun is published and read from L1. */
async function pauseAndSettle(): Promise<void> {
  await node.admin("svcAdmin_pauseSequencer");
  await until(() => {
    const { state, lastPublished } = node.sequencer.status();
    return state === "IDLE" && checkpoints() >= (lastPublished?.checkpointNumber ?? 0);
  });
}

/** Proposes a checkpoint with one tx in the next slot. Returns its number. */
async function propose(): Promise<number> {
  const number = checkpoints() + 1;
  const slot = await node.nextSlot();
  const hash = await traffic.send(node);
  await until(() => checkpoints() >= number);
  await until(() => node.sequencer.status().lastPublished?.checkpointNumber === number);
  expect(node.sequencer.status().lastPublished).toMatchObject({ slot, checkpointNumber: number });
  expect(await node.rpc("node_getTxReceipt", [hash])).toMatchObject({ executionResult: "success" });
  return number;
}

test("a sequencer proposes the next checkpoints at the predicted fees", LIMIT, async () => {
  const predictions: { number: number; fees: bigint[] }[] = [];
  for (let i = 0; i < 3; i++) {
    const number = await propose();
    const predicted = await node.parts.reader.fees.predictedMinFees("none");
    predictions.push({ number, fees: predicted.map(({ feePerL2Gas }) => feePerL2Gas) });
  }
  for (const { number, fees } of predictions.slice(0, -1)) {
    const { header } = node.parts.chain.checkpoint(number + 1)!;
    // The checkpoint is for one of the next slots, so its price is one of the predicted ones.
    expect(fees).toContain(readBigUint(header, CHECKPOINT_AT.feePerL2Gas, 16));
  }
});

test("a sequencer gives a block's tx the status proposed before L1 has it, and checkpointed after", LIMIT, async () => {
  await idle();
  await l1.automine(false);
  try {
    const number = checkpoints() + 1;
    await node.nextSlot();
    const hash = await traffic.send(node);
    await until(async () => (await node.rpc<{ status: string }>("node_getTxReceipt", [hash])).status === "proposed");
    expect(checkpoints()).toBe(number - 1);
    await until(async () => {
      await l1.call("evm_mine");
      return checkpoints() === number;
    });
    expect(await node.rpc("node_getTxReceipt", [hash])).toMatchObject({ status: "checkpointed" });
  } finally {
    await l1.automine(true);
  }
});

test("a sequencer continues when a publisher has no funds, and logs it", LIMIT, async () => {
  await idle();
  const balance = await l1.call("eth_getBalance", [PUBLISHER, "latest"]);
  const failures = node.sequencer.status().slots["publishing failed"];
  await l1.call("anvil_setBalance", [PUBLISHER, "0x0"]);
  await node.nextSlot();
  await traffic.send(node);
  await until(() => node.lines("checkpoint {checkpointNumber} of slot {slot} was not published").length > 0);
  await l1.call("anvil_setBalance", [PUBLISHER, balance]);
  await propose();
  expect(node.sequencer.status().slots["publishing failed"]).toBe(failures + 1);
  const lines = node.lines("slot {slot} passed without a checkpoint of this node: {reason}");
  expect(lines.find(({ reason }) => reason === "publishing failed")?.why).toMatch(/fund|balance/i);
});

test("a sequencer continues after an L1 reorganization removes a checkpoint", LIMIT, async () => {
  await propose();
  await idle();
  const snapshot = await l1.call("evm_snapshot");
  const number = await propose();
  const before = node.parts.chain.checkpoint(number)!.archiveRoot;
  await idle();
  await l1.call("evm_revert", [snapshot]);
  await until(async () => {
    await node.nextSlot();
    return checkpoints() < number;
  });
  await until(async () => {
    if (checkpoints() >= number) return true;
    if (node.parts.mempool.pool.pendingCount === 0) await traffic.send(node);
    return false;
  });
  expect(toHex(node.parts.chain.checkpoint(number)!.archiveRoot)).not.toBe(toHex(before));
});

test("a sequencer drops a tx that no block can include, with its reason", LIMIT, async () => {
  await idle();
  node.sequencer.pause();
  // The pool accepts it now, but it expires before the start of the next slot.
  const { l1GenesisTime, slotDuration } = node.constants;
  const slot = await node.nextSlot();
  const expiration = BigInt(l1GenesisTime + slot * slotDuration + 1);
  const doomed = await traffic.send(node, { expiration, priorityFee: 100n });
  const good = await traffic.send(node);
  await node.nextSlot();
  node.sequencer.resume();
  await until(async () => (await node.rpc<{ status: string }>("node_getTxReceipt", [good])).status !== "pending");
  expect(await node.rpc("node_getTxReceipt", [doomed])).toMatchObject({ status: "dropped" });
});

test("a sequencer can be paused and resumed over the admin port", LIMIT, async () => {
  await pauseAndSettle();
  const number = checkpoints();
  await node.nextSlot();
  const hash = await traffic.send(node);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await node.rpc("node_getTxReceipt", [hash])).toMatchObject({ status: "pending" });
  await node.admin("svcAdmin_resumeSequencer");
  await until(() => checkpoints() > number);
  // A pause ends the wait for txs in the slot, which would still be for one.
  await pauseAndSettle();
  expect(checkpoints()).toBe(number + 1);
  await node.admin("nodeAdmin_setConfig", [{ minTxsPerBlock: 2 }]);
  try {
    expect(await node.admin("nodeAdmin_getConfig")).toMatchObject({ minTxsPerBlock: 2 });
    await node.admin("svcAdmin_resumeSequencer");
    await node.nextSlot();
    await traffic.send(node);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(checkpoints()).toBe(number + 1);
    await traffic.send(node);
    await until(() => checkpoints() > number + 1);
  } finally {
    await node.admin("nodeAdmin_setConfig", [{ minTxsPerBlock: 1 }]);
  }
});

test(
  "a sequencer refuses a configuration that leaves no time for a block, naming field and rule, and keeps its settings",
  LIMIT,
  async () => {
    const before = await node.admin("nodeAdmin_getConfig");
    const timetable = node.sequencer.timetable;
    const refusals: [config: object, message: RegExp][] = [
      [
        { l1PublishingTime: 70 },
        /^l1PublishingTime: .*initialize deadline cannot be negative .*slot of 72 s is too short/,
      ],
      [
        { blockDurationMs: 60_000, minTxsPerBlock: 3 },
        /^blockDurationMs: a slot of 72 s has no room for a block of 60 s/,
      ],
      [{ attestationPropagationTime: 40 }, /^attestationPropagationTime: .*slot of 72 s is too short/],
    ];
    for (const [config, message] of refusals) {
      await expect(node.admin("nodeAdmin_setConfig", [config])).rejects.toThrow(message);
      expect(await node.admin("nodeAdmin_getConfig")).toEqual(before);
      expect(node.sequencer.timetable).toBe(timetable);
    }
    await propose();
  },
);

test("another node follows the sequencer to the same tips and roots", LIMIT, async () => {
  await idle();
  const follower = await Follower.fresh(loadCore(), {
    l1RpcUrls: [l1.url],
    blobStore: fileURLToPath(l1.recorded.chain.blobStore),
  });
  try {
    const { chain } = follower.services;
    const own = node.parts.chain;
    expect(chain.tips().checkpointed).toEqual(own.tips().checkpointed);
    for (let number = 60; number <= own.checkpointedBlockNumber(); number++) {
      expect(toHex(chain.block(number)!.header)).toBe(toHex(own.block(number)!.header));
      expect(toHex(chain.block(number)!.archiveRoot)).toBe(toHex(own.block(number)!.archiveRoot));
    }
    const slots = Array.from({ length: own.latestCheckpointNumber() - 59 }, (_, i) =>
      checkpointSlot(own.checkpoint(60 + i)!.header),
    );
    expect(slots).toEqual([...new Set(slots)].sort((a, b) => a - b));
  } finally {
    await follower.remove();
  }
});
