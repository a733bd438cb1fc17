import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import type { Frame } from "../../../src/follower/format/frames.ts";
import { readIdentity } from "../../../src/follower/format/hello.ts";
import type { FeedServer } from "../../../src/follower/serve/feed-server.ts";
import { identityJson } from "../../../src/l1/identity-json.ts";
import { HEADER_AT, HEADER_SNAPSHOT_AT } from "../../../src/protocol/block-header.ts";
import { concat } from "../../../src/protocol/bytes.ts";
import { blockWords } from "../../../src/protocol/checkpoint-blob-writer.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { NOTE_HASH_TREE } from "../../../src/protocol/constants.ts";
import { nextRollingHash } from "../../../src/protocol/l1-to-l2-message.ts";
import type { Logger } from "../../../src/telemetry/logger.ts";
import { dump } from "../../world/archiver/open-chain.ts";
import { type L1Recording, RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { type RecordedNode, recordedBlocks, recordedNode } from "../../world/archiver/recorded-node.ts";
import { followingNode, serveFeed, urlOf } from "../../world/follower/feed-nodes.ts";
import { type Lie, lyingFeed } from "../../world/follower/lying-feed.ts";
import "../../support/soak.ts";

type FrameOf<K extends Frame["kind"]> = Extract<Frame, { kind: K }>;

/** A lie about every frame of a kind. */
function about<K extends Frame["kind"]>(kind: K, change: (frame: FrameOf<K>) => Frame | Frame[]): Lie {
  return (frame) => (frame.kind === kind ? [change(frame as FrameOf<K>)].flat() : [frame]);
}

/** Bytes with one bit changed. */
function flipped(bytes: Uint8Array, at = bytes.length - 1): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at] ^= 1;
  return changed;
}

/** A lie about one checkpoint. */
const aboutCheckpoint = (
  number: number,
  change: (checkpoint: FrameOf<"checkpoints">["checkpoints"][number]) => object,
): Lie =>
  about("checkpoints", (frame) => ({
    ...frame,
    checkpoints: frame.checkpoints.map((one) => (one.number === number ? { ...one, ...change(one) } : one)),
  }));

const FINALIZED = 2;
const PROVEN = 4;
/** The last checkpoint of the upstream, and the first with messages. */
const LAST = 17;

/** What is wrong, the lie, the field that is named, and what is expected and got if that can be foretold. */
const LIES: [string, Lie, RegExp][] = [
  [
    "the effects of a tx",
    aboutCheckpoint(3, ({ words }) => ({ words: flipped(words!, 32 * 3 - 1) })),
    /^checkpoint 3$/,
  ],
  [
    "a word that is no field",
    aboutCheckpoint(3, ({ words }) => ({ words: Uint8Array.from(words!).fill(255, 0, 32) })),
    /^checkpoint 3$/,
  ],
  [
    "words that end too early",
    aboutCheckpoint(3, ({ words }) => ({ words: words!.subarray(0, words!.length - 32) })),
    /^checkpoint 3$/,
  ],
  [
    "an archive root",
    aboutCheckpoint(3, ({ archiveRoot }) => ({ archiveRoot: flipped(archiveRoot) })),
    /^ARCHIVE after block 3$|^checkpoint 4$/,
  ],
  [
    "the archive root of the last checkpoint",
    aboutCheckpoint(17, ({ archiveRoot }) => ({ archiveRoot: flipped(archiveRoot) })),
    /^ARCHIVE after block 17$/,
  ],
  [
    "the block headers hash",
    aboutCheckpoint(3, ({ header }) => ({ header: flipped(header, CHECKPOINT_AT.blockHeadersHash + 31) })),
    /^checkpoint 3$/,
  ],
  [
    "the message hash",
    aboutCheckpoint(3, ({ header }) => ({ header: flipped(header, CHECKPOINT_AT.inHash + 31) })),
    /^checkpoint 3$/,
  ],
  [
    "the out hash of an epoch",
    aboutCheckpoint(3, ({ header }) => ({ header: flipped(header, CHECKPOINT_AT.epochOutHash + 31) })),
    /^checkpoint 3$/,
  ],
  [
    "a header, which has the length of another generation's",
    aboutCheckpoint(3, ({ header }) => ({ header: concat(header, new Uint8Array(32)) })),
    /^length of the header of checkpoint 3$/,
  ],
  ["a number", aboutCheckpoint(3, () => ({ number: 5 })), /^number of the next checkpoint$/],
  ["blocks that it claims this node has", aboutCheckpoint(3, () => ({ words: undefined })), /^blocks of checkpoint 3$/],
  [
    "a message",
    about("messages", (frame) => ({
      ...frame,
      messages: frame.messages.map((m) => ({ ...m, leaf: flipped(m.leaf) })),
    })),
    /^rolling hash of message \d+$/,
  ],
  [
    "a message and the rolling hash",
    about("messages", (frame) => {
      const messages = frame.messages.map((m) => ({ ...m, leaf: flipped(m.leaf) }));
      const rollingHash = messages.reduce<Uint8Array>(
        (hash, { leaf }) => nextRollingHash(hash, leaf),
        new Uint8Array(16),
      );
      return { ...frame, messages, rollingHash };
    }),
    /^checkpoint \d+$/,
  ],
  [
    "a message's index",
    about("messages", (frame) => ({ ...frame, messages: frame.messages.map((m) => ({ ...m, index: m.index + 1 })) })),
    /^messages$/,
  ],
  [
    "the proven checkpoint",
    about("marks", (frame) => ({ ...frame, proven: { ...frame.proven, checkpoint: 99 } })),
    /^proven checkpoint$/,
  ],
  [
    "the proven archive",
    about("marks", (frame) => ({
      ...frame,
      proven: { ...frame.proven, archiveRoot: flipped(frame.proven.archiveRoot) },
    })),
    /^archive of the proven checkpoint 4$/,
  ],
  [
    "the finalized archive",
    about("marks", (frame) => ({
      ...frame,
      finalized: { ...frame.finalized, archiveRoot: flipped(frame.finalized.archiveRoot) },
    })),
    /^archive of the finalized checkpoint 2$/,
  ],
  [
    "a finalized checkpoint that is not proven",
    about("marks", (frame) => ({ ...frame, finalized: frame.proven, proven: frame.finalized })),
    /^finalized checkpoint$/,
  ],
  [
    "what comes after the finalized checkpoint",
    about("marks", (frame) => [
      frame,
      { kind: "unwind", what: "checkpoints", keep: FINALIZED - 1, next: new Uint8Array(32) },
    ]),
    /^archive of checkpoint 2, which is finalized$/,
  ],
  [
    "a proven checkpoint below the finalized one",
    about("marks", (frame) => [
      frame,
      { ...frame, proven: { checkpoint: 0, archiveRoot: genesis }, finalized: { checkpoint: 0, archiveRoot: genesis } },
    ]),
    /^proven checkpoint$/,
  ],
  [
    "a checkpoint that it publishes again",
    about("marks", (frame) => [
      frame,
      { ...published, kind: "republished", archiveRoot: flipped(published.archiveRoot) },
    ]),
    /^archive of checkpoint 3$/,
  ],
  [
    "the rollup's version",
    about("hello", (frame) => ({
      ...frame,
      identity: JSON.stringify(identityJson({ ...readIdentity(frame.identity), rollupVersion: 7 })),
    })),
    /^rollupVersion$/,
  ],
  [
    "the rollup's generation",
    about("hello", (frame) => ({
      ...frame,
      identity: JSON.stringify(identityJson({ ...readIdentity(frame.identity), generation: "v5" })),
    })),
    /^generation$/,
  ],
  [
    "the genesis",
    about("hello", (frame) => ({
      ...frame,
      identity: JSON.stringify(
        identityJson({ ...readIdentity(frame.identity), genesisArchiveRoot: new Uint8Array(32) }),
      ),
    })),
    /^genesisArchiveRoot$/,
  ],
  [
    "a proposed block's root",
    about("marks", (frame) => [frame, { ...proposed, header: wrongRoot }]),
    /^NOTE_HASH_TREE after block 18$/,
  ],
  [
    "a proposed block's archive",
    about("marks", (frame) => [frame, { ...proposed, archiveRoot: flipped(proposed.archiveRoot) }]),
    /^ARCHIVE after block 18$/,
  ],
  [
    "a proposed block's fees",
    about("marks", (frame) => [frame, { ...proposed, header: flipped(proposed.header, HEADER_AT.totalFees + 31) }]),
    /^fees of proposed block 18$/,
  ],
  [
    "a proposed block's blob hash",
    about("marks", (frame) => [
      frame,
      { ...proposed, header: flipped(proposed.header, HEADER_AT.spongeBlobHash + 31) },
    ]),
    /^blob hash of proposed block 18$/,
  ],
  [
    "a proposed block's body",
    about("marks", (frame) => [frame, { ...proposed, body: flipped(proposed.body, 0) }]),
    /^proposed block 18$/,
  ],
];

let genesis: Uint8Array;
/** The header of the proposed block with another root, and a blob hash that goes with it. */
let wrongRoot: Uint8Array;
let published: FrameOf<"checkpoints">["checkpoints"][number];
let proposed: FrameOf<"proposed">;

/** Streams that are no feed: what the log names. */
const GARBAGE: [string, Lie, RegExp][] = [
  [
    "bytes that are no frames",
    (f) => (f.kind === "marks" ? [f, Buffer.from("HTTP/1.1 400 Bad Request\r\n")] : [f]),
    /frame length must be/,
  ],
  [
    "an unknown encoding",
    (f) => (f.kind === "marks" ? [f, Buffer.from([0, 0, 0, 1, 7, 0])] : [f]),
    /frame encoding must be/,
  ],
  [
    "damaged deflate data",
    (f) => (f.kind === "marks" ? [f, Buffer.from([0, 0, 0, 8, 1, 0, 0, 0, 9, 1, 2, 3, 4])] : [f]),
    /packed frame must be/,
  ],
  [
    "an unknown kind of frame",
    (f) => (f.kind === "marks" ? [f, Buffer.from([0, 0, 0, 2, 0, 0x91, 99])] : [f]),
    /frame kind must be/,
  ],
  ["a second hello", (f) => (f.kind === "hello" ? [f, f] : [f]), /says hello twice/],
  ["no hello", (f) => (f.kind === "hello" ? [] : [f]), /first frame must be hello/],
  [
    "pings without end",
    (f) => (f.kind === "hello" ? [f, ...Array.from({ length: 200 }, (): Frame => ({ kind: "ping" }))] : [f]),
    /frames without end/,
  ],
  ["an end", about("marks", () => ({ kind: "end", reason: "enough" })), /ended the feed: enough/],
  ["half a frame", then((response) => response.end(Buffer.from([0, 0, 1, 0, 0, 1, 2]))), /ended the feed/],
];

/** Streams that stand still. */
const STILL: [string, Lie, RegExp][] = [
  ["a frame that drips in", then(drip), /sends a frame too slowly/],
  ["nothing", then(() => {}), /sends nothing/],
];
/** How long these may. The honest upstream has to send each frame within it, on a busy machine too. */
const STILL_MS = 3_000;

/** All frames but the marks; then `go` has the answer. */
function then(go: (response: ServerResponse) => void): Lie {
  return (frame, rest) => {
    if (frame.kind !== "marks") return [frame];
    rest(go);
    return [];
  };
}

/** A byte each 20 ms of a frame that never ends. */
function drip(response: {
  write(bytes: Uint8Array): unknown;
  on(event: "close", listener: () => void): unknown;
}): void {
  response.write(Buffer.from([0, 0x10, 0, 0, 0]));
  const timer = setInterval(() => response.write(Buffer.from([0x91])), 20);
  response.on("close", () => clearInterval(timer));
}

const core = loadCore();
const path = mkdtempSync(join(tmpdir(), "svc-upstream-"));
let recording: L1Recording;
let upstream: RecordedNode;
let honest: FeedServer;
let right: ReturnType<typeof dump>;

beforeAll(async () => {
  recording = await readRecordedL1();
  genesis = recording.identity.genesisArchiveRoot;
  const { l1 } = recording.checkpoints[LAST - 1];
  upstream = recordedNode(core, new RecordedL1(recording, l1.number), path);
  await upstream.synchronizer.syncOnce();
  const { chain, store } = upstream;
  store.transaction(() => {
    chain.state.putCheckpoint("proven", PROVEN);
    chain.state.putCheckpoint("finalized", FINALIZED);
  });
  published = { ...chain.checkpoint(3)!, words: undefined };
  const [{ record, body }] = (await recordedBlocks(core, recording))[LAST];
  const { hash: _, txCount, ...stated } = record;
  proposed = { kind: "proposed", ...stated, body };
  wrongRoot = flipped(record.header, HEADER_SNAPSHOT_AT[NOTE_HASH_TREE] + 31);
  const sponge = core.blobSponge();
  sponge.absorb(blockWords({ header: wrongRoot, body, txCount }, true));
  wrongRoot.set(sponge.squeeze(), HEADER_AT.spongeBlobHash);
  honest = await serveFeed(core, upstream, recording.identity);
  right = dump(store);
});
afterAll(async () => {
  await honest?.close();
  await upstream?.close();
  rmSync(path, { recursive: true, force: true });
});

/** Follows a liar first and an honest node then. Returns the lines of the log, and how often the liar was asked. */
async function followed(
  lie: Lie,
  frameMs = 120_000,
): Promise<{ lines: { facts: Record<string, unknown>; message: string; liar: string }[]; asked: number }> {
  const liar = await lyingFeed(urlOf(honest), lie);
  const lines: { facts: Record<string, unknown>; message: string; liar: string }[] = [];
  const note = (facts: object, message: string): void => {
    lines.push({ facts: facts as Record<string, unknown>, message, liar: liar.url });
  };
  const logger: Logger = { debug: () => {}, info: () => {}, warn: note, error: note };
  const limits = { connectMs: 30_000, frameMs, bytesPerSecond: 1e9 };
  const follower = followingNode(core, recording.identity, [liar.url, urlOf(honest)], { logger, limits });
  const { chain } = follower;
  const strangers: string[] = [];
  follower.synchronizer.on("blocksAdded", ({ last }) => {
    const stored = upstream.chain.block(last)?.hash;
    if (stored === undefined || !Buffer.from(stored).equals(chain.block(last)!.hash)) strangers.push(`block ${last}`);
  });
  follower.synchronizer.start();
  try {
    await expect.poll(() => lines.length).toBeGreaterThan(0);
    await expect.poll(() => chain.finalizedCheckpointNumber()).toBe(FINALIZED);
    await expect.poll(() => dump(follower.store)).toEqual(right);
    expect(strangers).toEqual([]);
    return { lines, asked: liar.asked };
  } finally {
    await follower.close();
    await liar.close();
  }
}

test.each(LIES)(
  "an upstream that lies about %s is left with a line that says what differs, and nothing of it is stored",
  async (_, lie, field) => {
    const { lines, asked } = await followed(lie);
    expect(asked).toBe(1);
    const [line] = lines.filter(({ message }) => message === "an upstream gave an invalid answer: not following it");
    expect(line.facts).toMatchObject({ upstream: line.liar, expected: expect.any(String), got: expect.any(String) });
    expect(line.facts.field).toMatch(field);
    expect(line.facts.expected).not.toBe(line.facts.got);
  },
);

test.each([...GARBAGE.map((one) => [...one, undefined] as const), ...STILL.map((one) => [...one, STILL_MS] as const)])(
  "an upstream that lies sends %s and is left",
  async (_, lie, rule, frameMs) => {
    const { lines } = await followed(lie, frameMs);
    const [line] = lines.filter(({ message }) => message === "the {service} endpoint {endpoint} fails");
    expect(line.facts).toMatchObject({ service: "feed", endpoint: line.liar });
    expect(line.facts.reason).toMatch(rule);
  },
);

test("an upstream that lies accepts connections and never answers costs a second, whatever time its answer has", async () => {
  const silent = createServer().listen(0, "127.0.0.1");
  await once(silent, "listening");
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const limits = { connectMs: 600_000, frameMs: 600_000, bytesPerSecond: 1 };
  const follower = followingNode(core, recording.identity, [url, urlOf(honest)], { limits });
  follower.synchronizer.start();
  try {
    await expect.poll(() => follower.chain.finalizedCheckpointNumber()).toBe(FINALIZED);
  } finally {
    await follower.close();
    silent.close();
  }
});
