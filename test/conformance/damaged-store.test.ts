import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { NodeProcess, startRecordedL1 } from "../world/node/recorded-node.ts";

let l1: Awaited<ReturnType<typeof startRecordedL1>>;
let node: NodeProcess;
beforeAll(async () => {
  l1 = await startRecordedL1();
  node = await NodeProcess.start(l1);
  await node.ready();
}, 180_000);
afterAll(async () => {
  await node?.remove();
  l1?.stop();
});

test("a node whose store is damaged ends with one line that names it and the command to look at it", async () => {
  expect(await node.end("SIGTERM")).toBe(143);
  const { dataDirectory } = node;
  writeFileSync(
    join(dataDirectory, "chain/data.mdb"),
    gunzipSync(readFileSync(new URL("../fixtures/store/damaged-chain.mdb.gz", import.meta.url))),
  );
  const again = await NodeProcess.start(l1, dataDirectory);
  await expect(again.ready()).rejects.toThrow("the node ended");
  expect(await again.end("SIGTERM")).toBe(1);
  expect(again.log).toMatch(/FATAL: node: the store \S+ is corrupted: LMDB found MDB_\w+\. `svc db check` lists what/);
  expect(again.log).not.toMatch(/\n\s+at /);
}, 60_000);
