import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterAll, describe, expect, test, vi } from "vitest";
import { EndpointBook } from "../../../src/endpoints/endpoint-book.ts";
import type { TxFacts } from "../../../src/mempool/digest/tx-facts.ts";
import { FileStoreCollection, type FileStoreTiming } from "../../../src/p2p/tx-collection/file-store-collection.ts";
import { FileTxSource, txKey } from "../../../src/p2p/tx-collection/file-store-source.ts";
import { TxUploads } from "../../../src/p2p/tx-collection/tx-uploads.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { ObjectStore, WriteOptions } from "../../../src/storage/objects/object-store.ts";
import { openObjectReader, openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { bytesOf, collectingPool, requestFor, txsOfBlock, until } from "../support/collecting.ts";

const NETWORK = { l1ChainId: 31337, rollupVersion: 77, rollupAddress: "0xABcdef0000000000000000000000000000000001" };
const TIMING: FileStoreTiming = { delayMs: 20, workers: 5, backoffBaseMs: 10, backoffMaxMs: 50 };
const folder = mkdtempSync(join(tmpdir(), "svc-tx-files-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let stores = 0;
function fileStore() {
  const url = `file://${join(folder, String(stores++))}`;
  return { objects: openObjectStore(url), source: new FileTxSource(openObjectReader(url), NETWORK, V4.transactions) };
}

function setUp(txs: readonly TxFacts[], sources: Pick<FileTxSource, "name" | "tx">[], timing = TIMING) {
  const own = collectingPool(txs);
  const book = new EndpointBook({ probeMs: 50 });
  const asked = sources.map((source, i) => ({
    ...{ source, health: book.of("txs", `http://store-${i}`, (signal) => source.tx(new Uint8Array(32), signal)) },
  }));
  const parts = { sources: asked, collected: own.collected, now: Date.now, logger: silentLogger };
  const files = new FileStoreCollection(parts, timing);
  own.pool.onAdded((hashes) => {
    for (const hash of hashes) files.found(hash);
  });
  return { ...own, files };
}

/** A store in memory that has nothing and counts what it is asked. */
function emptySource(name: string) {
  const asked: { hash: string; at: number }[] = [];
  return {
    name,
    asked,
    tx: async (hash: Uint8Array) => {
      asked.push({ hash: toHex(hash), at: performance.now() });
      return undefined;
    },
  };
}

describe("txs in file stores", () => {
  test("txs in file stores have their hash and the network in their name", () => {
    const [{ hash }] = txsOfBlock(1);
    const folderName = "aztec-31337-77-0xabcdef0000000000000000000000000000000001";
    expect(txKey(NETWORK, hash)).toBe(`${folderName}/txs/${toHex(hash)}.bin`);
  });

  test("txs in file stores that were uploaded are found by another node", async () => {
    const txs = txsOfBlock(12);
    const { objects, source } = fileStore();
    const from = collectingPool(txs);
    const uploads = new TxUploads(
      { objects, network: NETWORK, pool: from.pool, logger: silentLogger },
      { txFileStoreUploadConcurrency: 3, txFileStoreMaxQueueSize: 100 },
    );
    from.pool.onAdded((hashes) => uploads.add(hashes));
    from.pool.addProtected(txs, 1);
    const last = txKey(NETWORK, txs[11].hash);
    for (let tries = 0; tries < 6000 && !(await objects.has(last)); tries++) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await uploads.stop();
    const stored = await objects.get(txKey(NETWORK, txs[0].hash));
    expect(gunzipSync(stored!).equals(bytesOf(txs[0]))).toBe(true);

    const { files, pool } = setUp(txs, [emptySource("empty"), source]);
    const request = requestFor(txs);
    files.add(request);
    await request.missing.complete;
    expect(txs.map(({ hash }) => pool.status(hash))).toEqual(txs.map(() => "protected"));
    await until(() => files.size === 0, "nothing is wanted");
    files.stop();
  });

  test("txs in file stores may be plain, and count only under their own hash", async () => {
    const txs = txsOfBlock(2);
    const { objects, source } = fileStore();
    await objects.put(txKey(NETWORK, txs[0].hash), bytesOf(txs[0]));
    await objects.put(txKey(NETWORK, txs[1].hash), bytesOf(txs[0]));
    expect(toHex((await source.tx(txs[0].hash))!.hash)).toBe(toHex(txs[0].hash));
    await expect(source.tx(txs[1].hash)).rejects.toThrow(/must have the hash/);
    await objects.put(txKey(NETWORK, txs[1].hash), Buffer.from("nonsense"));
    await expect(source.tx(txs[1].hash)).rejects.toThrow();
  });

  test("txs in file stores are asked of one store after the other, with growing pauses between the rounds", async () => {
    const txs = txsOfBlock(1);
    const [a, b] = [emptySource("a"), emptySource("b")];
    const { files } = setUp(txs, [a, b], { ...TIMING, backoffBaseMs: 40, backoffMaxMs: 80 });
    files.add(requestFor(txs));
    await until(() => a.asked.length + b.asked.length >= 8, "four rounds");
    files.stop();
    const times = [...a.asked, ...b.asked].map(({ at }) => at).sort((x, y) => x - y);
    const pauses = [times[2] - times[1], times[4] - times[3], times[6] - times[5]];
    expect(pauses.map((ms, i) => ms >= [39, 79, 79][i])).toEqual([true, true, true]);
    expect(Math.abs(a.asked.length - b.asked.length)).toBeLessThanOrEqual(1);
  });

  test("txs in file stores are not asked for before the delay, nor after they were found, dropped or are too late", async () => {
    const txs = txsOfBlock(3);
    const source = emptySource("a");
    const { files, pool } = setUp(txs, [source], { ...TIMING, delayMs: 300 });
    files.add(requestFor([txs[0]], { purpose: { minedBlock: 4 } }));
    files.add(requestFor([txs[1]]));
    files.add(requestFor([txs[2]], { deadline: Date.now() + 50 }));
    expect(files.size).toBe(3);
    pool.addProtected([txs[1]], 5);
    files.drop((purpose) => "minedBlock" in purpose && purpose.minedBlock > 3);
    await until(() => files.size === 0, "the deadline");
    expect(source.asked).toEqual([]);
    files.stop();
  });

  test("txs in file stores are found beside a store that never answers, which costs one of them a second", async () => {
    const txs = txsOfBlock(6);
    const { objects, source } = fileStore();
    for (const tx of txs) await objects.put(txKey(NETWORK, tx.hash), bytesOf(tx));
    const asked: string[] = [];
    const silent = {
      name: "silent",
      tx: (hash: Uint8Array, signal?: AbortSignal) => {
        asked.push(toHex(hash));
        return new Promise<undefined>((_, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason));
        });
      },
    };
    vi.spyOn(Math, "random").mockReturnValue(0);
    const { files } = setUp(txs, [silent, source], { ...TIMING, workers: 1 });
    const request = requestFor(txs);
    files.add(request);
    await request.missing.complete;
    await until(() => files.size === 0, "nothing is wanted");
    // Then it is asked last.
    expect(asked.filter((hash) => hash !== toHex(new Uint8Array(32)))).toEqual([toHex(txs[0].hash)]);
    files.stop();
    vi.restoreAllMocks();
  });
});

describe("uploads", () => {
  /** A store whose writes can fail or hang. */
  function flakyStore(put: (key: string, options?: WriteOptions) => Promise<void>) {
    const puts: string[] = [];
    const objects = {
      name: "flaky",
      put: (key: string, _content: unknown, options?: WriteOptions) => {
        puts.push(key);
        return put(key, options);
      },
    } as unknown as ObjectStore;
    return { objects, puts };
  }

  test("uploads are repeated after failures, and each tx is uploaded once", async () => {
    const txs = txsOfBlock(1);
    const { pool } = collectingPool(txs);
    pool.addProtected(txs, 1);
    let failures = 2;
    const encodings: unknown[] = [];
    const { objects, puts } = flakyStore(async (_key, options) => {
      encodings.push(options?.contentEncoding);
      if (failures-- > 0) throw new Error("busy");
    });
    const parts = { objects, network: NETWORK, pool, logger: silentLogger };
    const uploads = new TxUploads(parts, { txFileStoreUploadConcurrency: 10, txFileStoreMaxQueueSize: 1000 });
    uploads.add([txs[0].hash]);
    await until(() => puts.length === 3, "the third attempt");
    uploads.add([txs[0].hash]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect([puts.length, encodings]).toEqual([3, ["gzip", "gzip", "gzip"]]);
    await uploads.stop();
  });

  test("uploads wait in a bounded queue, whose oldest entries are dropped, and end when the node stops", async () => {
    const txs = txsOfBlock(20);
    const { pool } = collectingPool(txs);
    pool.addProtected(txs, 1);
    const hang = Promise.withResolvers<void>();
    const { objects, puts } = flakyStore(() => hang.promise);
    const parts = { objects, network: NETWORK, pool, logger: silentLogger };
    const uploads = new TxUploads(parts, { txFileStoreUploadConcurrency: 2, txFileStoreMaxQueueSize: 5 });
    for (const { hash } of txs) uploads.add([hash]);
    await until(() => puts.length === 2, "two uploads");
    hang.resolve();
    await until(() => puts.length === 7, "the last five");
    await uploads.stop();
    const uploaded = [...txs.slice(0, 2), ...txs.slice(15)].map(({ hash }) => txKey(NETWORK, hash));
    expect(puts.toSorted()).toEqual(uploaded.toSorted());
  });

  test("an unreadable tx is logged and does not keep others from being uploaded", async () => {
    const txs = txsOfBlock(2);
    const { pool } = collectingPool(txs);
    pool.addProtected(txs, 1);
    const { objects, puts } = flakyStore(async () => {});
    const logged: string[] = [];
    const logger = { ...silentLogger, warn: (_facts: object, message: string) => void logged.push(message) };
    const damaged = {
      get(hash: Uint8Array) {
        if (toHex(hash) === toHex(txs[0].hash)) throw new Error("damaged row");
        return pool.get(hash);
      },
    };
    const parts = { objects, network: NETWORK, pool: damaged, logger };
    const uploads = new TxUploads(parts, { txFileStoreUploadConcurrency: 1, txFileStoreMaxQueueSize: 5 });
    uploads.add(txs.map(({ hash }) => hash));
    await until(() => puts.length === 1, "the readable tx");
    expect(logged.length).toBe(1);
    await uploads.stop();
  });
});
