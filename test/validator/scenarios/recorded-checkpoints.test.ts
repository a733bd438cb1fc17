import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../../src/protocol/checkpoint-header.ts";
import { encodeCheckpointAttestation } from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointProposal } from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import { signedBytes } from "../../../src/protocol/consensus/signed-integer.ts";
import { slotTimestamp } from "../../../src/protocol/time.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { CheckpointAttester } from "../../../src/validator/checkpoint-attester.ts";
import { DutySigner } from "../../../src/validator/duty-signer.ts";
import { OwnAttestations } from "../../../src/validator/own-attestations.ts";
import { pooled } from "../../world/p2p/consensus-support.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { UNMEASURED } from "../../world/telemetry/unmeasured.ts";
import {
  attestationsTo,
  KEYS,
  PROPOSALS,
  type ReceivedCheckpoint,
  type RecordedCommittee,
  recordedCommittee,
  signedAgain,
  signerOf,
} from "../../world/validator/recorded-network.ts";
import { closeGuards, recordingGuard } from "../../world/validator/recording-guard.ts";

/** Checkpoint proposals and attestations of reference nodes, from the gossip of a network with a committee. */
const core = loadCore();
let recorded: RecordedCommittee;
/** Proposals whose blocks became part of the chain. */
let good: ReceivedCheckpoint[];
/** One of several blocks, the last of which came with it. */
let several: ReceivedCheckpoint;

beforeAll(async () => {
  recorded = await recordedCommittee(core);
  good = PROPOSALS.filter(recorded.isOnChain);
  several = good[0];
});
afterAll(() => recorded?.remove());

test("every checkpoint that reference nodes proposed is rebuilt to the same header", async () => {
  const blocks: number[] = [];
  for (const received of good) {
    const verdict = await recorded.check(received).check(received.proposal);
    expect(verdict, `slot ${received.slot}`).toMatchObject({ valid: true });
    if (!verdict.valid) continue;
    const { header, archiveRoot } = verdict.checkpoint;
    const { proposal } = received;
    expect([header, archiveRoot].map(toHex)).toEqual([proposal.header, proposal.archive].map(toHex));
    blocks.push(verdict.checkpoint.blocks.length);
  }
  // Of the rival proposals of slots 225 and 238 one is on the chain.
  expect([PROPOSALS.length, good.map(({ slot }) => slot), blocks]).toEqual([
    8,
    [181, 183, 185, 200, 238],
    [3, 3, 3, 3, 1],
  ]);
});

test("a checkpoint whose blocks were prepared is checked without a new commitment", async () => {
  for (const received of good) {
    const asked: Uint8Array[] = [];
    const commitment = async (blob: Uint8Array) => {
      asked.push(blob);
      return new Uint8Array(48);
    };
    const check = recorded.check(received, { kzg: { commitment } });
    await check.prepare(received.slot);
    const prepared = asked.splice(0).map(toHex);
    await check.check(received.proposal);
    expect(prepared.length, `slot ${received.slot}`).toBeGreaterThan(0);
    expect(asked.map(toHex), `slot ${received.slot}`).toEqual(prepared);
    await check.prepare(received.slot + 1);
    expect(asked, "a slot without blocks").toHaveLength(prepared.length);
  }
});

test("the attestations of this node to recorded proposals are the bytes that reference nodes sent with the same keys", async () => {
  const { pool, close } = pooled();
  let compared = 0;
  for (const received of good) {
    const { proposal, proposer, t, slot } = received;
    const sent: { topic: string; payload: Uint8Array }[] = [];
    const own = [...KEYS.keys()].filter((address) => address !== proposer);
    const signer = new DutySigner({ guard: recordingGuard(recorded.constants, () => t), signerOf });
    const parts = {
      ...{ committees: recorded.committees, signer, pool, rollup: V4_ROLLUP },
      ...{ dutyTimes: UNMEASURED, logger: silentLogger },
    };
    const publisher = { publish: (topic: string, payload: Uint8Array) => void sent.push({ topic, payload }) };
    const attestations = new OwnAttestations({ ...parts, attesters: () => own, publisher });
    const attester = new CheckpointAttester({
      check: recorded.check(received),
      attestations,
      committees: recorded.committees,
      ownAddresses: () => own,
      observer: false,
      uploads: undefined,
      times: recorded.constants,
      rollup: V4_ROLLUP,
      recover: recorded.recover,
      dutyTimes: UNMEASURED,
      now: () => t,
      logger: silentLogger,
    });
    expect(await attester.handle(proposal, "peer", 0)).toEqual({ kind: "attested", members: 3 });
    const expected = attestationsTo(proposal).filter((each) => each.attester !== proposer);
    const payloads = new Set(sent.map(({ payload }) => toHex(payload)));
    for (const { bytes } of expected) {
      expect(payloads.has(toHex(bytes)), `slot ${slot}`).toBe(true);
      compared++;
    }
    expect([sent.length, new Set(sent.map(({ topic }) => topic))]).toEqual([3, new Set(["checkpoint_attestation"])]);
    const stored = pool
      .attestations(slot, { archive: proposal.archive })
      .map((each) => encodeCheckpointAttestation(each, V4_ROLLUP));
    expect(new Set(stored.map(toHex))).toEqual(payloads);
    // The proposer's own attestation, which it makes before others answer.
    const proposers = new OwnAttestations({ ...parts, attesters: () => [proposer], publisher });
    await proposers.attest(proposal, await proposers.members(slot));
    const proposersOwn = attestationsTo(proposal).find((each) => each.attester === proposer)!;
    expect(toHex(sent[3].payload)).toBe(toHex(proposersOwn.bytes));
    compared++;
  }
  await closeGuards();
  await close();
  expect(compared).toBe(4 * good.length);
});

describe("a mutated checkpoint proposal", () => {
  const faultOf = async (
    proposal: CheckpointProposal,
    changes: Parameters<RecordedCommittee["check"]>[1] = {},
  ): Promise<string> => {
    const verdict = await recorded.check(several, changes).check(proposal);
    return verdict.valid ? "valid" : verdict.fault;
  };
  const flipped = (at: number) =>
    signedAgain(several, ({ header }) => {
      header[at] ^= 1;
    });

  test("a checkpoint proposal without a valid signature is refused as invalid_signature", async () => {
    expect(await faultOf({ ...several.proposal, signature: new Uint8Array(68) })).toBe("invalid_signature");
  });

  test("a checkpoint proposal whose price modifier exceeds 100 basis points either way is refused, and 100 is taken", async () => {
    const outcomes: string[] = [];
    for (const modifier of [-(2n ** 255n), -101n, -100n, 100n, 101n, 2n ** 255n - 1n]) {
      const proposal = await signedAgain(several, ({ feeAssetPriceModifier }) => {
        feeAssetPriceModifier.set(signedBytes(modifier));
      });
      outcomes.push(await faultOf(proposal));
    }
    const refused = "invalid_fee_asset_price_modifier";
    expect(outcomes).toEqual([refused, refused, "valid", "valid", refused, refused]);
  });

  test("a checkpoint proposal whose last block does not come is refused as last_block_not_found once its slot is over", async () => {
    const unknown = await signedAgain(several, ({ archive }) => void archive.fill(1));
    let pokes = 0;
    const over = slotTimestamp(several.slot + 1, recorded.constants) * 1000;
    const begin = performance.now();
    const now = () => over - 10 + performance.now() - begin;
    const sync = { poke: () => void pokes++, onBlocksAdded: () => () => {} };
    expect(await faultOf(unknown, { now, sync })).toBe("last_block_not_found");
    // A second at least, and it asks for a look at L1 meanwhile.
    expect(performance.now() - begin).toBeGreaterThan(900);
    expect(pokes).toBeGreaterThan(0);
  });

  test("a checkpoint proposal is checked once its last block has come", async () => {
    const { chain } = recorded;
    let listener = () => {};
    let there = false;
    const sync = {
      poke: () => {},
      onBlocksAdded: (added: () => void) => {
        listener = added;
        return () => {};
      },
    };
    const last = chain.blockNumberByArchive(several.proposal.archive)!;
    const view = {
      block: (n: number) => chain.block(n),
      blockBody: (n: number) => chain.blockBody(n),
      blockNumberByArchive: (root: Uint8Array) => (there ? chain.blockNumberByArchive(root) : undefined),
      checkpointsOfEpoch: (epoch: number) => chain.checkpointsOfEpoch(epoch),
      latestBlockNumber: () => last,
    };
    const verdict = faultOf(several.proposal, { sync, chain: view });
    await new Promise((resolve) => setTimeout(resolve, 20));
    there = true;
    listener();
    expect(await verdict).toBe("valid");
  });

  test("a checkpoint proposal with the archive of an earlier block of its slot is refused as last_block_archive_mismatch", async () => {
    const { chain } = recorded;
    const last = chain.blockNumberByArchive(several.proposal.archive)!;
    const { archiveRoot } = chain.block(last - 1)!;
    const early = await signedAgain(several, ({ archive }) => archive.set(archiveRoot));
    expect(await faultOf(early)).toBe("last_block_archive_mismatch");
  });

  test("a checkpoint proposal for a slot without blocks is refused as no_blocks_for_slot", async () => {
    const other = await signedAgain(several, ({ header }) => {
      header[CHECKPOINT_AT.slotNumber + 31] = several.slot + 1;
    });
    expect(await faultOf(other)).toBe("no_blocks_for_slot");
  });

  test("a checkpoint proposal is refused as block_fetch_error if its blocks cannot be read", async () => {
    const { chain } = recorded;
    const last = chain.blockNumberByArchive(several.proposal.archive)!;
    const broken = {
      block: (n: number) => chain.block(n),
      blockBody: () => {
        throw new Error("disk");
      },
      blockNumberByArchive: (root: Uint8Array) => chain.blockNumberByArchive(root),
      checkpointsOfEpoch: () => [],
      latestBlockNumber: () => last,
    };
    expect(await faultOf(several.proposal, { chain: broken })).toBe("block_fetch_error");
  });

  test("a checkpoint proposal with another header than its blocks give is refused, with the part that differs", async () => {
    const parts = {
      lastArchiveRoot: "last archive",
      blockHeadersHash: "hash of block headers",
      blobsHash: "hash of blobs",
      inHash: "in hash",
      timestamp: "timestamp",
      coinbase: "coinbase",
      feeRecipient: "fee recipient",
      feePerDaGas: "pair of gas fees",
      feePerL2Gas: "pair of gas fees",
      totalManaUsed: "sum of mana",
    } as const;
    for (const [name, part] of Object.entries(parts)) {
      const proposal = await flipped(CHECKPOINT_AT[name as keyof typeof parts] + 7);
      const verdict = await recorded.check(several).check(proposal);
      expect(verdict, name).toMatchObject({ valid: false, fault: "checkpoint_header_mismatch" });
      expect(verdict.valid ? "" : verdict.reason).toContain(part);
    }
  });

  test("a checkpoint proposal with another out hash of the epoch is refused as out_hash_mismatch", async () => {
    expect(await faultOf(await flipped(CHECKPOINT_AT.epochOutHash + 9))).toBe("out_hash_mismatch");
    // Another history of the epoch gives another out hash too.
    const { chain } = recorded;
    const last = chain.blockNumberByArchive(several.proposal.archive)!;
    const foreign = { ...chain.checkpoint(1)!, number: 0, outHash: new Uint8Array(32).fill(1) };
    const view = {
      block: (n: number) => chain.block(n),
      blockBody: (n: number) => chain.blockBody(n),
      blockNumberByArchive: (root: Uint8Array) => chain.blockNumberByArchive(root),
      checkpointsOfEpoch: () => [foreign],
      latestBlockNumber: () => last,
    };
    expect(await faultOf(several.proposal, { chain: view })).toBe("out_hash_mismatch");
  });

  test("a checkpoint proposal beyond a limit of the validator is refused as checkpoint_validation_failed", async () => {
    for (const [limits, reason] of [
      [{ rollupManaLimit: 1 }, "exceeds rollup limit of 1"],
      [{ maxTxsPerCheckpoint: 1 }, "Checkpoint tx count 3 exceeds limit of 1"],
      [{ maxTxsPerBlock: 0 }, "txs exceeding limit of 0"],
      [{ maxL2BlockGas: 1 }, "L2 gas used"],
      [{ maxDaBlockGas: 1 }, "DA gas used"],
    ] as const) {
      const verdict = await recorded.check(several, { limits }).check(several.proposal);
      expect(verdict).toMatchObject({ fault: "checkpoint_validation_failed", reason: expect.stringContaining(reason) });
    }
  });
});
