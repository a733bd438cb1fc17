import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RemovedBlock } from "../../../src/archiver/types.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import type { EpochCommittee } from "../../../src/l1/types.ts";
import { headerSlotNumber } from "../../../src/protocol/block-header.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import type { Offense } from "../../../src/protocol/slashing/offense.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { EpochPruneWatcher } from "../../../src/slasher/watchers/epoch-prune.ts";
import { type RebuildResult, type RebuildServices, rebuildEpoch } from "../../../src/slasher/watchers/rebuild-epoch.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { BuildingChain, MANA_LIMIT } from "../../world/checkpoints/building-chain.ts";
import { testSettings } from "../../world/slasher/settings.ts";

describe("rebuilding the blocks of a pruned epoch", () => {
  const never = new AbortController().signal;
  let chain: BuildingChain;
  let blocks: RemovedBlock[];
  let pool: Map<string, Tx>;
  let services: RebuildServices;

  /** Checkpoints 12 to 23 publish contracts that later ones among them call. */
  beforeAll(async () => {
    chain = await BuildingChain.open(loadCore());
    const epoch = chain.checkpoints().filter(({ record: { number } }) => number >= 12 && number < 24);
    pool = new Map(epoch.flatMap(({ txs }) => txs.flat().map(({ hash, tx }) => [toHex(hash), tx])));
    blocks = epoch.flatMap(({ blocks: found, txs }) =>
      found.map((block, i) => ({ ...block, txHashes: txs[i].map(({ hash }) => hash) })),
    );
    const first = blocks[0].number;
    const earlier = <Found extends { blockNumber: number }>(found: Found | undefined) =>
      found !== undefined && found.blockNumber < first ? found : undefined;
    const { content } = chain.recorded;
    const contracts: ContractSource = {
      contractClass: (id) => earlier(content.contractClass(id)),
      contractInstance: (...asked) => earlier(content.contractInstance(...asked)),
    };
    const { chainId, version } = chain.terms(epoch[0].record);
    services = {
      build: { ...chain.build, contracts },
      chainId,
      version,
      rollupManaLimit: MANA_LIMIT,
      pool: { get: (hash) => pool.get(toHex(hash)), hasTx: (hash) => pool.has(toHex(hash)) },
      messages: (number) => chain.messages(number),
    };
  });
  afterAll(() => chain?.remove());

  test("a recorded epoch is valid, also where its blocks call contracts that the epoch published", async () => {
    expect(blocks.length).toBeGreaterThan(10);
    expect(await rebuildEpoch(services, blocks, never)).toEqual({ kind: "valid" });
  });

  test("an epoch with a transaction that the pool lacks is not executed", async () => {
    const [hash] = blocks[3].txHashes;
    const lacking = { ...services.pool, hasTx: (asked: Uint8Array) => toHex(asked) !== toHex(hash) };
    expect(await rebuildEpoch({ ...services, pool: lacking }, blocks, never)).toEqual({
      kind: "missing-txs",
      missing: [hash],
    });
  });

  test("an epoch in which a block has another archive root is not valid", async () => {
    const altered = blocks.map((block, i) => (i === 2 ? { ...block, archiveRoot: new Uint8Array(32) } : block));
    expect(await rebuildEpoch(services, altered, never)).toEqual({
      kind: "invalid",
      reason: `block ${blocks[2].number} gives another archive root`,
    });
  });

  test("an epoch in which a transaction is repeated is not valid", async () => {
    const [first, ...rest] = blocks;
    const altered = [{ ...first, txHashes: [...first.txHashes, first.txHashes[0]] }, ...rest];
    expect(await rebuildEpoch(services, altered, never)).toMatchObject({
      kind: "invalid",
      reason: expect.stringContaining(`tx ${toHex(first.txHashes[0])} of block ${first.number} failed`),
    });
  });

  test("an epoch without blocks is valid", async () => {
    expect(await rebuildEpoch(services, [], never)).toEqual({ kind: "valid" });
  });
});

describe("the watcher of pruned epochs", () => {
  const MEMBERS = [1, 2].map((byte) => new Uint8Array(20).fill(byte));
  const TIMES = { epochDuration: 4 };

  function blockOf(slot: number): RemovedBlock {
    const header = new Uint8Array(1000);
    // The slot number's place in a header.
    for (let at = 0; at + 32 <= header.length; at++) {
      header[at + 31] = slot;
      if (headerSlotNumber(header) === slot) break;
      header[at + 31] = 0;
    }
    const root = new Uint8Array(32);
    return {
      ...{ number: slot, hash: root, header, archiveRoot: root, checkpointNumber: slot },
      indexWithinCheckpoint: 0,
      txCount: 0,
      txHashes: [],
    };
  }

  async function judge(
    result: RebuildResult | Error,
    {
      settings = testSettings(),
      committee = {},
      reason = "unproven" as const,
    }: {
      settings?: ReturnType<typeof testSettings>;
      committee?: Partial<EpochCommittee>;
      reason?: "unproven" | "l1-reorg";
    } = {},
  ) {
    const reported: Offense[] = [];
    const rebuilt: number[][] = [];
    const watcher = new EpochPruneWatcher({
      settings,
      constants: TIMES,
      committee: async (epoch) => ({
        epoch,
        committee: MEMBERS,
        seed: 0n,
        escapeHatchOpen: false,
        settled: true,
        ...committee,
      }),
      async rebuild(blocks) {
        rebuilt.push(blocks.map(({ number }) => number));
        if (result instanceof Error) throw result;
        return result;
      },
      report: (offenses) => void reported.push(...offenses),
      logger: silentLogger,
    });
    // Slots 13 to 15 are of epoch 3; a prune drops the blocks of later epochs as well.
    const removed = [17, 16, 15, 14, 13].map(blockOf);
    watcher.blocksRemoved({ reason, tip: 12, removed, checkpoints: 5, epoch: 3 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await watcher.stop();
    return {
      rebuilt,
      offenses: reported.map(({ offenseType, epochOrSlot, amount }) => [offenseType, epochOrSlot, amount]),
    };
  }
  const amount = 10n ** 19n;

  test("a valid epoch is offense 2 of its whole committee, and only its own blocks are rebuilt", async () => {
    const { rebuilt, offenses } = await judge({ kind: "valid" });
    expect(rebuilt).toEqual([[13, 14, 15]]);
    expect(offenses).toEqual([
      [2, 3n, amount],
      [2, 3n, amount],
    ]);
  });

  test("an epoch with missing transactions is offense 1 of its whole committee", async () => {
    const { offenses } = await judge({ kind: "missing-txs", missing: [new Uint8Array(32)] });
    expect(offenses).toEqual([
      [1, 3n, amount],
      [1, 3n, amount],
    ]);
  });

  test("an invalid epoch, and one that cannot be judged, is no offense", async () => {
    expect((await judge({ kind: "invalid", reason: "another root" })).offenses).toEqual([]);
    expect((await judge(new Error("no state"))).offenses).toEqual([]);
  });

  test("an epoch without a committee or with an open escape hatch is not judged", async () => {
    expect(await judge({ kind: "valid" }, { committee: { committee: undefined } })).toEqual({
      rebuilt: [],
      offenses: [],
    });
    expect(await judge({ kind: "valid" }, { committee: { escapeHatchOpen: true } })).toEqual({
      rebuilt: [],
      offenses: [],
    });
  });

  test("blocks that L1 replaced are no pruned epoch", async () => {
    expect(await judge({ kind: "valid" }, { reason: "l1-reorg" })).toEqual({ rebuilt: [], offenses: [] });
  });

  test("no epoch is judged while both penalties are 0; with one of them, both offenses have their amounts", async () => {
    const off = testSettings({ prunePenalty: 0n, dataWithholdingPenalty: 0n });
    expect(await judge({ kind: "valid" }, { settings: off })).toEqual({ rebuilt: [], offenses: [] });
    const one = testSettings({ prunePenalty: 0n });
    expect((await judge({ kind: "valid" }, { settings: one })).offenses).toEqual([
      [2, 3n, 0n],
      [2, 3n, 0n],
    ]);
  });
});
