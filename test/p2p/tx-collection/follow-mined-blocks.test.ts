import { expect, test } from "vitest";
import { Listeners } from "../../../src/events/listeners.ts";
import { followMinedBlocks } from "../../../src/p2p/tx-collection/follow-mined-blocks.ts";
import type { MinedBlock } from "../../../src/p2p/tx-collection/slow-collection.ts";
import { HEADER_AT } from "../../../src/protocol/block-header.ts";
import { writeU32 } from "../../../src/protocol/bytes.ts";
import { fr } from "../../../src/protocol/field.ts";

const CONSTANTS = {
  l1StartBlock: 1,
  l1GenesisTime: 1_000,
  slotDuration: 10,
  epochDuration: 4,
  ethereumSlotDuration: 5,
  proofSubmissionEpochs: 2,
  targetCommitteeSize: 0,
  rollupManaLimit: 1,
};

/** Follows a chain with one tx in each block; block n is of slot n. */
function following({ proven = 0, synced = true, latest = 0 } = {}) {
  const listeners = new Map<string, Listeners<[unknown]>>();
  const of = (event: string): Listeners<[unknown]> => {
    const found = listeners.get(event) ?? new Listeners<[unknown]>(() => {});
    listeners.set(event, found);
    return found;
  };
  const header = (slot: number): Uint8Array => {
    const bytes = new Uint8Array(440);
    writeU32(bytes, HEADER_AT.slotNumber, slot);
    return bytes;
  };
  const calls: unknown[] = [];
  const chain = { latest };
  const collection = {
    collectMined: ({ number, deadline, hashes }: MinedBlock) => void calls.push([number, deadline, hashes.length]),
    provenUpTo: (block: number) => void calls.push(["proven", block]),
    prunedTo: (block: number) => void calls.push(["pruned", block]),
  };
  const unsubscribe = followMinedBlocks({
    collection,
    synchronizer: {
      initialSyncComplete: synced,
      on: (event: string, listener: (of: unknown) => void) => of(event).add(listener),
    },
    chain: {
      block: (number: number) => ({ header: header(number), txCount: number === 9 ? 0 : 1, archiveRoot: fr(number) }),
      txEffects: (number: number) => [{ txHash: fr(number) }],
      provenBlockNumber: () => proven,
      latestBlockNumber: () => chain.latest,
    },
    constants: CONSTANTS,
  } as unknown as Parameters<typeof followMinedBlocks>[0]);
  return { calls, chain, unsubscribe, emit: (event: string, facts: unknown) => of(event).emit(facts) };
}

test("the txs of new blocks above the proven one are looked for until their epoch can no longer be proven", () => {
  const { calls, emit, unsubscribe } = following({ proven: 5 });
  emit("blocksAdded", { first: 4, last: 9 });
  // Slots 6 and 7 are of epoch 1, 8 of epoch 2; epochs 3 and 4 end with slots 15 and 19. Block 9 has no txs.
  const ends = [1_000 + 16 * 10, 1_000 + 16 * 10, 1_000 + 20 * 10].map((seconds) => seconds * 1000);
  expect(calls).toEqual([6, 7, 8].map((number, i) => [number, ends[i], 1]));
  emit("proven", { blockNumber: 7 });
  emit("blocksRemoved", { tip: 8 });
  expect(calls.slice(3)).toEqual([
    ["proven", 7],
    ["pruned", 8],
  ]);
  unsubscribe();
  emit("blocksAdded", { first: 10, last: 10 });
  expect(calls.length).toBe(5);
});

test("a new node does not look for the txs of the blocks of its initial sync", () => {
  const { calls, chain, emit } = following({ synced: false });
  emit("blocksAdded", { first: 1, last: 8 });
  chain.latest = 8;
  emit("initialSyncComplete", {});
  expect(calls).toEqual([]);
});

test("a node that was stopped looks for the txs of the blocks that it missed once it has caught up", () => {
  const { calls, chain, emit } = following({ synced: false, proven: 3, latest: 5 });
  emit("blocksRemoved", { tip: 4 });
  emit("blocksAdded", { first: 5, last: 6 });
  emit("blocksAdded", { first: 7, last: 8 });
  expect(calls).toEqual([["pruned", 4]]);
  chain.latest = 8;
  emit("initialSyncComplete", {});
  expect(calls.slice(1).map((call) => (call as unknown[])[0])).toEqual([5, 6, 7, 8]);
});
