import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ContentStore } from "../../src/archiver/content-store.ts";
import type { ContractInstance } from "../../src/archiver/content-types.ts";
import { type SetUpParts, setUp } from "../../src/local-network/set-up.ts";
import { BLOCK_HEADER_BYTES } from "../../src/protocol/block-header.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { openStore, type Store } from "../../src/storage/store.ts";

/** Some looks of the set-up at its block. */
const LOOKS_MS = 100;

let folder: string;
let store: Store;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-set-up-"));
  store = openStore({ path: join(folder, "store") });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A chain and a pool that change only where a test says so, and the number of txs in each addition to the pool. */
function world() {
  const state = { block: 0, checkpointed: 0, pending: 0 };
  const added: number[] = [];
  const parts = {
    store,
    chain: {
      generation: V4,
      block: () => ({ header: new Uint8Array(BLOCK_HEADER_BYTES) }),
      latestBlockNumber: () => state.block,
      checkpointedBlockNumber: () => state.checkpointed,
    },
    identity: { l1ChainId: 31337, rollupVersion: 1 },
    fees: { currentMinFees: async () => ({ feePerDaGas: 1n, feePerL2Gas: 1n }) },
    pool: {
      get pendingCount() {
        return state.pending;
      },
      add: (txs: unknown[]) => {
        added.push(txs.length);
        state.pending += txs.length;
        return txs.map(() => ({}));
      },
    },
    validator: { fromClient: async (facts: unknown) => ({ verdict: { result: "valid" }, facts }) },
    now: () => 0,
    onBlock: () => {},
    signal: new AbortController().signal,
  } as unknown as SetUpParts;
  return { state, added, parts };
}

test("the set-up's next txs wait until the block before is published, also where it is built again", async () => {
  const deployed = vi.spyOn(ContentStore.prototype, "contractInstance").mockReturnValue(undefined);
  const { state, added, parts } = world();
  const done = setUp(parts);
  await vi.waitFor(() => expect(added).toEqual([1]));

  Object.assign(state, { block: 1, pending: 0 });
  await sleep(LOOKS_MS);
  Object.assign(state, { block: 0, pending: 1 });
  await sleep(LOOKS_MS);
  Object.assign(state, { block: 1, pending: 0 });
  await sleep(LOOKS_MS);
  expect(added).toEqual([1]);

  state.checkpointed = 1;
  await vi.waitFor(() => expect(added).toEqual([1, 1]));
  Object.assign(state, { block: 2, pending: 0, checkpointed: 2 });
  await vi.waitFor(() => expect(added).toEqual([1, 1, 1]));
  Object.assign(state, { block: 3, pending: 0, checkpointed: 3 });
  await vi.waitFor(() => expect(added).toEqual([1, 1, 1, 2]));
  deployed.mockReturnValue({} as ContractInstance);
  Object.assign(state, { block: 4, pending: 0 });
  await done;
});
