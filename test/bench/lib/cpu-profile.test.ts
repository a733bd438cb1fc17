import { expect, test } from "vitest";
import { type CpuProfile, frameTree, joined, topFunctions } from "../../../bench/lib/cpu-profile.ts";
import { flameGraph } from "../../../bench/lib/flame-graph.ts";

const node = (id: number, functionName: string, url: string, children: number[] = []) => ({
  ...{ id, children },
  callFrame: { functionName, url, lineNumber: 9 },
});

/** main calls work from two places in its code; work calls function 3 of a module. */
const PROFILE: CpuProfile = {
  nodes: [
    node(1, "(root)", "", [2, 3, 6]),
    node(2, "(idle)", ""),
    node(3, "main", "file:///a/main.ts", [4, 5]),
    node(4, "work", "file:///a/work.ts", [7]),
    node(5, "work", "file:///a/work.ts"),
    node(6, "atomicsWaitLoop", "file:///a/worker.js"),
    node(7, "wasm-function[3]", "wasm://wasm/1"),
  ],
  samples: [2, 3, 4, 5, 7, 6],
  timeDeltas: [1000, 10, 20, 30, 40, 5000],
};

test("a frame's time includes its callees, calls of one callee are merged, and waiting is left out", () => {
  const root = frameTree(PROFILE, "thread", new Map([[3, "core/hash"]]));
  expect(root.totalUs).toBe(100);
  const [main] = root.children;
  expect(root.children).toHaveLength(1);
  expect(main).toMatchObject({ name: "main main.ts:10", selfUs: 10, totalUs: 100 });
  expect(main.children).toHaveLength(1);
  expect(main.children[0]).toMatchObject({ name: "work work.ts:10", selfUs: 50, totalUs: 90 });
  expect(main.children[0].children).toMatchObject([{ name: "core/hash [wasm]", selfUs: 40 }]);
});

test("functions are ranked by their self time over all threads", () => {
  const root = joined("all", [frameTree(PROFILE, "one"), frameTree(PROFILE, "two")]);
  expect(topFunctions(root, 2)).toEqual([
    { name: "work work.ts:10", selfUs: 100, share: 0.5 },
    { name: "wasm-function[3] [wasm]", selfUs: 80, share: 0.4 },
  ]);
});

test("widths in a flame graph are proportional to time", () => {
  const svg = flameGraph("t", frameTree(PROFILE, "thread"));
  const widths = [...svg.matchAll(/<title>([^<:]*)[^<]*<\/title><rect x="[^"]*" y="[^"]*" width="([^"]*)"/g)];
  expect(widths.map(([, name, width]) => [name, Number(width)])).toEqual([
    ["thread", 1200],
    ["main main.ts", 1200],
    ["work work.ts", 1080],
    ["wasm-function[3] [wasm]", 480],
  ]);
});
