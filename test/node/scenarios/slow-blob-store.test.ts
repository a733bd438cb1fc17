import { afterAll, beforeAll, expect, test } from "vitest";
import { drip, type HttpFake, httpFake } from "../../world/l1/http-fake.ts";
import { NodeProcess, type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";

let l1: RecordedL1;
let slow: HttpFake;
beforeAll(async () => {
  slow = await httpFake(() => drip(1000));
  l1 = await startRecordedL1();
});
afterAll(async () => {
  l1?.stop();
  await slow?.close();
});

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { timeout: 60_000, interval: 50 }).toBe(true);
}

test("a node waiting for a dripping blob store at its start stops at once on a signal", async () => {
  const node = await NodeProcess.start(l1, undefined, { BLOB_FILE_STORE_URLS: slow.url });
  try {
    await until(() => slow.seen.length > 0);
    expect(await node.end("SIGTERM")).toBe(0);
    expect(node.log).toContain("stopped");
    expect(node.log).not.toContain("cut off");
  } finally {
    await node.remove();
  }
});

test("a node with a dripping blob store and a good one after it opens its port and follows L1", async () => {
  const stores = `${slow.url},${l1.chain.blobStore}`;
  const node = await NodeProcess.start(l1, undefined, { BLOB_FILE_STORE_URLS: stores });
  try {
    await node.ready();
    expect((await node.ask("getBlockNumber")).body.result).toBe(59);
  } finally {
    await node.remove();
  }
});
