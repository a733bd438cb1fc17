import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rebuildCheckpoint } from "../../../src/archiver/rebuild-checkpoint.ts";
import { checkContinuation } from "../../../src/archiver/validate-checkpoint.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import { versionedHashOf } from "../../../src/l1/blobs/blob-offer.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { concat, equal, toHex } from "../../../src/protocol/bytes.ts";
import { checkpointHash } from "../../../src/protocol/checkpoint-header.ts";
import type { ProposedBlock } from "../../../src/sequencer/build/checkpoint-terms.ts";
import { type BuildableCheckpoint, BuildingChain, MANA_LIMIT } from "./building-chain.ts";

const hex = ({ record, body, txs, contractEvents }: ProposedBlock) => ({
  ...record,
  hash: toHex(record.hash),
  header: toHex(record.header),
  archiveRoot: toHex(record.archiveRoot),
  body: toHex(body),
  txs: txs.map(({ words }) => toHex(words)),
  contractEvents,
});

/** Checkpoints of the recorded chain built again from the transactions that clients sent. */
describe("the recorded chain, built again", () => {
  const core = loadCore();
  let chain: BuildingChain;
  let checkpoints: BuildableCheckpoint[];

  beforeAll(async () => {
    chain = await BuildingChain.open(core);
    checkpoints = chain.checkpoints();
  });
  afterAll(() => chain?.remove());

  it("has every checkpoint but the network's own first four", () => {
    expect(chain.chain.latestCheckpointNumber()).toBe(59);
    expect(checkpoints.map(({ record }) => record.number)).toEqual(Array.from({ length: 55 }, (_, i) => i + 5));
  });

  it("gives the recorded blocks, headers and blobs byte for byte", async () => {
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

  it("has the versioned hash of a commitment that is computed", async () => {
    const kzg = new Kzg();
    try {
      const [{ record, txs }] = checkpoints;
      const builder = await chain.start(record, { kzg });
      await builder.buildBlock(txs[0], {});
      const { header, versionedBlobHashes, commitments } = await builder.complete();
      expect(toHex(header)).toBe(toHex(record.header));
      expect(versionedBlobHashes.map(toHex)).toEqual(commitments.map(versionedHashOf).map(toHex));
    } finally {
      await kzg.close();
    }
  });

  it.for(Array.from({ length: 17 }, (_, i) => 5 + 3 * i))(
    "gives, in one checkpoint from %i on, blocks that are rebuilt from its blobs and the trees agree with",
    async (from) => {
      const three = checkpoints.slice(from - 5, from - 2);
      const [{ record }] = three;
      const contracts: ContractSource = {
        contractClass: (id) => earlier(chain.recorded.content.contractClass(id)),
        contractInstance: (...asked) => earlier(chain.recorded.content.contractInstance(...asked)),
      };
      const earlier = <Found extends { blockNumber: number }>(found: Found | undefined) =>
        found !== undefined && found.blockNumber < record.startBlock ? found : undefined;
      const kzg = { commitment: async () => new Uint8Array(48).fill(7) };
      const builder = await chain.start(record, { contracts, kzg });
      const outcomes = [];
      for (const { txs } of three) outcomes.push(await builder.buildBlock(txs[0], {}));
      console.log(
        from,
        outcomes.map(({ unprocessable }) => unprocessable.map((u) => u.reason)),
        outcomes.map(
          ({ block }) =>
            block?.contractEvents.classes.length +
            "/" +
            block?.contractEvents.instances.length +
            "/" +
            block?.txs.length,
        ),
      );
      const built = await builder.complete();
      builder.close();
      const { chainId: l1ChainId, version: rollupVersion } = chain.terms(record);
      const rebuilt = rebuildCheckpoint(
        { ...built, blobs: concat(...built.blobs), l1ChainId, rollupVersion, rollupManaLimit: MANA_LIMIT },
        core,
      );
      expect(rebuilt.blocks.map(hex)).toEqual(built.blocks.map(hex));
      expect(equal(rebuilt.outHash, built.outHash)).toBe(true);
      const before = chain.chain.block(record.startBlock - 1)!;
      checkContinuation(
        rebuilt,
        { blockNumber: before.number, archiveRoot: before.archiveRoot },
        chain.messages(record.number),
        chain.previousOutHashes(record),
      );
    },
  );
});
