import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serialize } from "node:v8";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { connectRollup } from "../../../src/l1/rollup/connect.ts";
import type { ConnectedRollup } from "../../../src/l1/types.ts";
import type { CheckpointToPublish } from "../../../src/sequencer/publisher/types.ts";
import { NODE_OPTIONS } from "../../support/program.ts";
import { type Moment, type RecordedBlock, ReplayedL1 } from "../../world/l1/replayed-l1.ts";
import { recordedProposal } from "../../world/sequencer/recorded-proposals.ts";
import { type L1Proxy, startL1Proxy } from "../support/l1-proxy.ts";
import { openRecordedPublisher, until, waiting } from "../support/publishing.ts";

const CHECKPOINT = 2;
const kzg = new Kzg();
let l1: ReplayedL1;
let rollup: ConnectedRollup;
let proxy: L1Proxy;
let block: RecordedBlock;
let publication: CheckpointToPublish;
let moment: Moment;
let folder: string;
let child: ChildProcess | undefined;
let proven: { commitment: Uint8Array; proofs: Uint8Array[] };

beforeAll(async () => {
  kzg.load("library");
  l1 = await ReplayedL1.start();
  await l1.replayToCheckpoint(CHECKPOINT - 1);
  rollup = await connectRollup({
    l1RpcUrls: [l1.url],
    l1ChainId: 31337,
    registryAddress: l1.registryAddress,
    ethereumSlotDuration: 12,
  });
  while (!l1.next!.proposes) await l1.replayTo(l1.next!.number);
  await l1.prove((await l1.tips()).pending);
  block = l1.next!;
  publication = { ...recordedProposal(block, CHECKPOINT).publication, timeoutAt: (block.timestamp + 60) * 1000 };
  proven = await kzg.prove(publication.checkpoint.blobs[0], false);
  proxy = await startL1Proxy(l1.url);
});
afterAll(async () => {
  await kzg.close();
  await proxy?.stop();
  await l1?.stop();
});
beforeEach(async () => {
  moment = await l1.mark();
  folder = mkdtempSync(join(tmpdir(), "publisher-"));
});
afterEach(async () => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  await l1.request("anvil_dropAllTransactions");
  await l1.returnTo(moment);
});

/** Publishes in a process that is killed at its first request of `method`, before or after L1 has received it. */
async function killedAt(method: string, rule: "swallow" | "forward silently", mineWhenSent: boolean): Promise<void> {
  let reached = false;
  proxy.rule = (methods) => {
    if (!reached && !methods.includes(method)) return "pass";
    reached = true;
    return rule;
  };
  const file = join(folder, "input");
  const input = { url: proxy.url, identity: rollup.identity, now: block.timestamp, publication, proven };
  writeFileSync(file, serialize({ ...input, dataDirectory: folder }));
  const program = fileURLToPath(new URL("./publishing-process.ts", import.meta.url));
  child = spawn(process.execPath, [...NODE_OPTIONS, program, file], { stdio: "ignore" });
  const exited = once(child, "exit");
  if (mineWhenSent) {
    await until(async () => (await waiting(l1)).length > 0, "a transaction");
    await l1.mine({ timestamp: block.timestamp, baseFee: block.baseFee });
  }
  await until(() => reached, method);
  if (rule === "forward silently") await until(async () => (await waiting(l1)).length > 0, "a transaction");
  child.kill("SIGKILL");
  expect((await exited)[1]).toBe("SIGKILL");
  proxy.rule = () => "pass";
}

function restarted() {
  return openRecordedPublisher({
    url: l1.url,
    identity: rollup.identity,
    kzg,
    now: block.timestamp,
    dataDirectory: folder,
  });
}

async function timesProposed(): Promise<number> {
  const latest = await l1.height();
  return (await rollup.checkpoints(latest - 1, latest)).filter(
    ({ checkpointNumber }) => checkpointNumber === CHECKPOINT,
  ).length;
}

test.each([
  ["before L1 got the transaction", "swallow"],
  ["before it knew that L1 got the transaction", "forward silently"],
] as const)(
  "a publisher killed %s finishes the same transaction in the next run",
  { timeout: 180_000 },
  async (_, rule) => {
    await killedAt("eth_sendRawTransaction", rule, false);
    expect(await waiting(l1)).toHaveLength(rule === "swallow" ? 0 : 1);
    const next = await restarted();
    expect(next.publisher.isPublishing(publication.slot)).toBe(true);
    const published = next.publisher.publishCheckpoint(publication);
    await until(async () => (await waiting(l1)).length > 0, "a transaction");
    await l1.mine({ timestamp: block.timestamp, baseFee: block.baseFee });
    expect((await published).kind).toBe("published");
    expect(next.publisher.isPublishing(publication.slot)).toBe(false);
    expect(await waiting(l1)).toEqual([]);
    await next.close();
    expect(next.lines.filter(({ message }) => message === "sent an L1 tx")).toEqual([]);
    expect(await timesProposed()).toBe(1);
  },
);

test("a publisher reads the receipt that the killed run before it did not read", { timeout: 180_000 }, async () => {
  await killedAt("eth_getTransactionReceipt", "swallow", true);
  const next = await restarted();
  expect((await next.publisher.publishCheckpoint(publication)).kind).toBe("published");
  await next.close();
  expect(await timesProposed()).toBe(1);
});
