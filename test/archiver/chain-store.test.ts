import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { ChainStore } from "../../src/archiver/chain-store.ts";
import { NonSequentialCheckpointError } from "../../src/archiver/errors.ts";
import { rebuildCheckpoint } from "../../src/archiver/rebuild-checkpoint.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { checkpointHash } from "../../src/protocol/checkpoint-header.ts";
import { INSTANCE_UPDATED } from "../../src/protocol/contracts/contract-events.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { dump, GENESIS, openChain } from "../world/archiver/open-chain.ts";
import {
  GENESIS_ARCHIVE,
  proposal,
  rebuildInput,
  type SyntheticCheckpoint,
  seeded,
  synthesize,
  type TxLogs,
} from "../world/archiver/synthetic-chain.ts";
import { madeClass, madeInstance, updateLog } from "./contract-logs.ts";

const core = loadCore();
let opened: ReturnType<typeof openChain> | undefined;
afterEach(async () => {
  await opened?.close();
  opened = undefined;
});
const open = () => {
  opened = openChain();
  return opened;
};

const classes = ["a", "b"].map((text) => madeClass(text, core));
const instances = ["a", "b"].map((text) => madeInstance(text, classes[0].id, core));

/**
 * Logs of the kinds that the bits of `bits` select. Tags, classes and instances repeat between blocks; some logs are
 * invalid.
 */
function logsOf(bits: number): TxLogs {
  const bit = (i: number) => (bits >> i) & 1;
  const tag = seeded(`tag ${bit(0)}`);
  const contractAddress = seeded(`contract ${bit(1)}`);
  const instance = instances[bit(2)];
  const registered = classes[bit(3)];
  return {
    private: [...(bit(4) ? [tag, instance.log] : []), ...(bit(5) ? [tag, instance.log.subarray(0, 96)] : [])],
    public: [
      ...(bit(6) ? [{ contractAddress, fields: tag }, updateLog(instance.address, fr(0), registered.id, 5)] : []),
      ...(bit(7)
        ? [
            { contractAddress, fields: new Uint8Array(0) },
            { contractAddress, fields: tag },
          ]
        : []),
      ...(bit(8) ? [{ ...updateLog(instance.address, fr(0), registered.id, 5), fields: INSTANCE_UPDATED }] : []),
    ],
    class: bit(9)
      ? bit(10)
        ? registered.log
        : { ...registered.log, fields: registered.log.fields.subarray(0, 160) }
      : undefined,
  };
}

/** Consecutive checkpoints; `shape` holds, for each, the number of txs of each block. */
function synthesizeChain(
  shape: number[][],
  options: { txHash?: Uint8Array; logs?: (block: number, tx: number) => TxLogs } = {},
) {
  const made: SyntheticCheckpoint[] = [];
  shape.forEach((blocks, i) => {
    const last = made.at(-1);
    const firstBlock = (last?.lastBlock ?? 0) + 1;
    made.push(
      synthesize(
        {
          number: i + 1,
          slot: 2 + 12 * i,
          firstBlock,
          lastArchive: last?.archiveRoot ?? GENESIS_ARCHIVE,
          salt: `chain ${i}`,
          blocks: blocks.map((txs) => Array.from({ length: txs }, () => [])),
          logs: blocks.map((txs, b) => Array.from({ length: txs }, (_, t) => options.logs?.(firstBlock + b, t) ?? {})),
          txHash: options.txHash,
        },
        core,
      ),
    );
  });
  return made;
}

const l1At = (number: number) => ({ number, hash: seeded(`l1 ${number}`), timestamp: 5_000 + 12 * number });

function add(chain: ChainStore, checkpoint: SyntheticCheckpoint): void {
  opened!.store.transaction(() =>
    chain.addCheckpoint(
      rebuildCheckpoint(rebuildInput(checkpoint), core, V4),
      proposal(checkpoint, l1At(checkpoint.number)),
    ),
  );
}

test("a new chain store begins at genesis, with the network's constants in its tips", () => {
  const { chain } = open();
  const zero = {
    block: { number: 0, hash: V4.genesis.blockHash },
    checkpoint: { number: 0, hash: V4.genesis.checkpointHash },
  };
  expect(chain.tips()).toEqual({ proposed: zero.block, checkpointed: zero, proven: zero, finalized: zero });
  expect(chain.block(0)).toMatchObject({
    number: 0,
    hash: GENESIS.hash,
    archiveRoot: new Uint8Array(32),
    txCount: 0,
  });
  expect(chain.blockBody(0)).toHaveLength(0);
  expect(chain.blockNumberByHash(GENESIS.hash)).toBe(0);
  expect(chain.blockNumberByArchive(GENESIS_ARCHIVE)).toBeUndefined();
  expect(chain.block(1)).toBeUndefined();
  expect(chain.blockBody(1)).toBeUndefined();
  expect(chain.checkpoint(0)).toBeUndefined();
  expect(chain.checkpointsOfEpoch(0)).toEqual([]);
});

test("a chain store returns an added checkpoint by each of its indexes", () => {
  const { chain } = open();
  const checkpoints = synthesizeChain([[2, 0], [1], [0, 3, 1]]);
  for (const checkpoint of checkpoints) add(chain, checkpoint);
  for (const checkpoint of checkpoints) {
    const rebuilt = rebuildCheckpoint(rebuildInput(checkpoint), core, V4);
    const { l1, attestations, feeAssetPriceModifier } = proposal(checkpoint, l1At(checkpoint.number));
    const record = chain.checkpoint(checkpoint.number)!;
    expect(record.startBlock).toBe(rebuilt.blocks[0].record.number);
    expect(record.blockCount).toBe(rebuilt.blocks.length);
    expect(record.feeAssetPriceModifier).toBe(feeAssetPriceModifier);
    expect(record.l1.number).toBe(l1.number);
    expect(record.l1.timestamp).toBe(l1.timestamp);
    expect(toHex(record.l1.hash)).toBe(toHex(l1.hash));
    expect(toHex(record.header)).toBe(toHex(checkpoint.header));
    expect(record.attestations.map((a) => [toHex(a.address), a.signature && toHex(a.signature)])).toEqual(
      attestations.map((a) => [toHex(a.address), a.signature && toHex(a.signature)]),
    );
    expect(chain.checkpointNumberAtSlot(checkpoint.slot)).toBe(checkpoint.number);
    for (const { record: block, body, txs } of rebuilt.blocks) {
      const stored = chain.block(block.number)!;
      expect(toHex(stored.header)).toBe(toHex(block.header));
      expect({ ...stored, header: 0, hash: 0, archiveRoot: 0 }).toEqual({
        ...block,
        header: 0,
        hash: 0,
        archiveRoot: 0,
      });
      expect(chain.blockNumberByHash(block.hash)).toBe(block.number);
      expect(chain.blockNumberByArchive(block.archiveRoot)).toBe(block.number);
      expect(toHex(chain.blockBody(block.number)!)).toBe(toHex(body));
      txs.forEach((tx, indexInBlock) => {
        const at = chain.txLocation(tx.txHash)!;
        expect(at).toMatchObject({ block: block.number, indexInBlock });
        const words = chain.blockBody(at.block)!.subarray(at.wordOffset * 32, (at.wordOffset + at.wordCount) * 32);
        expect(toHex(words)).toBe(toHex(tx.words));
      });
    }
  }
  // Slots 2, 14 and 26 with epochs of 16 slots.
  expect([0, 1, 2, 3].map((e) => chain.checkpointsOfEpoch(e).map((c) => c.number))).toEqual([[1, 2], [3], [], []]);
  expect(chain.txLocation(new Uint8Array(31))).toBeUndefined();
});

test("the chain store keeps the proven and finalized tips at or below the latest checkpoint", () => {
  const { chain, store } = open();
  const checkpoints = synthesizeChain([[1, 1], [1], [1]]);
  for (const checkpoint of checkpoints) add(chain, checkpoint);
  store.transaction(() => {
    chain.state.putCheckpoint("proven", 9);
    chain.state.putCheckpoint("finalized", 1);
  });
  expect([chain.latestBlockNumber(), chain.provenBlockNumber(), chain.finalizedBlockNumber()]).toEqual([4, 4, 2]);
  expect(chain.tips().finalized.checkpoint).toEqual({
    number: 1,
    hash: toHex(checkpointHash(checkpoints[0].header)),
  });
  store.transaction(() => chain.removeCheckpointsAfter(2));
  expect(chain.state.checkpoint("proven")).toBe(2);
  add(chain, checkpoints[2]);
  expect(chain.provenBlockNumber()).toBe(3);
});

test("the chain store refuses a checkpoint that does not continue the chain, and stores nothing of it", () => {
  const { chain, store } = open();
  const [first, , third] = synthesizeChain([[1], [1], [1]]);
  add(chain, first);
  const before = dump(store);
  expect(() => add(chain, third)).toThrow(NonSequentialCheckpointError);
  expect(() => add(chain, first)).toThrow(NonSequentialCheckpointError);
  expect(dump(store)).toEqual(before);
});

test("removing checkpoints leaves every table of the chain store as it was before they were added", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      fc.nat(5),
      fc.boolean(),
      fc.array(fc.nat(2 ** 11 - 1), { minLength: 1, maxLength: 20 }),
      async (shape, keep, sameTxHash, logBits) => {
        const { chain, store, close } = open();
        try {
          const checkpoints = synthesizeChain(shape, {
            txHash: sameTxHash ? seeded("one tx hash") : undefined,
            logs: (block, tx) => logsOf(logBits[(7 * block + tx) % logBits.length]),
          });
          const kept = Math.min(keep, checkpoints.length);
          for (const checkpoint of checkpoints.slice(0, kept)) add(chain, checkpoint);
          const before = dump(store);
          for (const checkpoint of checkpoints.slice(kept)) add(chain, checkpoint);
          const after = dump(store);
          const removed = store.transaction(() => chain.removeCheckpointsAfter(kept));
          expect(dump(store)).toEqual(before);
          expect(removed).toHaveLength(shape.slice(kept).flat().length);
          for (const checkpoint of checkpoints.slice(kept)) add(chain, checkpoint);
          expect(dump(store)).toEqual(after);
        } finally {
          await close();
          opened = undefined;
        }
      },
    ),
    { numRuns: 25 },
  );
});
