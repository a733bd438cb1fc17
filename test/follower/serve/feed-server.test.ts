import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { UpstreamStream } from "../../../src/follower/follow/upstream-stream.ts";
import { packValues } from "../../../src/follower/format/payload.ts";
import { encodeRequest, FEED_PATH, MAX_REQUEST_BYTES } from "../../../src/follower/format/request.ts";
import { SNAPSHOT_PATH } from "../../../src/follower/format/snapshot.ts";
import type { FeedServer } from "../../../src/follower/serve/feed-server.ts";
import { RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { type RecordedNode, recordedNode } from "../../world/archiver/recorded-node.ts";
import { serveFeed, urlOf } from "../../world/follower/feed-nodes.ts";

const MOST = 3;
const NOTHING = { messages: [], checkpoints: [], proposed: [], processed: 0 };

const core = loadCore();
const path = mkdtempSync(join(tmpdir(), "svc-feed-server-"));
const { signal } = new AbortController();
let upstream: RecordedNode;
let feed: FeedServer;

beforeAll(async () => {
  const recording = await readRecordedL1();
  upstream = recordedNode(core, new RecordedL1(recording), path);
  feed = await serveFeed(core, upstream, recording.identity, { maxFollowers: MOST });
});
afterAll(async () => {
  await feed?.close();
  await upstream?.close();
  rmSync(path, { recursive: true, force: true });
});

function ask(method: string, path: string, body?: Uint8Array): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = request(`${urlOf(feed)}${path}`, { method, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", reject);
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

test.each([
  ["GET", FEED_PATH, undefined, 405, "Method Not Allowed"],
  ["POST", SNAPSHOT_PATH, undefined, 405, "Method Not Allowed"],
  ["GET", "/", undefined, 404, "Not Found"],
  ["GET", SNAPSHOT_PATH, undefined, 404, "the chain has no checkpoint yet"],
  ["POST", FEED_PATH, Buffer.from("garbage"), 400, "payload must"],
  ["POST", FEED_PATH, packValues([2, [], [], [], 0]), 400, "request version must be 1, got 2"],
  ["POST", FEED_PATH, Buffer.alloc(MAX_REQUEST_BYTES + 1), 413, `at most ${MAX_REQUEST_BYTES} bytes`],
])("the port of the feed answers %s %s with its fault (%#)", async (method, path, body, status, text) => {
  const answer = await ask(method, path, body);
  expect(answer.status).toBe(status);
  expect(answer.text).toContain(text);
  await expect.poll(() => feed.followers).toBe(0);
});

test("the port of the feed serves as many followers as configured, and another one when one has left", async () => {
  const open = () => UpstreamStream.open(urlOf(feed), NOTHING, signal);
  const followers = await Promise.all(Array.from({ length: MOST }, open));
  for (const follower of followers) expect(await follower.next(signal)).toMatchObject({ kind: "hello" });
  expect(feed.followers).toBe(MOST);
  await expect(open()).rejects.toMatchObject({ fault: "refused", message: expect.stringContaining("status 503") });
  expect(await ask("POST", FEED_PATH, encodeRequest(NOTHING))).toEqual({ status: 503, text: "too many followers\n" });
  followers[0].close();
  await expect.poll(() => feed.followers).toBe(MOST - 1);
  const late = await open();
  expect(await late.next(signal)).toMatchObject({ kind: "hello" });
  for (const follower of [...followers, late]) follower.close();
  await expect.poll(() => feed.followers).toBe(0);
});

test("the port of the feed tells all followers of a commit, also beside some that read nothing", async () => {
  const open = () => UpstreamStream.open(urlOf(feed), NOTHING, signal);
  const silent = request(`${urlOf(feed)}${FEED_PATH}`, { method: "POST", agent: false });
  silent.on("error", () => undefined);
  silent.on("response", (answer) => answer.pause());
  silent.end(encodeRequest(NOTHING));
  await expect.poll(() => feed.followers).toBe(1);
  const followers = await Promise.all([open(), open()]);
  for (const follower of followers) expect(await follower.next(signal)).toMatchObject({ kind: "hello" });
  await upstream.synchronizer.syncOnce();
  for (const follower of followers) {
    let numbers: number[] = [];
    while (numbers.at(-1) !== upstream.chain.latestCheckpointNumber()) {
      const frame = await follower.next(signal);
      if (frame.kind === "checkpoints") numbers = [...numbers, ...frame.checkpoints.map(({ number }) => number)];
    }
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, i) => i + 1));
    follower.close();
  }
  silent.destroy();
  await expect.poll(() => feed.followers).toBe(0);
});
