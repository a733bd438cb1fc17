import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rounds } from "../../support/soak.ts";
import {
  ADMIN_API_KEY,
  goldenCases,
  NodeProcess,
  type RecordedL1,
  startRecordedL1,
} from "../../world/node/recorded-node.ts";

let l1: RecordedL1;
let folder: string;
beforeAll(async () => {
  l1 = await startRecordedL1();
  folder = mkdtempSync(join(tmpdir(), "svc-start-snapshot-"));
});
afterAll(() => {
  l1?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const METHODS = ["getBlock", "getCheckpoints", "getPublicDataWitness", "getNullifierMembershipWitness"];
const questions = goldenCases().filter((c, i) => METHODS.includes(c.method) && c.result !== undefined && i % 7 === 0);
const text = (value: unknown) => JSON.stringify(value, (key, item) => (key === "_cachedHash" ? undefined : item));

async function expectRecordedAnswers(node: NodeProcess): Promise<void> {
  expect(questions.length).toBeGreaterThan(20);
  for (const { method, params, result } of questions) {
    const { body } = await node.ask(method, params);
    expect(text(body.result), `${method}(${JSON.stringify(params)})`).toBe(text(result));
  }
}

async function askForUpload(node: NodeProcess, method: string, location: string) {
  const response = await fetch(node.adminUrl, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": ADMIN_API_KEY },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [location] }),
  });
  return (await response.json()) as { error?: { message: string } };
}

async function until(condition: () => boolean, limitMs = 120_000): Promise<void> {
  for (const end = Date.now() + limitMs; !condition(); ) {
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

let store: string;

test("a node uploads a snapshot on request and answers meanwhile", async () => {
  store = `file://${folder}/store`;
  const node = await NodeProcess.start(l1);
  try {
    await node.ready();
    const refused = await askForUpload(node, "nodeAdmin_startSnapshotUpload", "ftp://host/x");
    expect(refused.error?.message).toMatch(/^Unknown file store config: 'ftp:\/\/host\//);
    expect((await askForUpload(node, "svcAdmin_startSnapshotUpload", store)).error).toBeUndefined();
    await expectRecordedAnswers(node);
    await until(() => node.log.includes("snapshot is uploaded"));
    expect(readdirSync(node.dataDirectory).filter((name) => name.startsWith("snapshot"))).toEqual([]);
    expect(await node.end("SIGTERM")).toBe(143);
  } finally {
    await node.remove();
  }
});

test("a node starts from a snapshot, gives the recorded answers and syncs on from its L1 block", async () => {
  const node = await NodeProcess.start(l1, undefined, { SYNC_SNAPSHOTS_URLS: store });
  try {
    await node.ready();
    expect(node.log).toContain("the snapshot is verified and in place");
    expect(node.log).toMatch(/opened the chain store at block 59/);
    await expectRecordedAnswers(node);
    expect(readdirSync(node.dataDirectory).filter((name) => /^(snapshot|chain-)/.test(name))).toEqual([]);
  } finally {
    await node.remove();
  }
});

test("a node syncs from L1 when no store has a snapshot", async () => {
  const node = await NodeProcess.start(l1, undefined, { SYNC_SNAPSHOTS_URLS: "file:///nowhere/at/all" });
  try {
    await node.ready();
    expect(node.log).toContain("no snapshot can be used, syncing from L1");
    await expectRecordedAnswers(node);
  } finally {
    await node.remove();
  }
});

test("a node killed at any moment of a start from a snapshot ends with the recorded answers", {
  timeout: 300_000,
}, async () => {
  const dataDirectory = mkdtempSync(join(tmpdir(), "svc-snapshot-kill-"));
  const environment = { SYNC_SNAPSHOTS_URLS: store, SYNC_MODE: "snapshot" };
  try {
    for (let kills = 0; kills < rounds(12, 4); kills++) {
      if (kills % 4 === 0) rmSync(join(dataDirectory, "chain"), { recursive: true, force: true });
      const node = await NodeProcess.start(l1, dataDirectory, environment);
      const moment = ["downloading a snapshot", "following the rollup"][kills % 2];
      await until(() => node.log.includes(moment) || node.log.includes("opened the chain store"));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
      await node.end("SIGKILL");
      expect(existsSync(dataDirectory)).toBe(true);
    }
    const node = await NodeProcess.start(l1, dataDirectory, environment);
    await node.ready();
    await expectRecordedAnswers(node);
    expect(readdirSync(dataDirectory).filter((name) => /^(snapshot|chain-)/.test(name))).toEqual([]);
    await node.end("SIGKILL");
  } finally {
    rmSync(dataDirectory, { recursive: true, force: true });
  }
});
