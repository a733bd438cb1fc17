import { inspect } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { PublishOutcome } from "../../../src/sequencer/publisher/types.ts";
import { type Moment, type RecordedBlock, ReplayedL1 } from "../../world/l1/replayed-l1.ts";
import { type RecordedProposal, recordedProposal } from "../../world/sequencer/recorded-proposals.ts";
import { type L1Proxy, startL1Proxy } from "../support/l1-proxy.ts";
import { type Opened, openRecordedPublisher, until, waiting } from "../support/publishing.ts";

const SENDER = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
const kzg = new Kzg();
let l1: ReplayedL1;
let rollup: ConnectedRollup;

/** Reverts L1 to the block before the one in which a checkpoint was proposed. */
async function standBefore(checkpoint: number): Promise<{ block: RecordedBlock; recorded: RecordedProposal }> {
  await l1.replayToCheckpoint(checkpoint - 1);
  while (!l1.next!.proposes) await l1.replayTo(l1.next!.number);
  await l1.prove((await l1.tips()).pending);
  const block = l1.next!;
  // State that was written to L1 directly is visible from the next block on.
  return { block, recorded: recordedProposal(block, checkpoint) };
}

/** For what L1 does not answer. */
const TIMEOUT_MS = 3_000;

beforeAll(async () => {
  kzg.load("library");
  l1 = await ReplayedL1.start();
  await l1.replayToCheckpoint(1);
  rollup = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: l1.registryAddress,
    ethereumSlotDuration: 12,
  });
});
afterAll(async () => {
  await kzg.close();
  await l1?.stop();
});

test("a publisher publishes recorded checkpoints with the recorded calldata", async () => {
  for (let checkpoint = 2; checkpoint <= 4; checkpoint++) {
    const { block, recorded } = await standBefore(checkpoint);
    const { publication } = recorded;
    const { publisher, close } = await openRecordedPublisher({
      url: l1.url,
      identity: rollup.identity,
      kzg,
      now: block.timestamp,
    });
    const published = publisher.publishCheckpoint({ ...publication, timeoutAt: (block.timestamp + 60) * 1000 });
    await until(async () => (await waiting(l1)).length > 0, "a transaction");
    await l1.mine({ timestamp: block.timestamp, baseFee: block.baseFee });
    l1.skipTo(block.number + 1);
    const outcome = await published;
    await close();
    expect(outcome).toEqual({ kind: "published", txHash: expect.any(String), l1BlockNumber: await l1.height() });
    const { txHash } = outcome as Extract<PublishOutcome, { kind: "published" }>;
    const tx = await l1.request<{ input: string }>("eth_getTransactionByHash", txHash);
    expect(tx.input).toBe(recorded.input);
    expect(toHex(await rollup.archiveAt(checkpoint))).toBe(toHex(publication.checkpoint.archiveRoot));
  }
});

describe("publishing checkpoint 5", () => {
  let moment: Moment;
  let block: RecordedBlock;
  let recorded: RecordedProposal;
  let proxy: L1Proxy;
  let opened: Opened;

  beforeAll(async () => {
    ({ block, recorded } = await standBefore(5));
    proxy = await startL1Proxy(l1.url);
  });
  beforeEach(async () => {
    moment = await l1.mark();
    proxy.rule = () => "pass";
    const { identity } = rollup;
    opened = await openRecordedPublisher({
      url: proxy.url,
      identity,
      kzg,
      now: block.timestamp,
      timeoutMs: TIMEOUT_MS,
    });
  });
  afterEach(async () => {
    await opened.close();
    await l1.request("anvil_dropAllTransactions");
    await l1.returnTo(moment);
  });
  afterAll(() => proxy?.stop());

  const publish = (seconds = 60) =>
    opened.publisher.publishCheckpoint({ ...recorded.publication, timeoutAt: (block.timestamp + seconds) * 1000 });
  const mined = (after = 0, baseFee = block.baseFee) => l1.mine({ timestamp: block.timestamp + after, baseFee });
  const sent = async () => {
    await until(async () => (await waiting(l1)).length > 0, "a transaction").catch((error: Error) => {
      throw new Error(`${error.message}; the log: ${inspect(opened.lines)}`);
    });
  };
  const said = (message: string) => opened.lines.filter((line) => line.message === message);

  test("a checkpoint is not sent if the rollup would reject it, and the log names the rollup's error", async () => {
    const { checkpoint } = recorded.publication;
    const header = Uint8Array.from(checkpoint.header);
    header[31] ^= 1;
    const outcome = await opened.publisher.publishCheckpoint({
      ...recorded.publication,
      checkpoint: { ...checkpoint, header },
      timeoutAt: (block.timestamp + 60) * 1000,
    });
    expect(outcome).toEqual({ kind: "rejected", reason: expect.stringMatching(/^Rollup__InvalidArchive\(/) });
    expect(said("checkpoint {checkpointNumber} of slot {slot} was not published")[0].facts).toMatchObject({
      slot: recorded.publication.slot,
      ...outcome,
    });
    expect(await waiting(l1)).toEqual([]);
  });

  test("a checkpoint is not sent by an account without funds", async () => {
    await l1.request("anvil_setBalance", SENDER, "0x1");
    expect(await publish()).toEqual({ kind: "rejected", reason: expect.stringMatching(/insufficient funds/i) });
    expect(await waiting(l1)).toEqual([]);
  });

  test("a checkpoint expires with its slot, and needs an account of its attester", async () => {
    const late = await openRecordedPublisher({
      url: l1.url,
      identity: rollup.identity,
      kzg,
      now: block.timestamp + 1000,
    });
    const publication = { ...recorded.publication, timeoutAt: (block.timestamp + 60) * 1000 };
    expect((await late.publisher.publishCheckpoint(publication)).kind).toBe("expired");
    await late.close();
    const stranger = { ...publication, attester: `0x${"11".repeat(20)}` };
    expect((await opened.publisher.publishCheckpoint(stranger)).kind).toBe("no publisher");
  });

  test("a checkpoint is not sent while L1 does not answer", async () => {
    proxy.rule = () => "swallow";
    expect(await publish()).toEqual({ kind: "rejected", reason: expect.stringMatching(/no complete answer/) });
    expect(await waiting(l1)).toEqual([]);
  });

  test("a checkpoint times out by the local clock when L1 stops answering", async () => {
    const { identity } = rollup;
    const constants = { ...identity.constants, ethereumSlotDuration: 1 };
    const where = { url: proxy.url, identity: { ...identity, constants }, timeoutMs: TIMEOUT_MS };
    const hasty = await openRecordedPublisher({ ...where, kzg, now: block.timestamp });
    const timeoutAt = (block.timestamp + 3) * 1000;
    const published = hasty.publisher.publishCheckpoint({ ...recorded.publication, timeoutAt });
    await sent();
    proxy.rule = () => "swallow";
    expect(await published).toEqual({ kind: "timed out", reason: "L1 did not answer in time" });
    await hasty.close();
  });

  test("a checkpoint is published when only the response to sending it was lost", async () => {
    proxy.rule = (methods) => (methods.includes("eth_sendRawTransaction") ? "forward silently" : "pass");
    const published = publish();
    await sent();
    await mined();
    expect((await published).kind).toBe("published");
    expect(said("L1 call failed, trying again")[0].facts).toMatchObject({
      method: "eth_sendRawTransaction",
      failures: [expect.stringContaining(`no complete answer within ${TIMEOUT_MS} ms`)],
    });
  });

  test("a checkpoint is sent again with higher fees when L1 does not mine it", async () => {
    const published = publish();
    await sent();
    const [first] = await waiting(l1);
    await mined(0, 150e9);
    await mined(12, 150e9);
    await until(() => said("sent an L1 tx again with higher fees").length === 1, "another attempt");
    const [second] = await waiting(l1);
    expect(second).not.toBe(first);
    await mined(13);
    expect(await published).toMatchObject({ kind: "published", txHash: second });
    const { input } = await l1.request<{ input: string }>("eth_getTransactionByHash", second);
    expect(input).toBe(recorded.input);
  });

  test("a checkpoint is cancelled when it times out before L1 mines it", async () => {
    const published = publish(5);
    await sent();
    await mined(6, 150e9);
    expect(await published).toMatchObject({ kind: "timed out", reason: expect.stringMatching(/deadline/) });
    await until(() => said("sent the cancellation of an L1 tx").length === 1, "a cancellation");
    const [cancellation] = await waiting(l1);
    await mined(7);
    await until(() => said("the cancellation of an L1 tx was mined").length === 1, "the cancellation's end");
    const tx = await l1.request<{ to: string; input: string; blobVersionedHashes: string[] }>(
      "eth_getTransactionByHash",
      cancellation,
    );
    expect(tx).toMatchObject({ to: SENDER, input: "0x" });
    expect(tx.blobVersionedHashes).toHaveLength(1);
    expect((await l1.tips()).pending).toBe(4);
  });

  test("a checkpoint is given up when another transaction of the account used its nonce", async () => {
    const published = publish();
    await sent();
    await l1.request("anvil_dropAllTransactions");
    const nonce = await l1.request<string>("eth_getTransactionCount", SENDER, "latest");
    const gasPrice = "0x174876e800";
    await l1.request("eth_sendTransaction", { from: SENDER, to: SENDER, value: "0x1", nonce, gasPrice });
    await mined();
    expect(await published).toEqual({
      kind: "rejected",
      reason: expect.stringMatching(/nonce \d+ was used by another/),
    });
    expect((await l1.tips()).pending).toBe(4);
  });

  test("a checkpoint is published again after a reorganisation removed it", async () => {
    const published = publish();
    await sent();
    await mined();
    expect((await published).kind).toBe("published");
    await l1.request("anvil_rollback", 1);
    await l1.request("anvil_dropAllTransactions");
    expect((await l1.tips()).pending).toBe(4);
    const again = publish();
    await sent();
    await mined();
    expect((await again).kind).toBe("published");
    expect((await l1.tips()).pending).toBe(5);
  });

  test("a checkpoint is not published twice for one slot", async () => {
    const first = publish();
    expect(await publish()).toMatchObject({ kind: "rejected", reason: expect.stringMatching(/is being published/) });
    await sent();
    await mined();
    expect((await first).kind).toBe("published");
    expect(await publish()).toMatchObject({
      kind: "rejected",
      reason: expect.stringMatching(/SlotAlreadyInChain|InvalidArchive/),
    });
  });
});
