import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { swapSteps } from "../../../src/chain-store/swap.ts";
import { openDataDirectory } from "../../../src/process/data-directory.ts";
import { headerSlotNumber } from "../../../src/protocol/block-header.ts";
import { indexKey, type SnapshotEntry, snapshotFolder } from "../../../src/snapshots/snapshot-index.ts";
import { SnapshotUploadError } from "../../../src/snapshots/upload.ts";
import { SCHEMA_VERSION } from "../../../src/storage/identity.ts";
import { openStore } from "../../../src/storage/store.ts";
import { emptyNext } from "../../world/archiver/recorded-node.ts";
import {
  answers,
  core,
  MAP_SIZE_KB,
  networkOf,
  restore,
  type SyncedChain,
  syncRecordedChain,
  uploaderOf,
} from "../../world/snapshots/synced-chain.ts";
import { BucketServer } from "../../world/storage/bucket-server.ts";

let chain: SyncedChain;
let published: string;
let folder: string;
beforeAll(async () => {
  chain = await syncRecordedChain();
  published = mkdtempSync(join(tmpdir(), "svc-published-"));
  const { uploader, logger } = uploaderOf(chain, published);
  uploader.startUpload(`file://${published}/store`);
  await uploader.settled();
  expect(logger.lines.at(-1)).toMatchObject({ level: "info", message: "snapshot is uploaded" });
});
afterAll(async () => {
  await chain?.close();
  if (published) rmSync(published, { recursive: true, force: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-snapshots-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const below = (...names: string[]) => join(folder, ...names);

/** A copy of the published store with changes to its index or database file; returns its URL. */
function storeWith(
  name: string,
  change: {
    entry?: (entry: SnapshotEntry) => object;
    index?: (text: string) => string | Buffer;
    data?: (packed: Buffer) => Buffer;
  },
): string {
  const root = below(name);
  cpSync(join(published, "store"), root, { recursive: true });
  const index = join(root, indexKey(networkOf(chain.reader)));
  const document = JSON.parse(readFileSync(index, "utf8"));
  const [entry] = document.snapshots as SnapshotEntry[];
  const database = join(root, snapshotFolder(networkOf(chain.reader)), entry.dataUrls.chain);
  if (change.data) writeFileSync(database, change.data(readFileSync(database)));
  if (change.entry) document.snapshots = [change.entry(entry)];
  const text = JSON.stringify(document);
  writeFileSync(index, change.index ? change.index(text) : text);
  return `file://${root}`;
}

/** A copy of the published store with a changed database that the index matches: only its contents are wrong. */
async function forged(name: string, change: (path: string) => Promise<void>): Promise<string> {
  const path = below(`${name}-data`);
  const plain = storeWith(name, {}).slice("file://".length);
  const index = join(plain, indexKey(networkOf(chain.reader)));
  const document = JSON.parse(readFileSync(index, "utf8"));
  const [entry] = document.snapshots as SnapshotEntry[];
  const database = join(plain, snapshotFolder(networkOf(chain.reader)), entry.dataUrls.chain);
  mkdirSync(path);
  writeFileSync(join(path, "data.mdb"), gunzipSync(readFileSync(database)));
  await change(path);
  const data = readFileSync(join(path, "data.mdb"));
  writeFileSync(database, gzipSync(data, { level: 1 }));
  entry.chain.bytes = data.length;
  entry.chain.sha256 = createHash("sha256").update(data).digest("hex");
  writeFileSync(index, JSON.stringify(document));
  return `file://${plain}`;
}

async function changeIdentity(path: string, change: object): Promise<void> {
  const store = openStore({ path, mapSizeKb: MAP_SIZE_KB });
  const table = store.table("identity");
  const key = Buffer.from("identity");
  const record = JSON.parse(Buffer.from(table.get(key)!).toString());
  store.transaction(() => table.put(key, Buffer.from(JSON.stringify({ ...record, ...change }))));
  await store.close();
}

async function held(directory: string): Promise<unknown> {
  const services = await chain.open(join(directory, "chain"));
  try {
    return answers(services);
  } finally {
    await services.store.close();
  }
}

describe("snapshots", () => {
  test("a snapshot index has the node's own format, newest entry first", () => {
    const network = networkOf(chain.reader);
    const names = readdirSync(join(published, "store", snapshotFolder(network)));
    expect(snapshotFolder(network)).toMatch(/^svc-31337-\d+-0x[0-9a-f]{40}$/);
    const index = JSON.parse(readFileSync(join(published, "store", indexKey(network)), "utf8"));
    const [entry] = index.snapshots;
    expect(index).toMatchObject(network);
    expect(entry.dataUrls.chain).toMatch(/^chain-\d{14}-0x[0-9a-f]{64}\.db$/);
    expect(names.toSorted()).toEqual([entry.dataUrls.chain, "index.json"].toSorted());
    expect(entry).toMatchObject({ l2BlockNumber: 59, schemaVersions: { chain: SCHEMA_VERSION } });
    expect(entry.l2BlockHash).toBe((chain.services.chain.tips().proposed as { hash: string }).hash);
    expect(readdirSync(published)).toEqual(["store"]);
  });

  test("a snapshot restored into an empty directory gives the same answers", async () => {
    mkdirSync(below("chain"));
    const { taken, logger } = await restore(chain, folder, [`file://${published}/store`]);
    expect(taken?.l2BlockNumber).toBe(59);
    expect(logger.lines.at(-1)).toMatchObject({ level: "info", message: "the snapshot is verified and in place" });
    expect(readdirSync(folder)).toEqual(["chain"]);
    expect(await held(folder)).toEqual(answers(chain.services));
  });

  test("a snapshot leaves out proposed blocks, which the node itself keeps", async () => {
    const { services, synchronizer } = chain;
    const before = answers(services);
    const slot = headerSlotNumber(services.chain.block(59)!.header) + 1_000_000;
    await synchronizer.addProposedBlock(emptyNext(core, services, slot));
    try {
      const { uploader, logger } = uploaderOf(chain, folder);
      uploader.startUpload(`file://${below("store")}`);
      await uploader.settled();
      expect(logger.lines.at(-1)).toMatchObject({ level: "info", facts: { l2BlockNumber: 59 } });
      expect(services.chain.tips()).toMatchObject({
        proposed: { number: 60 },
        checkpointed: { block: { number: 59 } },
      });
    } finally {
      services.store.transaction(() => {
        services.world.unwindTo(59);
        services.chain.removeProposedAfter(59);
      });
    }
    mkdirSync(below("chain"));
    const { taken, logger } = await restore(chain, folder, [`file://${below("store")}`]);
    expect(logger.lines.filter(({ level }) => level !== "info")).toEqual([]);
    expect(taken?.l2BlockNumber).toBe(59);
    expect(await held(folder)).toEqual(before);
  });

  test("a snapshot taken during reads and writes holds exactly one commit and disturbs neither", async () => {
    const { store } = chain.services;
    const [left, right] = [store.table("chain-state"), store.table("chain-messages")];
    const key = (n: number) => Buffer.from(`test-${String(n).padStart(8, "0")}`);
    let written = 0;
    const commit = (): void => {
      store.transaction(() => {
        for (let i = 0; i < 200; i++) left.put(key(written * 200 + i), Buffer.alloc(300, written));
        right.put(Buffer.from("test"), Buffer.from(String(written + 1)));
      });
      written++;
      expect(left.get(key(0))?.length).toBe(300);
    };
    for (let i = 0; i < 50; i++) commit();
    const before = written;
    const { uploader, logger } = uploaderOf(chain, folder);
    try {
      uploader.startUpload(`file://${below("store")}`);
      let done = false;
      void uploader.settled().then(() => {
        done = true;
      });
      while (!done) {
        commit();
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(logger.lines.at(-1)).toMatchObject({ message: "snapshot is uploaded" });
      expect(written).toBeGreaterThan(before + 5);
      mkdirSync(below("node", "chain"), { recursive: true });
      expect((await restore(chain, below("node"), [`file://${below("store")}`])).taken).toBeDefined();
      const restored = openStore({ path: below("node", "chain"), mapSizeKb: MAP_SIZE_KB });
      const seen = Number(Buffer.from(restored.table("chain-messages").get(Buffer.from("test"))!).toString());
      expect(seen).toBeGreaterThanOrEqual(before);
      expect(seen).toBeLessThanOrEqual(written);
      // The copy has the whole commit and nothing of a later one.
      expect(restored.table("chain-state").get(key(seen * 200 - 1))).toBeDefined();
      expect(restored.table("chain-state").get(key(seen * 200))).toBeUndefined();
      await restored.close();
    } finally {
      store.transaction(() => {
        for (let i = 0; i < written * 200; i++) left.remove(key(i));
        right.remove(Buffer.from("test"));
      });
    }
  });

  test("a new snapshot is added in front of the others and changes none of them", async () => {
    const root = storeWith("store", {
      index: (text) => {
        const document = JSON.parse(text);
        document.snapshots.push({ of: "a later version" });
        return JSON.stringify(document);
      },
    });
    const { uploader } = uploaderOf(chain, folder);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    uploader.startUpload(root);
    await uploader.settled();
    const index = join(root.slice(7), indexKey(networkOf(chain.reader)));
    const { snapshots } = JSON.parse(readFileSync(index, "utf8"));
    expect(snapshots.length).toBe(3);
    expect(snapshots[0].timestamp).toBeGreaterThan(snapshots[1].timestamp);
    expect(snapshots[2]).toEqual({ of: "a later version" });
  });

  test("a snapshot is uploaded to a bucket and restored from it, with a gzipped index too", async () => {
    const bucket = await BucketServer.start();
    try {
      const { uploader, logger } = uploaderOf(chain, folder);
      const url = `s3://bucket/pre?endpoint=${encodeURIComponent(bucket.url)}`;
      expect(() => uploader.startUpload(url)).toThrow(/needs AWS_ACCESS_KEY_ID/);
      expect(logger.lines).toEqual([]);
      const network = networkOf(chain.reader);
      const source = join(published, "store", snapshotFolder(network));
      for (const name of readdirSync(source)) {
        const body = readFileSync(join(source, name));
        const path = `/bucket/pre/${snapshotFolder(network)}/${name}`;
        bucket.objects.set(path, { body: name === "index.json" ? gzipSync(body) : body, headers: {} });
      }
      mkdirSync(below("node", "chain"), { recursive: true });
      expect((await restore(chain, below("node"), [url])).taken?.l2BlockNumber).toBe(59);
      expect(await held(below("node"))).toEqual(answers(chain.services));
    } finally {
      await bucket.close();
    }
  });
});

describe("snapshot uploads that are refused", () => {
  test.each([
    ["ftp://host/x", /^Unknown file store config: 'ftp:\/\/host\//],
    ["nonsense", /^Unknown file store config/],
    ["https://host/x", /can only be read/],
    ["file://host/x", /takes no host/],
    ["file:///proc/self", /objects cannot be stored there: \/proc is no storage/],
  ])("a snapshot upload to %s is refused", (location, rule) => {
    expect(() => uploaderOf(chain, folder).uploader.startUpload(location)).toThrow(rule);
  });

  test("a snapshot upload before the initial sync is complete is refused", () => {
    const { uploader } = uploaderOf(chain, folder, { synced: () => false });
    const start = () => uploader.startUpload(`file://${below("store")}`);
    expect(start).toThrow("Archiver initial sync not complete. Cannot start snapshot.");
    expect(start).toThrow(SnapshotUploadError);
  });

  test("a snapshot upload of a chain without blocks is refused", async () => {
    const empty = await chain.open(below("empty"));
    const { uploader } = uploaderOf({ ...chain, services: empty }, folder);
    expect(() => uploader.startUpload(`file://${below("store")}`)).toThrow(
      "Archiver has no latest L2 block hash downloaded. Cannot start snapshot.",
    );
    await empty.store.close();
  });

  test("a second snapshot upload at the same time is refused", async () => {
    const { uploader } = uploaderOf(chain, folder);
    uploader.startUpload(`file://${below("store")}`);
    expect(() => uploader.startUpload(`file://${below("other")}`)).toThrow(
      "Snapshot upload already in progress. Cannot start another one until complete.",
    );
    await uploader.settled();
    uploader.startUpload(`file://${below("other")}`);
    await uploader.settled();
    expect(existsSync(below("other"))).toBe(true);
  });
});

describe("snapshot uploads that fail", () => {
  test("a failed snapshot upload logs its reason and leaves no temporary file", async () => {
    const { uploader, logger } = uploaderOf(chain, folder);
    uploader.startUpload(`file://${below("blocked")}/store`);
    writeFileSync(below("blocked"), "a file");
    await uploader.settled();
    expect(logger.lines.at(-1)).toMatchObject({ level: "error", message: "snapshot upload failed" });
    expect(readdirSync(folder)).toEqual(["blocked"]);
  });

  test("a snapshot upload does not replace a malformed index", async () => {
    const root = storeWith("store", { index: () => "not an index" });
    const { uploader, logger } = uploaderOf(chain, folder);
    uploader.startUpload(root);
    await uploader.settled();
    expect(String(logger.lines.at(-1)?.facts.err)).toMatch(/must be JSON/);
    expect(readFileSync(join(root.slice(7), indexKey(networkOf(chain.reader))), "utf8")).toBe("not an index");
    expect(readdirSync(folder)).toEqual(["store"]);
  });

  test("a snapshot upload ends at once when the node stops", async () => {
    const { uploader, logger } = uploaderOf(chain, folder);
    uploader.startUpload(`file://${below("store")}`);
    await expect.poll(() => readdirSync(folder).length, { interval: 1 }).toBeGreaterThan(0);
    await uploader.stop();
    expect(logger.lines.at(-1)).toMatchObject({
      level: "warn",
      message: "snapshot upload is broken off: the node stops",
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

function unpacksTo(whole: Uint8Array, packed: Uint8Array): boolean {
  try {
    return gunzipSync(packed).equals(whole);
  } catch {
    return false;
  }
}

describe("damaged snapshots", () => {
  const refusals: [string, () => string | Promise<string>, RegExp][] = [
    [
      "that is cut",
      () => storeWith("bad", { data: (packed) => packed.subarray(0, Math.floor(packed.length * Math.random())) }),
      /gzip|size/,
    ],
    ["that is empty", () => storeWith("bad", { data: () => Buffer.alloc(0) }), /size/],
    [
      "with a flipped byte",
      () =>
        storeWith("bad", {
          data: (packed) => {
            // Another distance within a run of zeros, for one, unpacks to the same bytes.
            const whole = gunzipSync(packed);
            for (;;) {
              const flipped = Buffer.from(packed);
              flipped[10 + Math.floor((packed.length - 20) * Math.random())] ^= 1 << Math.floor(8 * Math.random());
              if (!unpacksTo(whole, flipped)) return flipped;
            }
          },
        }),
      /gzip|size|sha256/,
    ],
    [
      "with a flipped byte under the gzip",
      () =>
        storeWith("bad", {
          data: (packed) => {
            const data = gunzipSync(packed);
            data[Math.floor(data.length * Math.random())] ^= 1;
            return gzipSync(data, { level: 1 });
          },
        }),
      /sha256/,
    ],
    [
      "that is longer than announced",
      () => storeWith("bad", { data: (packed) => gzipSync(Buffer.concat([gunzipSync(packed), Buffer.alloc(1)])) }),
      /size/,
    ],
    [
      "whose database is not there",
      () => storeWith("bad", { entry: (e) => ({ ...e, dataUrls: { chain: "none.db" } }) }),
      /absent/,
    ],
    ["of another block than announced", () => storeWith("bad", { entry: (e) => ({ ...e, l2BlockNumber: 58 }) }), /tip/],
    [
      "of another block hash than announced",
      () => storeWith("bad", { entry: (e) => ({ ...e, l2BlockHash: `0x${"1".repeat(64)}` }) }),
      /tip/,
    ],
    ["of another rollup", () => forged("bad", (path) => changeIdentity(path, { rollupVersion: 5 })), /identity/],
    ["of another L1", () => forged("bad", (path) => changeIdentity(path, { l1ChainId: 1 })), /identity/],
    ["of another generation", () => forged("bad", (path) => changeIdentity(path, { generation: "v5" })), /identity/],
    ["of an unknown generation", () => forged("bad", (path) => changeIdentity(path, { generation: "v9" })), /identity/],
    [
      "of another genesis",
      () => forged("bad", (path) => changeIdentity(path, { genesisArchiveRoot: "0x00" })),
      /identity/,
    ],
    [
      "of a newer schema",
      () => forged("bad", (path) => changeIdentity(path, { schemaVersion: SCHEMA_VERSION + 1 })),
      /schema/,
    ],
    [
      "of an older schema",
      () => forged("bad", (path) => changeIdentity(path, { schemaVersion: SCHEMA_VERSION - 1 })),
      /schema/,
    ],
    [
      "that is no database",
      () => forged("bad", async (path) => writeFileSync(join(path, "data.mdb"), "x".repeat(9000))),
      /database/,
    ],
    [
      "whose database is truncated",
      () => forged("bad", async (path) => truncateSync(join(path, "data.mdb"), 40_960)),
      /database/,
    ],
  ];

  test.each(refusals)("a snapshot %s is refused for the next one, and local data stays", async (_, make, rule) => {
    const bad = await make();
    mkdirSync(below("node", "chain"), { recursive: true });
    writeFileSync(below("node", "chain", "kept"), "kept");
    const alone = await restore(chain, below("node"), [bad]);
    expect(alone.taken).toBeUndefined();
    const refusal = alone.logger.lines.find(({ level }) => level === "error");
    expect(refusal).toMatchObject({ message: "refused a snapshot", facts: { rule: expect.stringMatching(rule) } });
    expect(String(refusal?.facts.reason).length).toBeGreaterThan(10);
    expect(alone.logger.lines.at(-1)?.message).toBe("no snapshot can be used, syncing from L1");
    expect(readFileSync(below("node", "chain", "kept"), "utf8")).toBe("kept");
    expect(readdirSync(below("node"))).toEqual(["chain"]);
    const both = await restore(chain, below("node"), [bad, `file://${published}/store`]);
    expect(both.taken?.l2BlockNumber).toBe(59);
    expect(existsSync(below("node", "chain", "kept"))).toBe(false);
  });

  test("a snapshot whose tip is not on L1 is refused", async () => {
    const reader = {
      identity: chain.reader.identity,
      latestBlock: () => chain.reader.latestBlock(),
      archiveAt: async () => new Uint8Array(32),
    };
    mkdirSync(below("chain"));
    const { taken, logger } = await restore(chain, folder, [`file://${published}/store`], { reader });
    expect(taken).toBeUndefined();
    expect(logger.lines.find(({ level }) => level === "error")?.facts).toMatchObject({ rule: "archive" });
  });

  test("a snapshot cut at any point is refused", async () => {
    mkdirSync(below("node", "chain"), { recursive: true });
    for (let i = 0; i < 12; i++) {
      const bad = storeWith(`bad${i}`, { data: (packed) => packed.subarray(0, Math.floor((packed.length * i) / 12)) });
      const { taken, logger } = await restore(chain, below("node"), [bad]);
      expect(taken).toBeUndefined();
      expect(logger.lines.filter(({ level }) => level === "error").length).toBe(1);
      expect(readdirSync(below("node"))).toEqual(["chain"]);
    }
  });

  test.each([
    ["is not JSON", { index: () => "{" }, /must be JSON/],
    ["is a list", { index: () => "[]" }, /must be an object/],
    [
      "is of another chain",
      { index: (text: string) => text.replace('"l1ChainId":31337', '"l1ChainId":1') },
      /l1ChainId 1, this node follows 31337/,
    ],
    ["is truncated gzip", { index: (text: string) => gzipSync(text).subarray(0, 40) }, /must be JSON/],
    [
      "leads out of its folder",
      { entry: (e: SnapshotEntry) => ({ ...e, dataUrls: { chain: "../../secret" } }) },
      /must be the name of an object/,
    ],
    [
      "names another server",
      { entry: (e: SnapshotEntry) => ({ ...e, dataUrls: { chain: "https://host/x" } }) },
      /must be the name of an object/,
    ],
    [
      "has an entry with a bad number",
      { entry: (e: SnapshotEntry) => ({ ...e, l1BlockNumber: "7" }) },
      /l1BlockNumber must be a whole number/,
    ],
    [
      "is of a newer version",
      { entry: (e: SnapshotEntry) => ({ ...e, schemaVersions: { chain: SCHEMA_VERSION + 1 } }) },
      /schema version must be \d+"/,
    ],
  ])("a snapshot is refused when its index %s", async (_, change, reason) => {
    const bad = storeWith("bad", change);
    mkdirSync(below("chain"));
    const { taken, logger } = await restore(chain, folder, [bad]);
    expect(taken).toBeUndefined();
    const warned = logger.lines.filter(({ level }) => level === "warn").map(({ facts }) => JSON.stringify(facts));
    expect(warned.join("\n").replaceAll("\\", "")).toMatch(reason);
  });
});

describe("choice of a snapshot", () => {
  test("a node in sync mode full, or without a data directory, never asks a snapshot store", async () => {
    const none = ["file:///nowhere"];
    expect((await restore(chain, folder, none, { mode: "full" })).logger.lines).toEqual([]);
    const directory = { path: folder, chainStore: below("chain"), temporary: true };
    expect((await restore(chain, folder, none, { directory })).logger.lines).toMatchObject([{ level: "info" }]);
  });

  test("mode snapshot keeps local data; mode force-snapshot replaces it if it is far behind", async () => {
    const local = async () => {
      rmSync(below("node"), { recursive: true, force: true });
      const services = await chain.open(below("node", "chain"));
      services.store.transaction(() =>
        services.chain.state.putProcessed({ number: 1, hash: new Uint8Array(32), timestamp: 0 }),
      );
      await services.store.close();
    };
    const url = `file://${published}/store`;
    await local();
    const near = await restore(chain, below("node"), [url], { mode: "force-snapshot" });
    expect(near.logger.lines).toMatchObject([{ message: "no snapshot is needed" }]);
    const reader = {
      ...chain.reader,
      identity: chain.reader.identity,
      archiveAt: (n: number) => chain.reader.archiveAt(n),
      latestBlock: async () => ({ number: 4000 }),
    };
    const old = await restore(chain, below("node"), [url], { mode: "force-snapshot", reader });
    expect(old.logger.lines.map(({ message }) => message)).toContain(
      "a snapshot is not far enough ahead of the local data",
    );
    const far = await restore(chain, below("node"), [url], { mode: "force-snapshot", minL1BlocksBehind: 2 });
    expect(far.taken?.l2BlockNumber).toBe(59);
    const again = await restore(chain, below("node"), [url]);
    expect(again.logger.lines).toMatchObject([{ facts: { reason: "there is local data up to block 59" } }]);
  });

  test("the newest usable snapshot of each store counts, the highest L1 block first", async () => {
    const older = storeWith("older", { entry: (e) => ({ ...e, l1BlockNumber: e.l1BlockNumber - 1 }) });
    const mixed = storeWith("mixed", {
      index: (text) => {
        const document = JSON.parse(text);
        const [entry] = document.snapshots;
        const first = { ...entry, l1BlockNumber: entry.l1BlockNumber - 2, dataUrls: { chain: "wrong.db" } };
        const newer = {
          ...entry,
          l1BlockNumber: entry.l1BlockNumber + 9,
          schemaVersions: { chain: SCHEMA_VERSION + 1 },
        };
        document.snapshots = [first, newer, entry];
        return JSON.stringify(document);
      },
    });
    mkdirSync(below("node", "chain"), { recursive: true });
    const { taken, logger } = await restore(chain, below("node"), [older, mixed]);
    expect(taken?.l2BlockNumber).toBe(59);
    const used = logger.lines.filter(({ message }) => message === "downloading a snapshot");
    expect(used.map(({ facts }) => facts.store)).toEqual([mixed]);
  });

  test("an interrupted download of a snapshot leaves no files behind", async () => {
    mkdirSync(below("chain"));
    const bucket = await BucketServer.start();
    bucket.intercept = ({ url }, response) => {
      if (url.pathname.endsWith("index.json")) return false;
      response.writeHead(200, { "content-length": 1000 });
      response.write("half");
      return true;
    };
    const path = `/${indexKey(networkOf(chain.reader))}`;
    bucket.objects.set(path, { body: readFileSync(join(published, "store", path)), headers: {} });
    const signal = AbortSignal.timeout(300);
    await expect(restore(chain, folder, [bucket.url], { signal })).rejects.toThrow(/timeout/);
    expect(readdirSync(folder)).toEqual(["chain"]);
    await bucket.close();
  });
});

describe("kills during the swap", () => {
  const mark = (path: string) => readFileSync(join(path, "data.mdb"), "utf8");
  const steps = swapSteps("", "").length;

  test.each(Array.from({ length: steps + 1 }, (_, done) => done))(
    "a node killed after %d swap steps restarts with the old or the new data and nothing else",
    (done) => {
      const directory = below("node");
      const copy = join(directory, "snapshot-restore-abc", "chain");
      for (const path of [join(directory, "chain"), copy, join(directory, "snapshot-upload-abc")]) {
        mkdirSync(path, { recursive: true });
      }
      writeFileSync(join(directory, "chain", "data.mdb"), "");
      writeFileSync(join(directory, "chain", "which"), "old");
      writeFileSync(join(copy, "data.mdb"), "");
      writeFileSync(join(copy, "which"), "new");
      for (const step of swapSteps(directory, copy).slice(0, done)) step();
      for (let restart = 0; restart < 2; restart++) {
        const opened = openDataDirectory(directory, () => {});
        expect(mark(opened.chainStore)).toBe("");
        expect(readFileSync(join(opened.chainStore, "which"), "utf8")).toBe(done < 3 ? "old" : "new");
        expect(readdirSync(directory).toSorted()).toEqual(["chain", "svc.lock"]);
        opened.release();
      }
    },
  );
});
