/**
 * Runs one of the three hottest paths under a profiler: `node --cpu-prof bench/lib/hot-paths.ts NAME SECONDS
 * [DIRECTORY]`. The directory holds a state made by state-worker.ts; the path `hashes` needs none.
 */
import { loadCore } from "../../src/core/load-core.ts";
import { CorePool } from "../../src/core/pool.ts";
import { NULLIFIER_TREE } from "../../src/protocol/constants.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { NULLIFIER_WITNESS_TEXT } from "../../src/rpc/codecs/release/witness.ts";
import { openStore } from "../../src/storage/store.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { nextBlock, randomTx } from "./next-block.ts";
import { SeededBytes } from "./seeded-bytes.ts";

const [name, seconds, directory] = process.argv.slice(2);
const core = loadCore();
const random = new SeededBytes(7);
const end = performance.now() + Number(seconds) * 1000;
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Work between the rounds; profiles leave out this function with everything that it calls. */
function notMeasured<T>(work: () => T): T {
  return work();
}

function hashes(): void {
  const pairs = new Uint8Array(64 * 64);
  for (let at = 0; at < pairs.length; at += 32) pairs.set(random.field(), at);
  while (performance.now() < end) core.hashMany(pairs, 2);
}

async function witnesses(): Promise<void> {
  // Opened for writing, because only the writer can see without a read that nothing was written.
  const store = openStore({ path: directory });
  const world = new WorldState(core, store, genesisContent(V4, []));
  const { tip } = world.status();
  for (; performance.now() < end; await nextTurn()) {
    for (let i = 0; i < 32; i++) {
      store.version();
      world.lowLeafText(tip, NULLIFIER_TREE, random.field(), "either", NULLIFIER_WITNESS_TEXT);
    }
  }
  await store.close();
}

/** One block of 1,024 nullifiers, applied and unwound again and again. */
async function blocks(): Promise<void> {
  const store = openStore({ path: directory, mapSizeKb: 64 * 1024 * 1024 });
  const hasher = new CorePool({ size: 1 });
  const world = new WorldState(core, store, genesisContent(V4, []), hasher);
  const { tip } = world.status();
  const shape = { noteHashes: 16, nullifiers: 64, publicDataWrites: 0 };
  const txs = Array.from({ length: 16 }, () => randomTx(shape, random));
  const block = notMeasured(() => nextBlock(core, world, txs));
  while (performance.now() < end) {
    const prepared = await world.prepare([block]);
    store.transaction(() => world.write(prepared));
    notMeasured(() => store.transaction(() => world.unwindTo(tip)));
  }
  await hasher.close();
  await store.close();
}

const paths: Record<string, () => Promise<void> | void> = { hashes, witnesses, blocks };
await paths[name]();
