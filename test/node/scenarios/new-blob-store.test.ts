import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import type { RollupIdentity } from "../../../src/l1/types.ts";
import { openBlobSources } from "../../../src/node/chain/blobs.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { type HttpFake, httpFake } from "../../world/l1/http-fake.ts";

const identity = {
  l1ChainId: 31337,
  rollupVersion: 344372055,
  addresses: { rollupAddress: "0x322813fd9a801c5507c9de605d63cea4f2ce6c44" },
} as RollupIdentity;

let folder: string;
let silent: HttpFake;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "new-blob-store-"));
  silent = await httpFake(() => "silence");
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await silent?.close();
});

function open(environment: Record<string, string>, start = new AbortController().signal) {
  const { values } = configure({
    flags: new Map(),
    environment: { ETHEREUM_HOSTS: "http://127.0.0.1:9", ...environment },
  });
  return openBlobSources(partValues(values), identity, silentLogger, { start, l1: new AbortController().signal });
}

test("a node starts with an empty blob store that it reads and writes itself", async () => {
  const store = `file://${join(folder, "store")}`;
  const blobs = await open({ BLOB_FILE_STORE_URLS: store, BLOB_FILE_STORE_UPLOAD_URL: store });
  try {
    expect(await blobs.checkSources()).toBe(1);
  } finally {
    await blobs.close();
  }
});

test("a signal ends a start that waits for the node's first write to a blob store", async () => {
  const store = `s3://bucket/blobs?endpoint=${encodeURIComponent(silent.url)}`;
  const access = { AWS_ACCESS_KEY_ID: "key", AWS_SECRET_ACCESS_KEY: "secret" };
  const start = new AbortController();
  const opening = open({ BLOB_FILE_STORE_URLS: store, BLOB_FILE_STORE_UPLOAD_URL: store, ...access }, start.signal);
  const failed = expect(opening).rejects.toThrow("aborted");
  await expect.poll(() => silent.seen.length, { timeout: 120_000 }).toBeGreaterThan(0);
  start.abort();
  await failed;
});
