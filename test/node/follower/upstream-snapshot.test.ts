import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { EndpointBook } from "../../../src/endpoints/endpoint-book.ts";
import { feedUpstreams } from "../../../src/follower/follow/ask-upstream.ts";
import type { SnapshotLimits } from "../../../src/follower/follow/download-snapshot.ts";
import { SNAPSHOT_BYTES, SNAPSHOT_SCHEMA } from "../../../src/follower/format/snapshot.ts";
import type { FeedServer } from "../../../src/follower/serve/feed-server.ts";
import { SnapshotCopies } from "../../../src/follower/serve/snapshot-copies.ts";
import { checkSnapshot, removeRefused, type SnapshotFaultError } from "../../../src/node/follower/snapshot-check.ts";
import { startFromSnapshot } from "../../../src/node/follower/upstream-snapshot.ts";
import { SCHEMA_VERSION } from "../../../src/storage/identity.ts";
import { openStore } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { serveFeed, urlOf } from "../../world/follower/feed-nodes.ts";
import {
  answers,
  core,
  MAP_SIZE_KB,
  recordingLogger,
  type SyncedChain,
  syncRecordedChain,
} from "../../world/snapshots/synced-chain.ts";

let chain: SyncedChain;
let feed: FeedServer;
let copies: string;
let database: Buffer;
let folder: string;
const servers: Server[] = [];

beforeAll(async () => {
  chain = await syncRecordedChain();
  copies = mkdtempSync(join(tmpdir(), "svc-feed-copies-"));
  const { store } = chain.services;
  const snapshots = new SnapshotCopies({ store, folderPrefix: join(copies, "copy-"), log: silentLogger });
  feed = await serveFeed(core, chain.services, chain.reader.identity, { snapshots });
  await store.copyTo(join(copies, "chain"));
  database = readFileSync(join(copies, "chain/data.mdb"));
});
afterAll(async () => {
  await feed.close();
  await chain.close();
  rmSync(copies, { recursive: true, force: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-follower-"));
  mkdirSync(join(folder, "chain"));
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const directory = () => ({ path: folder, chainStore: join(folder, "chain") });

async function upstream(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const HEADERS = () => ({ [SNAPSHOT_BYTES]: database.length, [SNAPSHOT_SCHEMA]: SCHEMA_VERSION });
const serving = (bytes: Uint8Array, headers: object = {}): RequestListener => {
  const packed = zstdCompressSync(bytes);
  return (_, response) => response.writeHead(200, { ...HEADERS(), ...headers }).end(packed);
};

/** Packed so that unpacking it takes 64 MiB of memory. */
async function packedFarReferring(bytes: Uint8Array): Promise<Uint8Array> {
  const pack = createZstdCompress({ params: { [constants.ZSTD_c_windowLog]: 26 } });
  pack.end(bytes);
  return await buffer(pack);
}

async function start(urls: string[], limits: Partial<SnapshotLimits> = {}, tellEveryMs?: number) {
  const logger = recordingLogger();
  const taken = await startFromSnapshot({
    ...{
      upstreams: feedUpstreams(urls, new EndpointBook()),
      directory: directory(),
      identity: chain.reader.identity,
      core,
      mapSizeKb: MAP_SIZE_KB,
    },
    ...{ openChain: chain.open, log: logger, signal: new AbortController().signal },
    stream: { isTTY: false } as NodeJS.WriteStream,
    limits: { silentMs: 20_000, againMs: 5, preparingMs: 60_000, ...limits },
    tellEveryMs,
  });
  return { taken, lines: logger.lines };
}

/** Runs the check of a snapshot to its end. */
function checked(): Promise<SnapshotFaultError | undefined> {
  return new Promise((resolve) => {
    const log = { ...silentLogger, info: () => resolve(undefined) };
    const check = checkSnapshot(folder, { log, onFault: resolve });
    expect(check?.health.read().reason).toMatch(/is being checked$/);
    check?.start();
  });
}

test("a follower without data starts from the store of its upstream, which is checked to the last row", async () => {
  const { taken } = await start([urlOf(feed)]);
  expect(taken).toBe(urlOf(feed));
  const services = await chain.open(join(folder, "chain"));
  expect(answers(services)).toEqual(answers(chain.services));
  await services.store.close();

  expect(await checked()).toBeUndefined();
  // Nothing is left to check, and no second snapshot is taken.
  expect(checkSnapshot(folder, { log: silentLogger, onFault: () => expect.unreachable() })).toBeUndefined();
  expect((await start([urlOf(feed)])).taken).toBeUndefined();
});

test("asks the next upstream when one has none, breaks off, sends garbage, or another schema", async () => {
  const packed = zstdCompressSync(database);
  const farReferring = await packedFarReferring(database);
  const urls = [
    await upstream((_, response) => response.writeHead(404).end()),
    await upstream((_, response) => {
      response.writeHead(200, { ...HEADERS(), "Content-Length": packed.length });
      response.write(packed.subarray(0, packed.length >> 1), () => response.destroy());
    }),
    await upstream(serving(database.subarray(0, database.length - 4096))),
    await upstream((_, response) => response.writeHead(200, HEADERS()).end(Buffer.alloc(99, 7))),
    await upstream(serving(database, { [SNAPSHOT_SCHEMA]: SCHEMA_VERSION + 1 })),
    await upstream(serving(database, { [SNAPSHOT_BYTES]: "many" })),
    await upstream(serving(database, { [SNAPSHOT_BYTES]: 4096 })),
    await upstream(serving(database, { [SNAPSHOT_BYTES]: 1e15 - 1 })),
    await upstream(serving(Buffer.alloc(database.length))),
    await upstream((_, response) => response.writeHead(200, HEADERS()).end(farReferring)),
    urlOf(feed),
  ];
  const { taken, lines } = await start(urls);
  expect(taken).toBe(urlOf(feed));
  const told = lines
    .filter(({ level }) => level === "warn" || level === "error")
    .map(({ facts }) => String(facts.reason));
  expect(told).toEqual([
    expect.stringMatching(/answers with status 404$/),
    expect.stringMatching(/(ended the snapshot after \d+ of \d+ bytes|its snapshot is damaged: .*)$/),
    expect.stringMatching(/ended the snapshot after \d+ of \d+ bytes$/),
    expect.stringMatching(/its snapshot is damaged: Unknown frame descriptor$/),
    expect.stringMatching(/the schema version of its snapshot is \d+, this node reads \d+$/),
    expect.stringMatching(/header x-svc-snapshot-bytes must be a whole number$/),
    expect.stringMatching(/its snapshot exceeds 4096 bytes$/),
    expect.stringMatching(/^its database has 999999999999999 bytes, \d+ bytes are free$/),
    expect.stringMatching(/^its database is damaged: /),
    expect.stringMatching(/its snapshot is damaged: Frame requires too much memory for decoding$/),
  ]);
});

test("asks the next upstream when one is never done with its snapshot, and says meanwhile what it waits for", async () => {
  const preparing = await upstream((_, response) => response.writeHead(202).end());
  const { taken, lines } = await start([preparing, urlOf(feed)], { preparingMs: 300 }, 20);
  expect(taken).toBe(urlOf(feed));
  expect(lines.filter(({ level }) => level === "warn").map(({ facts }) => facts.reason)).toEqual([
    `upstream ${preparing}: has made no snapshot in 0 s`,
  ]);
  expect(lines).toContainEqual(
    expect.objectContaining({ message: expect.stringMatching(/^waiting for the snapshot/), level: "info" }),
  );
});

test("asks the next upstream when one sends its snapshot byte by byte, however often", async () => {
  const packed = zstdCompressSync(database);
  let timer: NodeJS.Timeout | undefined;
  const dripping = await upstream((_, response) => {
    response.writeHead(200, HEADERS());
    let at = 0;
    timer = setInterval(() => response.write(packed.subarray(at, ++at)), 10);
    response.on("close", () => clearInterval(timer));
  });
  const { taken, lines } = await start([dripping, urlOf(feed)], { silentMs: 100 });
  expect(taken).toBe(urlOf(feed));
  expect(lines.find(({ level }) => level === "warn")?.facts.reason).toMatch(
    /the server is too slow: \d+ bytes of the answer after \d+ ms; \d+ of \d+ bytes of its snapshot are unpacked$/,
  );
});

test.each([
  ["chain", "31337", "31338", /^its l1ChainId is 31338, this node follows 31337$/],
  ["protocol", '{"', '{"generation":"v5","', /^its generation is v5, this node follows v4$/],
  [
    "protocol that is unknown",
    '{"',
    '{"generation":"v9","',
    /^its generation is v9, which this program does not know$/,
  ],
])(
  "refuses a snapshot of another %s, and takes all by the feed when no upstream has one",
  async (_, own, other, reason) => {
    cpSync(join(copies, "chain"), join(folder, "other"), { recursive: true });
    const store = openStore({ path: join(folder, "other") });
    const identity = store.table("identity");
    const [{ key, value }] = [...identity.range({})];
    store.transaction(() =>
      identity.put(key, Buffer.from(Buffer.from(value).toString("latin1").replace(own, other), "latin1")),
    );
    await store.close();
    const bytes = readFileSync(join(folder, "other/data.mdb"));
    const { taken, lines } = await start([await upstream(serving(bytes, { [SNAPSHOT_BYTES]: bytes.length }))]);
    expect(taken).toBeUndefined();
    expect(lines.find(({ level }) => level === "error")?.facts.reason).toMatch(reason);
    expect(existsSync(join(folder, "chain/data.mdb"))).toBe(false);
  },
);

test("stops when the history of a snapshot is not what its roots say, and removes it at the next start", async () => {
  const { taken } = await start([urlOf(feed)]);
  const store = openStore({ path: join(folder, "chain") });
  const bodies = store.table("chain-block-bodies");
  const { key, value } = [...bodies.range({})][10];
  const changed = Uint8Array.from(value);
  changed[Math.floor(changed.length / 2)] ^= 1;
  store.transaction(() => bodies.put(key, changed));
  await store.close();

  const error = await checked();
  expect(error?.message).toMatch(new RegExp(`^the snapshot of ${taken} is refused: chain-block-bodies `));
  expect(removeRefused(directory(), silentLogger)).toBe(true);
  expect(existsSync(join(folder, "chain/data.mdb"))).toBe(false);
  expect(removeRefused(directory(), silentLogger)).toBe(false);
  writeFileSync(join(folder, "snapshot.json"), "{");
  expect(removeRefused(directory(), silentLogger)).toBe(true);
});

/** The processes that check snapshots for this one. */
function checkingProcesses(): number[] {
  const tasks = `/proc/${process.pid}/task`;
  return readdirSync(tasks)
    .flatMap((task) =>
      readFileSync(join(tasks, task, "children"), "utf8")
        .trim()
        .split(" "),
    )
    .filter((pid) => pid !== "" && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("snapshot-check-process"))
    .map(Number);
}

test.for([
  ["SIGSEGV", "reading it ended by SIGSEGV, as damaged pages do", true],
  ["SIGTERM", "the check of the snapshot ended early, the next start repeats it", false],
] as const)("a check that ends by %s says so", async ([signal, words, isRefused]) => {
  await start([urlOf(feed)]);
  const told = Promise.withResolvers<string>();
  const log = { ...silentLogger, warn: (_: object, message: string) => told.resolve(message) };
  const check = checkSnapshot(folder, { log, onFault: ({ fault }) => told.resolve(fault.rule) });
  check?.start();
  for (const pid of checkingProcesses()) process.kill(pid, signal);
  expect(await told.promise).toBe(words);
  expect(removeRefused(directory(), silentLogger)).toBe(isRefused);
});
