import { afterAll, beforeAll, expect, test } from "vitest";
import { headerSlotNumber, headerTimestamp } from "../../../src/protocol/block-header.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { slotTimestamp } from "../../../src/protocol/time.ts";
import { ControlledL1, PUBLISHER_KEY } from "../../world/sequencer/l1-control.ts";
import { ProposingNode, until } from "../../world/sequencer/proposing-node.ts";
import { Traffic } from "./pool-traffic.ts";

/** A slot of 72 s, with one second to publish on a development chain, has room for seven blocks of 8 s. */
const BLOCK_SECONDS = 8;
const LIMIT = { timeout: 300_000 };

let l1: ControlledL1;
let proposer: ProposingNode;
let follower: ProposingNode;
let traffic: Traffic;

beforeAll(async () => {
  l1 = await ControlledL1.start();
  traffic = new Traffic();
  proposer = await ProposingNode.start(l1, {
    SEQ_PUBLISHER_PRIVATE_KEY: PUBLISHER_KEY,
    SEQ_BLOCK_DURATION_MS: String(BLOCK_SECONDS * 1000),
    BLOB_FILE_STORE_UPLOAD_URL: l1.recorded.chain.blobStore,
  });
  follower = await ProposingNode.start(l1);
}, 300_000);
afterAll(async () => {
  await follower?.remove();
  await proposer?.remove();
  l1?.stop();
});

const statusOf = async (hash: string) => (await proposer.rpc<{ status: string }>("node_getTxReceipt", [hash])).status;

/** Moves the proposer's clock, but not L1, to a time in seconds into the slot, counted from its build start. */
function moveInto(slot: number, seconds: number): void {
  const { l1GenesisTime, slotDuration, ethereumSlotDuration } = proposer.constants;
  const begin = l1GenesisTime + slot * slotDuration - ethereumSlotDuration;
  proposer.parts.clock.set((begin + seconds) * 1000);
}

/**
 * Proposes a checkpoint of the given number of blocks with one tx each. Returns its number and the hashes of the txs.
 */
async function propose(blocks: number): Promise<{ number: number; slot: number; hashes: string[] }> {
  const { chain } = proposer.parts;
  const number = chain.latestCheckpointNumber() + 1;
  const slot = await proposer.nextSlot();
  await until(() => proposer.sequencer.status().state === "WAITING_FOR_TXS");
  const hashes: string[] = [];
  for (let i = 0; i < blocks; i++) {
    const hash = await traffic.send(proposer);
    hashes.push(hash);
    await until(async () => (await statusOf(hash)) === "proposed");
    expect(chain.latestCheckpointNumber()).toBe(number - 1);
    // The first 12 s of the slot passed before L1 reached it, and with them the time of the first block.
    moveInto(slot, 1 + (2 + i) * BLOCK_SECONDS + 0.1);
  }
  moveInto(slot, 1 + 7 * BLOCK_SECONDS - 1);
  await until(() => chain.latestCheckpointNumber() >= number);
  await until(() => proposer.sequencer.status().lastPublished?.checkpointNumber === number);
  return { number, slot, hashes };
}

test("a slot has room for seven blocks", () => {
  expect(proposer.sequencer.timetable).toMatchObject({ maxBlocks: 7, blockDuration: BLOCK_SECONDS });
});

test.each([2, 3])("a sequencer publishes %i blocks to L1 as one checkpoint", LIMIT, async (blocks) => {
  const { number, slot, hashes } = await propose(blocks);
  const { chain } = proposer.parts;
  const first = chain.checkpoint(number)!.startBlock;
  const counts = { firstBlock: first, lastBlock: first + blocks - 1, txs: blocks };
  expect(proposer.sequencer.status().lastPublished).toMatchObject({ slot, checkpointNumber: number, ...counts });
  for (const [i, hash] of hashes.entries()) {
    expect(headerSlotNumber(chain.block(first + i)!.header)).toBe(slot);
    const receipt = { status: "checkpointed", executionResult: "success", blockNumber: first + i };
    expect(await proposer.rpc("node_getTxReceipt", [hash])).toMatchObject(receipt);
  }
  const timestamps = hashes.map((_, i) => headerTimestamp(chain.block(first + i)!.header));
  expect(new Set(timestamps)).toEqual(new Set([BigInt(slotTimestamp(slot, proposer.constants))]));
});

test("another node follows the sequencer to the same tips and roots", LIMIT, async () => {
  const own = proposer.parts.chain;
  const other = follower.parts.chain;
  await follower.followClock();
  await until(() => other.latestCheckpointNumber() >= own.latestCheckpointNumber());
  expect(other.tips().checkpointed).toEqual(own.tips().checkpointed);
  expect(other.tips().proposed).toEqual(own.tips().proposed);
  const last = own.checkpointedBlockNumber();
  for (let number = last - 4; number <= last; number++) {
    expect(toHex(other.block(number)!.header)).toBe(toHex(own.block(number)!.header));
    expect(toHex(other.block(number)!.archiveRoot)).toBe(toHex(own.block(number)!.archiveRoot));
  }
});
