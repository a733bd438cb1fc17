import { expect, test } from "vitest";
import { fitAnswersIntoFrames } from "../../../../src/p2p/patches/gossipsub/fitting-answers.ts";
import type { RouterInternals, RpcMessage } from "../../../../src/p2p/patches/gossipsub/router-internals.ts";

interface Sent {
  messages: RpcMessage[];
  control?: { iwant: { messageIDs: Uint8Array[] }[] };
}

/** A router that has `messages` and misses the ids `missing`. */
function router(messages: RpcMessage[], missing: Uint8Array[] = []) {
  const sent: Sent[] = [];
  const promised: number[] = [];
  const inside = {
    handleIHave: () => (missing.length === 0 ? [] : [{ messageIDs: missing }]),
    handleIWant: () => messages,
    sendRpc: (_: string, rpc: Sent) => sent.push(rpc) > 0,
    gossipTracer: { addPromise: (_: string, ids: Uint8Array[]) => promised.push(ids.length) },
  } as unknown as RouterInternals;
  fitAnswersIntoFrames(inside);
  return { inside, sent, promised };
}

const MIB = 2 ** 20;
const messageOf = (bytes: number): RpcMessage => ({ topic: "t", data: new Uint8Array(bytes) });
const bytesOf = (messages: RpcMessage[]) => messages.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);

test("messages that a peer asks for are sent in frames below four mebibytes, up to eight in all", () => {
  const { inside, sent } = router(Array.from({ length: 400 }, () => messageOf(54_000)));
  const first = inside.handleIWant("peer", [{}]);
  const frames = [first, ...sent.map(({ messages }) => messages)];
  for (const frame of frames) expect(bytesOf(frame)).toBeLessThan(3.6 * MIB);
  expect(frames.length).toBe(3);
  expect(bytesOf(frames.flat())).toBeGreaterThan(7.9 * MIB);
  expect(bytesOf(frames.flat())).toBeLessThanOrEqual(8 * MIB);
});

test("one message of the largest size is sent alone, and few small ones in one frame", () => {
  const large = router([messageOf(100), messageOf(4 * MIB - 2_000), messageOf(100)]);
  expect(large.inside.handleIWant("peer", [{}]).length).toBe(1);
  expect(large.sent.map(({ messages }) => messages.length)).toEqual([1, 1]);
  const small = router([messageOf(100), messageOf(200)]);
  expect(small.inside.handleIWant("peer", [{}]).length).toBe(2);
  expect(small.sent).toEqual([]);
  expect(router([]).inside.handleIWant("peer", [{}])).toEqual([]);
});

test("missing messages are asked for in requests whose answers fit, and each request is remembered", () => {
  const { inside, sent, promised } = router(
    [],
    Array.from({ length: 1_000 }, (_, i) => Uint8Array.of(i)),
  );
  const [{ messageIDs }] = inside.handleIHave("peer", [{}]);
  expect(messageIDs.length).toBe(32);
  expect(sent.map(({ control }) => control?.iwant[0].messageIDs.length)).toEqual(Array(7).fill(32));
  expect(promised).toEqual(Array(7).fill(32));
  expect(router([]).inside.handleIHave("peer", [{}])).toEqual([]);
});
