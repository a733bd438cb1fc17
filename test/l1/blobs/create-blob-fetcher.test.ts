import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import snappy from "snappy";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type BlobFetcherOptions, createBlobFetcher } from "../../../src/l1/blobs/create-blob-fetcher.ts";
import {
  BlobRejectedError,
  BlobSourceConfigurationError,
  MissingBlobError,
  NoBlobSourceReachableError,
} from "../../../src/l1/blobs/errors.ts";
import { readBlobFile } from "../../../src/l1/blobs/file-store-source.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import type { L1ContractAddresses } from "../../../src/l1/contract-addresses.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { unpackBlobStore } from "../../world/l1/chain-a.ts";
import {
  deadUrl,
  drip,
  type FakeAnswer,
  type FakeRequest,
  type HttpFake,
  httpFake,
  rpcFake,
} from "../../world/l1/http-fake.ts";

const NETWORK = "aztec-31337-344372055-0x322813fd9a801c5507c9de605d63cea4f2ce6c44";
const identity = {
  l1ChainId: 31337,
  rollupVersion: 344372055,
  addresses: { rollupAddress: "0x322813fd9a801c5507c9de605d63cea4f2ce6c44" } as L1ContractAddresses,
};

/** An L1 of the chain of `identity`, whose only block has these fields. */
const executionFake = (fields: (hash: unknown) => object) =>
  rpcFake((method, [hash]) =>
    method === "eth_chainId" ? "0x7a69" : { number: "0x14", timestamp: "0x1", ...fields(hash) },
  );
const l1Block = { number: 20, hash: new Uint8Array(32).fill(0xb1), timestamp: 1795228641 };
const L1_HASH = toHex(l1Block.hash);
const BEACON_ROOT = `0x${"be".repeat(32)}`;

let folder: string;
/** The recorded blob store, which no test changes. */
let store: string;
/** Versioned hashes of three of its blobs. */
let hashes: string[];
let wanted: Uint8Array[];
let contents: { blob: string; kzg_commitment: string }[];

const dataFile = (root: string, hash: string) => join(root, NETWORK, "blobs", `${hash}.data`);
/** Shared by all tests, because loading the trusted setup takes seconds. */
const kzg = new Kzg();
afterAll(() => kzg.close());

const open: { close(): Promise<unknown> }[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "blob-sources-"));
  store = join(folder, "store");
  unpackBlobStore(store);
  hashes = readdirSync(join(store, NETWORK, "blobs"))
    .slice(0, 3)
    .map((name) => name.replace(".data", ""));
  wanted = hashes.map(fromHex);
  contents = hashes.map((hash) =>
    JSON.parse(snappy.uncompressSync(readFileSync(dataFile(store, hash)), { asBuffer: false }) as string),
  );
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function fake(made: Promise<HttpFake>): Promise<HttpFake> {
  const server = await made;
  open.push(server);
  return server;
}

function fetcherOf(options: Partial<BlobFetcherOptions>) {
  const fetcher = createBlobFetcher({
    identity,
    kzg,
    l1RpcUrls: ["http://127.0.0.1:9"],
    retryDelaysMs: [],
    storeRetryDelaysMs: [],
    timeoutMs: 5000,
    ...options,
  });
  open.push(fetcher);
  return fetcher;
}

/** A copy of the store with some files changed. */
function alteredStore(name: string, change: Record<number, Uint8Array | undefined>): string {
  const root = join(folder, name);
  cpSync(store, root, { recursive: true });
  for (const [i, content] of Object.entries(change)) {
    const path = dataFile(root, hashes[Number(i)]);
    if (content) writeFileSync(path, content);
    else rmSync(path);
  }
  return root;
}

const packed = (value: unknown) => snappy.compressSync(JSON.stringify(value));
const text = (bytes: Uint8Array[]) => bytes.map((b) => toHex(b));
const blobsOf = () => contents.map(({ blob }) => blob);

describe("a file store", () => {
  test("a file store returns blobs in the order asked for, and the same one twice if asked twice", async () => {
    const fetcher = fetcherOf({ fileStoreUrls: [`file://${store}`] });
    expect(await fetcher.checkSources()).toBe(1);
    const found = await fetcher.fetch(l1Block, [wanted[2], wanted[0], wanted[2]], { historical: true });
    expect(text(found)).toEqual([contents[2].blob, contents[0].blob, contents[2].blob]);
    expect(await fetcher.fetch(l1Block, [], { historical: true })).toEqual([]);
  });

  test("a file store may have gzipped files", async () => {
    const root = alteredStore("gzipped", { 0: gzipSync(readFileSync(dataFile(store, hashes[0]))) });
    const found = await fetcherOf({ fileStoreUrls: [`file://${root}`] }).fetch(l1Block, [wanted[0]], {
      historical: true,
    });
    expect(text(found)).toEqual([contents[0].blob]);
  });

  test("a file store with bad files is asked for the other blobs, and the next store for the bad ones", async () => {
    const warned: { rule?: string }[] = [];
    const file = readFileSync(dataFile(store, hashes[0]));
    const flipped = `${contents[1].blob.slice(0, 10)}f${contents[1].blob.slice(11)}`;
    const bad = alteredStore("bad", {
      0: file.subarray(0, file.length - 7),
      1: packed({ blob: flipped, kzg_commitment: contents[1].kzg_commitment }),
    });
    const fetcher = fetcherOf({
      fileStoreUrls: [`file://${bad}`, `file://${store}`],
      logger: { ...silentLogger, warn: (fields) => void warned.push(fields) },
    });
    const unchecked = await fetcher.fetch(l1Block, [wanted[1]], { historical: true });
    expect(text(unchecked)).toEqual([flipped]);
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true, recompute: true }))).toEqual(blobsOf());
    expect(warned).toMatchObject([
      { rule: "snappy", versionedHash: hashes[0], source: `file://${bad}` },
      { rule: "commitment", versionedHash: hashes[1], source: `file://${bad}` },
    ]);
  });

  test("a blob that no file store has is missing, with the reason of each source", async () => {
    const without = alteredStore("without", { 1: undefined });
    const broken = alteredStore("broken", { 1: packed({ blob: "0x00", kzg_commitment: contents[1].kzg_commitment }) });
    const dead = await deadUrl();
    const fetcher = fetcherOf({ fileStoreUrls: [`file://${without}`, `file://${broken}`, dead] });
    const error = await fetcher.fetch(l1Block, wanted, { historical: false }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(MissingBlobError);
    expect((error as MissingBlobError).missing).toEqual([
      {
        versionedHash: hashes[1],
        reasons: [
          { source: `file://${without}`, reason: "not there" },
          { source: `file://${broken}`, reason: "blob-size: blob must be 131072 bytes of 0x text, got 4 characters" },
          { source: dead, reason: "cannot be reached (ECONNREFUSED)" },
        ],
      },
    ]);
    expect((error as Error).message).toContain(hashes[1]);
  });

  test("a file store is asked again for a blob that is still being uploaded, but not in historical sync", async () => {
    let asked = 0;
    const server = await fake(
      httpFake(({ path }) =>
        ++asked < 3
          ? { raw: "", status: 404 }
          : { raw: readFileSync(join(store, path)), type: "application/octet-stream" },
      ),
    );
    const fetcher = fetcherOf({ fileStoreUrls: [server.url], storeRetryDelaysMs: [1, 1, 1] });
    expect(await fetcher.fetch(l1Block, [wanted[0]], { historical: true }).catch((e: Error) => e.name)).toBe(
      "MissingBlobError",
    );
    expect(asked).toBe(1);
    expect(text(await fetcher.fetch(l1Block, [wanted[0]], { historical: false }))).toEqual([contents[0].blob]);
    expect(asked).toBe(3);
  });

  test("a fetch from a file store stops when its signal is aborted", async () => {
    const { url } = await fake(httpFake(() => "silence"));
    const signal = AbortSignal.timeout(30);
    await expect(
      fetcherOf({ fileStoreUrls: [url] }).fetch(l1Block, wanted, { historical: true, signal }),
    ).rejects.toThrow();
  });
});

describe("a blob file", () => {
  const wrong = (file: () => Uint8Array) => {
    try {
      readBlobFile("store", file(), wanted[0]);
    } catch (error) {
      expect(error).toBeInstanceOf(BlobRejectedError);
      return (error as BlobRejectedError).rule;
    }
    return "accepted";
  };
  const good = () => readFileSync(dataFile(store, hashes[0]));

  test.each([
    ["empty", () => new Uint8Array(0), "snappy"],
    ["cut", () => good().subarray(0, 100), "snappy"],
    ["of other bytes", () => new Uint8Array(1000).fill(0xff), "snappy"],
    ["claiming to unpack to gigabytes", () => Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2), "snappy"],
    ["cut gzip", () => gzipSync(good()).subarray(0, 500), "gzip"],
    ["a gzip bomb", () => gzipSync(new Uint8Array(50_000_000)), "gzip"],
    ["no JSON", () => snappy.compressSync("hello"), "json"],
    ["JSON of a number", () => packed(5), "json"],
    ["without a commitment", () => packed({ blob: contents[0].blob }), "commitment-size"],
    [
      "with a blob of other letters",
      () => packed({ ...contents[0], blob: contents[0].blob.replace(/.$/, "z") }),
      "blob-size",
    ],
    ["with a short blob", () => packed({ ...contents[0], blob: contents[0].blob.slice(0, -2) }), "blob-size"],
    ["of another blob", () => packed(contents[1]), "versioned-hash"],
    ["as written", good, "accepted"],
  ])("a blob file that is %s gives: %s", (_, file, rule) => {
    expect(wrong(file)).toBe(rule);
  });

  test("a blob file is read the same in other JSON forms, and up to the last byte of a full blob", () => {
    const read = (file: Uint8Array) => readBlobFile("store", file, wanted[0]);
    const usual = read(good());
    expect(toHex(usual.data)).toBe(contents[0].blob);
    const { blob, kzg_commitment } = contents[0];
    expect(read(packed({ kzg_commitment, blob }))).toEqual(usual);
    expect(read(snappy.compressSync(JSON.stringify({ blob, kzg_commitment }, undefined, 1)))).toEqual(usual);
    const full = `${blob.slice(0, -2)}0A`;
    expect(toHex(read(packed({ blob: full, kzg_commitment })).data)).toBe(full.toLowerCase());
    expect(toHex(read(packed({ blob: blob.toUpperCase().replace("0X", "0x"), kzg_commitment })).data)).toBe(blob);
  });
});

describe("an HTTP file store", () => {
  const serve = ({ path }: FakeRequest): FakeAnswer => {
    const file = join(store, path.replace("/base", ""));
    return existsSync(file)
      ? { raw: readFileSync(file), type: "application/octet-stream" }
      : { raw: "none", status: 404 };
  };

  test("an HTTP file store gives blobs below its path, and 404 for others", async () => {
    const server = await fake(httpFake(serve));
    const fetcher = fetcherOf({ fileStoreUrls: [`${server.url}/base/`] });
    expect(await fetcher.checkSources()).toBe(1);
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    expect(server.seen[0].path).toBe(`/base/${NETWORK}/.healthcheck`);
    const error = await fetcher.fetch(l1Block, [new Uint8Array(32)], { historical: true }).catch((e: unknown) => e);
    expect((error as MissingBlobError).missing[0].reasons[0].reason).toBe("not there");
  });

  test("an HTTP file store that fails for a moment is asked again", async () => {
    let asked = 0;
    const server = await fake(httpFake((request) => (++asked === 1 ? { raw: "busy", status: 503 } : serve(request))));
    const fetcher = fetcherOf({ fileStoreUrls: [server.url], retryDelaysMs: [1] });
    expect(text(await fetcher.fetch(l1Block, [wanted[0]], { historical: true }))).toEqual([contents[0].blob]);
    expect(asked).toBe(2);
  });
});

describe("sources that drip their answers", () => {
  const kinds: [string, (url: string) => Partial<BlobFetcherOptions>][] = [
    ["a file store", (url) => ({ fileStoreUrls: [url, `file://${store}`] })],
    [
      "a bucket",
      (url) => ({ fileStoreUrls: [`s3://bucket/x?endpoint=${encodeURIComponent(url)}`, `file://${store}`] }),
    ],
  ];
  test.each(kinds)(
    "%s that drips is given up for the next source, and is asked last from then on",
    async (_, options) => {
      const server = await fake(httpFake(() => drip(10)));
      const fetcher = fetcherOf({ ...options(server.url), timeoutMs: 200 });
      expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
      const asked = server.seen.length;
      expect(asked).toBeGreaterThan(0);
      expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
      expect(server.seen.length).toBe(asked);
    },
  );

  test("consensus clients and archives that drip are given up", async () => {
    const { url } = await fake(httpFake(() => drip(10)));
    const l1 = await fake(executionFake(() => ({ hash: L1_HASH, parentBeaconBlockRoot: BEACON_ROOT })));
    const fetcher = fetcherOf({ l1RpcUrls: [l1.url], consensusUrls: [url], archiveUrl: url, timeoutMs: 200 });
    const error = await fetcher.fetch(l1Block, [wanted[0]], { historical: true }).catch((e: unknown) => e);
    const [{ reasons }] = (error as MissingBlobError).missing;
    expect(reasons.map(({ reason }) => reason).join()).toMatch(/within 200 ms.*within 200 ms/);
  });

  test("a file store that drips at the start counts as unreachable, while another one is used", async () => {
    const { url } = await fake(httpFake(() => drip(10)));
    const warned: object[] = [];
    const logger = { ...silentLogger, warn: (facts: object) => void warned.push(facts) };
    const fetcher = fetcherOf({ fileStoreUrls: [url, `file://${store}`], timeoutMs: 200, logger });
    expect(await fetcher.checkSources()).toBe(1);
    expect(warned).toMatchObject([{ endpoint: url, reason: expect.stringContaining("too slow") }]);
  });

  test("a file store that hangs delays the start and one fetch a little, and no further fetch", async () => {
    let hangs = false;
    const silent = await fake(httpFake(() => (hangs ? "silence" : { raw: "", status: 404 })));
    const fetcher = fetcherOf({ fileStoreUrls: [silent.url, `file://${store}`], timeoutMs: 600_000 });
    expect(await fetcher.checkSources()).toBe(1);
    hangs = true;
    const blobsAsked = () => silent.seen.filter(({ path }) => path.includes("/blobs/")).length;
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    const asked = blobsAsked();
    for (let i = 0; i < 3; i++) await fetcher.fetch(l1Block, wanted, { historical: true });
    expect(blobsAsked()).toBe(asked);
    expect(await fetcherOf({ fileStoreUrls: [silent.url, `file://${store}`], timeoutMs: 600_000 }).checkSources()).toBe(
      1,
    );
  });

  test("a consensus client that hangs is given up for the next", async () => {
    const l1 = await fake(executionFake(() => ({ hash: L1_HASH, parentBeaconBlockRoot: BEACON_ROOT })));
    const silent = await fake(httpFake(() => "silence"));
    const good = await fake(
      httpFake(({ path }) => ({
        json: { data: path.includes("headers") ? { header: { message: { slot: "99" } } } : contents },
      })),
    );
    const consensusUrls = [silent.url, good.url];
    const fetcher = fetcherOf({ l1RpcUrls: [l1.url], consensusUrls, timeoutMs: 600_000 });
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
  });

  test("checking a file store that drips ends when the start is aborted", async () => {
    const { url } = await fake(httpFake(() => drip(10)));
    const stop = new AbortController();
    const checked = fetcherOf({ fileStoreUrls: [url], timeoutMs: 600_000 }).checkSources({ signal: stop.signal });
    setTimeout(() => stop.abort(new Error("stopping")), 50);
    await expect(checked).rejects.toThrow("stopping");
  });
});

describe("a consensus client", () => {
  const beacon =
    (slots: Record<number, unknown>, head = 200) =>
    ({ path }: FakeRequest): FakeAnswer => {
      const [, slot] = /blob_sidecars\/(\d+)/.exec(path) ?? [];
      const header = (at: number) => ({ json: { data: { header: { message: { slot: String(at) } } } } });
      if (path.includes(`/headers/${BEACON_ROOT}`)) return header(99);
      if (path.includes("/headers/head")) return header(head);
      if (path.endsWith("/headers")) return { json: { data: [] } };
      const found = slots[Number(slot)];
      return found ? { json: { data: found } } : { json: { message: "not found" }, status: 404 };
    };
  const execution = (fields: object = { parentBeaconBlockRoot: BEACON_ROOT }) =>
    fake(executionFake((hash) => ({ hash, ...fields })));
  const others = { blob: `0x${"00".repeat(131072)}`, kzg_commitment: `0xc0${"00".repeat(47)}` };

  test("a consensus client gives the sidecars of the slot after the parent beacon block", async () => {
    const [l1, server] = [await execution(), await fake(httpFake(beacon({ 100: [others, ...contents] })))];
    const fetcher = fetcherOf({ l1RpcUrls: [l1.url], consensusUrls: [`${server.url}/`] });
    expect(await fetcher.checkSources()).toBe(1);
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    expect(l1.seen.map(({ body }) => JSON.parse(body))).toContainEqual(
      expect.objectContaining({ method: "eth_getBlockByHash", params: [L1_HASH, false] }),
    );
    expect(server.seen.map(({ path }) => path)).toEqual([
      "/eth/v1/beacon/headers",
      `/eth/v1/beacon/headers/${BEACON_ROOT}`,
      "/eth/v1/beacon/blob_sidecars/100",
    ]);
  });

  test.each([
    ["after file stores", undefined, `file://`],
    ["before file stores with BLOB_PREFER_FILESTORES=false", true, "http://"],
  ])("a consensus client is asked %s", async (_, consensusFirst, first) => {
    const [l1, server] = [await execution(), await fake(httpFake(beacon({ 100: [others, ...contents] })))];
    const urls = { l1RpcUrls: [l1.url], consensusUrls: [server.url], fileStoreUrls: [`file://${store}`] };
    const fetcher = fetcherOf({ ...urls, consensusFirst });
    expect(fetcher.sourceNames[0]).toContain(first);
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    expect(server.seen.length > 0).toBe(consensusFirst === true);
  });

  test("a consensus client is searched over at most ten missed slots and never beyond its head", async () => {
    const l1 = await execution();
    const at = async (slot: number, head?: number) => {
      const server = await fake(httpFake(beacon({ [slot]: contents }, head)));
      const fetcher = fetcherOf({ l1RpcUrls: [l1.url], consensusUrls: [server.url] });
      const found = await fetcher.fetch(l1Block, wanted, { historical: true }).catch((e: unknown) => e);
      const asked = server.seen.filter(({ path }) => path.includes("blob_sidecars")).length;
      return found instanceof MissingBlobError ? `missing after ${asked}` : `found after ${asked}`;
    };
    expect(await at(103)).toBe("found after 4");
    expect(await at(110)).toBe("found after 11");
    expect(await at(111)).toBe("missing after 11");
    expect(await at(103, 102)).toBe("missing after 3");
  });

  test("a consensus client gets its API key as a query parameter or as a header", async () => {
    const l1 = await execution();
    const servers = [await fake(httpFake(beacon({}, 100))), await fake(httpFake(beacon({ 100: contents })))];
    const fetcher = fetcherOf({
      l1RpcUrls: [l1.url],
      consensusUrls: servers.map(({ url }) => url),
      consensusApiKeys: ["sesame", "mellon"],
      consensusApiKeyHeaders: [undefined, "x-api-key"],
    });
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    expect(servers[0].seen.every(({ path }) => path.endsWith("?key=sesame"))).toBe(true);
    expect(
      servers[1].seen.every(({ path, headers }) => !path.includes("key") && headers["x-api-key"] === "mellon"),
    ).toBe(true);
  });

  test("a consensus client that answers a malformed blob is trusted with none of its blobs", async () => {
    const l1 = await execution();
    const bad = await fake(httpFake(beacon({ 100: [...contents, { ...contents[0], blob: "0x12" }] })));
    const good = await fake(httpFake(beacon({ 100: contents })));
    const fetcher = fetcherOf({ l1RpcUrls: [l1.url], consensusUrls: [bad.url, good.url] });
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    const alone = fetcherOf({ l1RpcUrls: [l1.url], consensusUrls: [bad.url] });
    const error = (await alone
      .fetch(l1Block, wanted, { historical: true })
      .catch((e: unknown) => e)) as MissingBlobError;
    expect(error.missing).toHaveLength(3);
    expect(error.missing[0].reasons[0].reason).toMatch(/one of its 4 blobs is malformed/);
  });

  test.each([
    ["whose L1 block names no beacon block", {}, /names no parent beacon block/],
    ["whose L1 block names a zero beacon block", { parentBeaconBlockRoot: `0x${"00".repeat(32)}` }, /names no parent/],
    [
      "that does not know the beacon block",
      { parentBeaconBlockRoot: `0x${"01".repeat(32)}` },
      /does not know the parent/,
    ],
  ])("a consensus client %s is skipped", async (_, fields, reason) => {
    const [l1, server] = [await execution(fields), await fake(httpFake(beacon({ 100: contents })))];
    const fetcher = fetcherOf({ l1RpcUrls: [l1.url], consensusUrls: [server.url] });
    const error = (await fetcher
      .fetch(l1Block, wanted, { historical: true })
      .catch((e: unknown) => e)) as MissingBlobError;
    expect(error.missing[0].reasons[0].reason).toMatch(reason);
  });
});

describe("a blob archive", () => {
  const block = () => ({
    transactions: [
      { hash: "0x1", blobs: [] },
      { hash: "0x2", blobs: contents.map(({ blob, kzg_commitment }) => ({ data: blob, commitment: kzg_commitment })) },
    ],
  });

  test("a blob archive gives the blobs of an L1 block, as the last source", async () => {
    const server = await fake(
      httpFake(({ path }) => ({
        json: path.startsWith("/api/blocks?") ? { blocks: [{ hash: "0x1", slot: 1, number: 1 }] } : block(),
      })),
    );
    const partial = alteredStore("partial", { 1: undefined });
    const fetcher = fetcherOf({ fileStoreUrls: [`file://${partial}`], archiveUrl: `${server.url}/api` });
    expect(await fetcher.checkSources()).toBe(2);
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    expect(server.seen.map(({ path }) => path)).toEqual([
      "/api/blocks?sort=desc&type=canonical&p=1&ps=1",
      `/api/blocks/${L1_HASH}?type=canonical&expand=blob%2Cblob_data`,
    ]);
    expect(server.seen[1].headers.accept).toBe("application/json");
  });

  test.each([
    ["does not know the block", { json: {}, status: 404 }, /does not know L1 block 20/],
    ["fails", { json: {}, status: 500 }, /HTTP status 500/],
    ["refuses", { json: {}, status: 401 }, /HTTP status 401/],
    ["answers HTML", { raw: "<html>" }, /not JSON/],
    ["answers something else", { json: { hello: 1 } }, /without a list of transactions/],
  ])("a blob archive that %s is skipped", async (_, answer, reason) => {
    const server = await fake(httpFake(() => answer as FakeAnswer));
    const fetcher = fetcherOf({ archiveUrl: server.url });
    const error = (await fetcher
      .fetch(l1Block, wanted, { historical: true })
      .catch((e: unknown) => e)) as MissingBlobError;
    expect(error.missing[0].reasons[0].reason).toMatch(reason);
  });

  test("a blob archive must use https, except on this machine", () => {
    expect(() => fetcherOf({ archiveUrl: "http://blobs.example/" })).toThrow(BlobSourceConfigurationError);
    expect(() => fetcherOf({ archiveUrl: "https://blobs.example/" })).not.toThrow();
  });
});

describe("blob sources at the start", () => {
  test("the start fails if all blob sources are down, unless that is allowed", async () => {
    const [dead, other] = [await deadUrl(), join(folder, "nowhere")];
    const fetcher = fetcherOf({ fileStoreUrls: [`file://${other}`, dead] });
    const error = await fetcher.checkSources().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(NoBlobSourceReachableError);
    expect((error as Error).message).toContain(dead);
    expect(await fetcher.checkSources({ allowEmpty: true })).toBe(0);
  });

  test("the start on a real chain fails without a configured blob source", async () => {
    const fetcher = fetcherOf({ identity: { ...identity, l1ChainId: 1 } });
    await expect(fetcher.checkSources()).rejects.toThrow(/none is configured/);
  });
});

describe("an upload store", () => {
  test("an upload store receives the fetched blobs and a healthcheck, in the store's own format", async () => {
    const upload = join(folder, "upload");
    const fetcher = fetcherOf({ fileStoreUrls: [`file://${store}`], uploadUrl: `file://${upload}` });
    await fetcher.keepHealthcheck(60_000);
    await fetcher.fetch(l1Block, wanted, { historical: true });
    await fetcher.close();
    expect(readFileSync(join(upload, NETWORK, ".healthcheck"), "utf8")).toBe("ok");
    expect(readdirSync(join(upload, NETWORK, "blobs")).toSorted()).toEqual(hashes.map((h) => `${h}.data`).toSorted());
    const again = fetcherOf({ fileStoreUrls: [`file://${upload}`] });
    expect(text(await again.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
  });

  test("an upload store that cannot be written to does not disturb fetching", async () => {
    const blocked = join(folder, "blocked");
    mkdirSync(blocked);
    writeFileSync(join(blocked, NETWORK), "a file where a folder should be");
    const warned: string[] = [];
    const fetcher = fetcherOf({
      fileStoreUrls: [`file://${store}`],
      uploadUrl: `file://${blocked}`,
      logger: { ...silentLogger, warn: (_, message) => void warned.push(message) },
    });
    expect(text(await fetcher.fetch(l1Block, wanted, { historical: true }))).toEqual(blobsOf());
    await fetcher.close();
    expect(warned).toEqual(["blobs cannot be uploaded"]);
  });
});
