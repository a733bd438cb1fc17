import { afterAll, beforeAll, expect, test } from "vitest";
import { rebuildCheckpoint } from "../../../src/archiver/rebuild-checkpoint.ts";
import { checkContinuation } from "../../../src/archiver/validate-checkpoint.ts";
import type { ProposedBlock } from "../../../src/checkpoints/checkpoint-terms.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { checkpointHash } from "../../../src/protocol/checkpoint-header.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { type BuildableCheckpoint, BuildingChain, MANA_LIMIT } from "../../world/checkpoints/building-chain.ts";

const hex = ({ record, body, txs, contractEvents }: ProposedBlock) => ({
  ...record,
  hash: toHex(record.hash),
  header: toHex(record.header),
  archiveRoot: toHex(record.archiveRoot),
  body: toHex(body),
  txs: txs.map(({ words }) => toHex(words)),
  contractEvents,
});

/** Checkpoints of the recorded chain, rebuilt from the transactions that clients sent. */
const core = loadCore();
let chain: BuildingChain;
let checkpoints: BuildableCheckpoint[];

beforeAll(async () => {
  chain = await BuildingChain.open(core);
  checkpoints = chain.checkpoints();
});
afterAll(() => chain?.remove());

test("the rebuilt recorded chain includes every checkpoint except the network's own first four", () => {
  expect(chain.chain.latestCheckpointNumber()).toBe(59);
  expect(checkpoints.map(({ record }) => record.number)).toEqual(Array.from({ length: 55 }, (_, i) => i + 5));
});

test("the recorded chain rebuilt from its transactions has the recorded blocks, headers and blobs, byte for byte", async () => {
  for (const { record, blocks, txs } of checkpoints) {
    const label = `checkpoint ${record.number}`;
    const builder = await chain.start(record);
    for (const [i, expected] of blocks.entries()) {
      const { block, unprocessable, failed, skipped, stopped } = await builder.buildBlock(txs[i], {});
      expect([unprocessable, failed, skipped, stopped], label).toEqual([[], [], [], undefined]);
      const { contractEvents: _, txs: effects, ...built } = hex(block!);
      expect(built, label).toEqual({
        ...expected,
        hash: toHex(expected.hash),
        header: toHex(expected.header),
        archiveRoot: toHex(expected.archiveRoot),
        body: toHex(chain.chain.blockBody(expected.number)!),
      });
      expect(effects.length).toBe(txs[i].length);
    }
    const built = await builder.complete();
    builder.close();
    expect(toHex(built.header), label).toBe(toHex(record.header));
    expect([built.hash, built.archiveRoot, built.outHash].map(toHex), label).toEqual(
      [checkpointHash(record.header), record.archiveRoot, record.outHash].map(toHex),
    );
  }
  expect(chain.recorded.services.world.status().tip).toBe(59);
});

/** Contracts that the blocks publish are not in the contract source, and later blocks call them. */
test("the recorded transactions give one checkpoint of many blocks, which matches its blobs and the trees", async () => {
  const many = checkpoints.filter(({ record: { number } }) => number >= 12 && number < 24);
  const [{ record }] = many;
  const earlier = <Found extends { blockNumber: number }>(found: Found | undefined) =>
    found !== undefined && found.blockNumber < record.startBlock ? found : undefined;
  const { content, services } = chain.recorded;
  const contracts: ContractSource = {
    contractClass: (id) => earlier(content.contractClass(id)),
    contractInstance: (...asked) => earlier(content.contractInstance(...asked)),
  };
  const kzg = { commitment: async () => new Uint8Array(48).fill(7) };
  // Later transactions offer less because prices fell.
  const terms = { gasFees: { feePerDaGas: 0n, feePerL2Gas: 1n } };
  const builder = await chain.start(record, { contracts, kzg }, terms);
  for (const { txs } of many) {
    const { block, ...left } = await builder.buildBlock(txs[0], {});
    expect([left.unprocessable, left.failed, left.skipped, block?.txs.length]).toEqual([[], [], [], txs[0].length]);
  }
  const built = await builder.complete();
  builder.close();
  expect(built.blocks.map(({ record }) => record.indexWithinCheckpoint)).toEqual(many.map((_, i) => i));
  expect(built.blocks.flatMap(({ contractEvents }) => contractEvents.classes).length).toBeGreaterThan(0);

  const { chainId: l1ChainId, version: rollupVersion } = chain.terms(record);
  const blobs = concat(...built.blobs);
  const rebuilt = rebuildCheckpoint(
    { ...built, blobs, l1ChainId, rollupVersion, rollupManaLimit: MANA_LIMIT },
    core,
    V4,
  );
  expect(rebuilt.blocks.map(hex)).toEqual(built.blocks.map(hex));
  expect(toHex(rebuilt.outHash)).toBe(toHex(built.outHash));
  const before = chain.chain.block(record.startBlock - 1)!;
  const messages = chain.messages(record.number);
  checkContinuation(
    rebuilt,
    { blockNumber: before.number, archiveRoot: before.archiveRoot },
    messages,
    chain.previousOutHashes(record),
  );

  services.store.transaction(() => {
    services.world.lowerFinalized(before.number);
    services.world.unwindTo(before.number);
  });
  const effects = built.blocks.map(({ record, txs }, i) => ({
    header: record.header,
    blockHash: record.hash,
    archiveRoot: record.archiveRoot,
    txs,
    l1ToL2Messages: i === 0 ? messages : undefined,
  }));
  expect(await services.world.prepare(effects)).toMatchObject({ last: built.blocks.at(-1)!.record.number });
});
