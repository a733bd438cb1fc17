import { resolve } from "node:path";
import { loadCore } from "../src/core/load-core.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../src/protocol/constants.ts";
import { V4 } from "../src/protocol/generations/v4/v4.ts";
import { NULLIFIER_WITNESS_TEXT, PUBLIC_DATA_WITNESS_TEXT } from "../src/rpc/codecs/release/witness.ts";
import { openStore } from "../src/storage/store.ts";
import { genesisContent } from "../src/world-state/genesis.ts";
import { WorldState } from "../src/world-state/world-state.ts";
import { requiredOption, scriptOptions, wholeOption } from "./lib/script-options.ts";
import { SeededBytes } from "./lib/seeded-bytes.ts";

/**
 * CPU time of one witness on one thread, including its JSON: `node bench/witness.ts --directory DIR` over a state made
 * by `bench/lib/state-worker.ts fill` and `extend`. Medians of nine runs, in turn.
 */
const { directory, back, count } = scriptOptions("bench/witness.ts", {
  directory: requiredOption("the state's store", "DIR"),
  back: wholeOption("age of the older witnesses, in blocks behind the tip", 1000, 0),
  count: wholeOption("witnesses of a run", 20_000),
});
/** Room for 10M leaves of two trees. */
const MAP_SIZE_KB = 64 * 1024 * 1024;
const store = openStore({ path: resolve(directory), mapSizeKb: MAP_SIZE_KB });
const world = new WorldState(loadCore(), store, genesisContent(V4, []));
const { tip, oldest } = world.status();
const past = Math.max(oldest, tip - back);
const random = new SeededBytes(99);
const texts = { [NULLIFIER_TREE]: NULLIFIER_WITNESS_TEXT, [PUBLIC_DATA_TREE]: PUBLIC_DATA_WITNESS_TEXT };

function witness(block: number, tree: 0 | 2): void {
  store.version();
  world.lowLeafText(block, tree, random.field(), "either", texts[tree]);
}

/** Microseconds of CPU time of one witness; the reads of each are independent, as in separate requests. */
async function microseconds(block: number, tree: 0 | 2): Promise<number> {
  const start = process.cpuUsage();
  for (let i = 0; i < count; i++) {
    witness(block, tree);
    if (i % 64 === 63) await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / count;
}

const cases = [
  { name: "low nullifier, latest", block: tip, tree: NULLIFIER_TREE },
  { name: `low nullifier, ${tip - past} blocks back`, block: past, tree: NULLIFIER_TREE },
  { name: "public data, latest", block: tip, tree: PUBLIC_DATA_TREE },
  { name: `public data, ${tip - past} blocks back`, block: past, tree: PUBLIC_DATA_TREE },
] as const;
const runs = cases.map((): number[] => []);
for (let round = -1; round < 9; round++) {
  for (const [i, { block, tree }] of cases.entries()) {
    const took = await microseconds(block, tree);
    if (round >= 0) runs[i].push(took);
  }
}
const leaves = ([NULLIFIER_TREE, PUBLIC_DATA_TREE] as const).map((tree) => world.snapshot(tip, tree).size);
console.log(`block ${tip}, ${leaves[0]} nullifiers, ${leaves[1]} slots, ${process.memoryUsage().rss >> 20} MB`);
console.table(
  Object.fromEntries(
    cases.map(({ name }, i) => {
      const us = runs[i].toSorted((a, b) => a - b)[4];
      return [name, { "us of CPU": Number(us.toFixed(2)), "a second, one thread": Math.round(1e6 / us) }];
    }),
  ),
);
await store.close();
