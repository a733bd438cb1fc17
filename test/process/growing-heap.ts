/**
 * Prints the most bytes that V8 had for young objects while most of what was made lived for a while, with the space
 * limited and then without; run by heap-growth.test.ts.
 */
import { setImmediate } from "node:timers/promises";
import { getHeapSpaceStatistics } from "node:v8";
import { letYoungHeapGrow, limitYoungHeap } from "../../src/process/heap-growth.ts";

async function maxYoungBytes(): Promise<number> {
  const kept: object[] = [];
  let most = 0;
  for (let round = 0; round < 60; round++) {
    for (let i = 0; i < 20_000; i++) kept[i % 50_000] = { i, list: [round] };
    await setImmediate();
    most = Math.max(
      most,
      ...getHeapSpaceStatistics().map((space) => (space.space_name === "new_space" ? space.space_size : 0)),
    );
  }
  return most;
}

limitYoungHeap();
const limited = await maxYoungBytes();
letYoungHeapGrow();
process.stdout.write(JSON.stringify({ limited, free: await maxYoungBytes() }));
