import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { rebuildCheckpoint } from "../../../src/archiver/rebuild-checkpoint.ts";
import type { ProposedBlock } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { CheckpointBuilder } from "../../../src/checkpoints/checkpoint-builder.ts";
import type { CompletedCheckpoint } from "../../../src/checkpoints/checkpoint-terms.ts";
import { completeCheckpoint } from "../../../src/checkpoints/complete-checkpoint.ts";
import { CheckpointProposalCheck } from "../../../src/checkpoints/proposals/checkpoint-proposal-check.ts";
import type { ProposalVerdict } from "../../../src/checkpoints/proposals/proposal-verdict.ts";
import { blockHash } from "../../../src/core/derive/block-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { HEADER_AT } from "../../../src/protocol/block-header.ts";
import { concat, equal, toHex } from "../../../src/protocol/bytes.ts";
import { blockWords } from "../../../src/protocol/checkpoint-blob-writer.ts";
import { checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { type BlockProposal, blockProposalPayload } from "../../../src/protocol/consensus/block-proposal.ts";
import {
  attester as attesterOf,
  decodeCheckpointAttestation,
} from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  type CheckpointProposal,
  checkpointProposalPayload,
} from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import { ARCHIVE } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { inHash } from "../../../src/protocol/sha-trees.ts";
import type { Offense } from "../../../src/protocol/slashing/offense.ts";
import { epochOfSlot, slotTimestamp } from "../../../src/protocol/time.ts";
import { txFeePayer } from "../../../src/protocol/tx/gas-settings.ts";
import { readTxEffects } from "../../../src/protocol/tx-effect.ts";
import { rebuildEpoch } from "../../../src/slasher/watchers/rebuild-epoch.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { CheckpointAttester } from "../../../src/validator/checkpoint-attester.ts";
import { DutySigner } from "../../../src/validator/duty-signer.ts";
import { OffenseReports } from "../../../src/validator/offense-reports.ts";
import { OwnAttestations } from "../../../src/validator/own-attestations.ts";
import { type L1Recording, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { recordedBlocks } from "../../world/archiver/recorded-node.ts";
import { type ProposingNode, proposalOf, proposingNode, recordedTx } from "../../world/checkpoints/proposing-node.ts";
import { payersTx } from "../../world/execution/funded-state.ts";
import type { CallPlan } from "../../world/execution/tx-builder.ts";
import { addressOf, committeeOf, pooled, signPayload } from "../../world/p2p/consensus-support.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";
import { UNMEASURED } from "../../world/telemetry/unmeasured.ts";
import { closeGuards, recordingGuard } from "../../world/validator/recording-guard.ts";

/** What a validator does with a checkpoint in which transactions revert, by the release of its proposer. */
const core = loadCore();
const CHECKPOINT = 12;
const [PROPOSER, MEMBER] = [1, 2].map((i) => new Uint8Array(32).fill(i));
/** Byte of the revert code in a transaction's first word (docs/protocol/03-blocks-and-blobs.md#312-marker-words). */
const REVERT_CODE_AT = 27;
/** A call to a contract that does not exist, which reverts. */
const FAILING: CallPlan = { address: fr(0xdead), sender: fr(1), calldata: new Uint8Array(0) };

const kzg = new Kzg();
let recording: L1Recording;
/** Private. */
let plain: HashedTx;
/** App logic, teardown, and both revert. */
let reverting: HashedTx[];
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  recording = await readRecordedL1();
  const [block] = (await recordedBlocks(core, recording))[CHECKPOINT - 1];
  plain = recordedTx(block.txs[0].txHash)!;
  const shared = {
    feePayer: txFeePayer(plain.tx.data),
    teardownGasLimits: { daGas: 0, l2Gas: 100_000 },
  };
  reverting = [{ app: [FAILING] }, { teardown: FAILING }, { app: [FAILING], teardown: FAILING }].map((calls, i) => ({
    hash: fr(0x7000 + i),
    tx: payersTx(0xaa01 + i, { ...shared, ...calls }),
  }));
});
afterEach(async () => {
  await closeGuards();
  for (const cleanup of cleanups.splice(0)) await cleanup();
});
afterAll(() => kzg.close());

/** A node that followed L1 up to the checkpoint. */
async function opened(): Promise<ProposingNode> {
  const node = await proposingNode(core, recording, CHECKPOINT);
  cleanups.push(() => node.remove());
  return node;
}

/** The first block of the checkpoint with other revert codes, from the words alone. */
function withCodes(
  world: ProposingNode["world"],
  { record, body, ...rest }: ProposedBlock,
  codes: readonly number[],
): ProposedBlock {
  const words = Uint8Array.from(body);
  let at = 0;
  for (const [i, effect] of readTxEffects(body).entries()) {
    words[at + REVERT_CODE_AT] = codes[i];
    at += effect.words.length;
  }
  const header = Uint8Array.from(record.header);
  const sponge = core.blobSponge();
  sponge.absorb(blockWords({ header, body: words, txCount: codes.length }, true));
  header.set(sponge.squeeze(), HEADER_AT.spongeBlobHash);
  const hash = blockHash(core, header);
  const fork = world.fork(record.number - 1);
  fork.append(ARCHIVE, [hash]);
  const { root } = fork.snapshot(ARCHIVE);
  return { ...rest, record: { ...record, header, hash, archiveRoot: root }, body: words, txs: readTxEffects(words) };
}

/** A checkpoint of two blocks. The transactions of the first revert, and it has the given codes for them. */
async function proposed(codes: readonly number[]): Promise<CompletedCheckpoint> {
  const { parts, chain, world, synchronizer } = await opened();
  const { build, chainId, version, limits } = parts;
  const { constants } = recording.identity;
  const messages = parts.messages(CHECKPOINT);
  const slot = checkpointSlot(recording.checkpoints[CHECKPOINT - 1].header);
  const terms = {
    ...{ checkpointNumber: CHECKPOINT, slot, timestamp: slotTimestamp(slot, constants), chainId, version, limits },
    ...{ coinbase: new Uint8Array(20).fill(7), feeRecipient: fr(1), gasFees: { feePerDaGas: 0n, feePerL2Gas: 1n } },
  };
  const services = { ...build, kzg };
  const parent = chain.checkpointedBlockNumber();
  const builder = await CheckpointBuilder.start(services, { ...terms, parentBlock: parent }, messages, []);
  const { block } = await builder.buildBlock(reverting, { minValidTxs: reverting.length });
  builder.close();
  const first = withCodes(world, block!, codes);
  await synchronizer.addProposedBlock(first);
  const next = await CheckpointBuilder.resume(services, { ...terms, parentBlock: parent + 1 }, [first], messages, []);
  const { block: second } = await next.buildBlock([plain], {});
  next.close();
  const previousOutHashes = chain
    .checkpointsOfEpoch(epochOfSlot(slot, constants))
    .filter(({ number }) => number < CHECKPOINT)
    .map(({ outHash }) => outHash);
  const blocks = [first, second!];
  return completeCheckpoint({ checkpointNumber: CHECKPOINT, blocks, messages, previousOutHashes }, services);
}

/** A validator that is given the proposals of a checkpoint: what it says of the blocks, reports, and sends. */
async function received(checkpoint: CompletedCheckpoint) {
  const node = await opened();
  const pool = pooled();
  cleanups.push(() => pool.close());
  const { parts, chain } = node;
  const { limits, now } = parts;
  const { constants } = recording.identity;
  const times = { ...constants, ethereumSlotDuration: 12 };
  const members = [PROPOSER, MEMBER].map(addressOf);
  const committees = { at: committeeOf(members, members[0]) };
  const known = [...reverting, plain];
  const txs = { get: async ({ hashes }: { hashes: readonly Uint8Array[] }) => collected(known, hashes) };

  const offenses: Offense[] = [];
  const penalties = {
    broadcastedInvalidBlockPenalty: 7n,
    duplicateProposalPenalty: 7n,
    duplicateAttestationPenalty: 7n,
  };
  const reports = new OffenseReports((found) => void offenses.push(...found), penalties, recoverSigner, V4_ROLLUP);
  const check = node.check({ txs });
  const verdicts: ProposalVerdict[] = [];
  for (const block of checkpoint.blocks) {
    const proposal = proposalOf(block, inHash(parts.messages(CHECKPOINT)));
    const hashes = proposal.txHashes;
    const verdict = await check.check({
      ...{ proposal, txHashes: hashes, peer: undefined, embedded: [] },
      brokenRule: async () => undefined,
    });
    verdicts.push(verdict);
    reports.blockChecked(await signedBlock({ ...proposal, txHashes: concat(...hashes) }), verdict);
    if (!verdict.valid) break;
  }

  const sent: Uint8Array[] = [];
  const shared = { rollup: V4_ROLLUP, committees, dutyTimes: UNMEASURED, logger: silentLogger };
  const own = [toHex(addressOf(MEMBER))];
  const attester = new CheckpointAttester({
    ...shared,
    attestations: new OwnAttestations({
      ...shared,
      attesters: () => own,
      signer: new DutySigner({ guard: recordingGuard(times, now), signerOf: () => new LocalSigner(MEMBER) }),
      pool: pool.pool,
      publisher: { publish: (_, payload) => void sent.push(payload) },
    }),
    check: new CheckpointProposalCheck({
      ...{ core, generation: V4, kzg, chain, constants, limits, now },
      sync: parts.sync,
      messages: parts.messages,
      rollup: V4_ROLLUP,
      recover: recoverSigner,
    }),
    ownAddresses: () => own,
    observer: false,
    uploads: undefined,
    times,
    recover: recoverSigner,
    now,
  });
  const last = verdicts.at(-1)!;
  const outcome = last.valid ? await attester.handle(await signedCheckpoint(checkpoint), "peer", 0) : undefined;
  return { verdicts, offenses, outcome, sent, chain };
}

function collected(known: readonly HashedTx[], hashes: readonly Uint8Array[]) {
  return { txs: hashes.map((hash) => known.find((tx) => equal(tx.hash, hash))!), missing: [] };
}

/** A checkpoint as a node rebuilds it from its blobs and its header. */
function readFromL1(checkpoint: CompletedCheckpoint) {
  const { l1ChainId, rollupVersion, constants } = recording.identity;
  const { rollupManaLimit } = constants;
  const blobs = concat(...checkpoint.blobs);
  return rebuildCheckpoint({ ...checkpoint, blobs, l1ChainId, rollupVersion, rollupManaLimit }, core, V4);
}

async function signedBlock(unsigned: Omit<BlockProposal, "signature" | "signedTxs">): Promise<BlockProposal> {
  return {
    ...unsigned,
    signature: await signPayload(PROPOSER, blockProposalPayload(unsigned, V4_ROLLUP)),
    signedTxs: undefined,
  };
}

async function signedCheckpoint({ header, archiveRoot }: CompletedCheckpoint): Promise<CheckpointProposal> {
  const payload = { header, archive: archiveRoot, feeAssetPriceModifier: new Uint8Array(32) };
  return { ...payload, signature: await signPayload(PROPOSER, checkpointProposalPayload(payload, V4_ROLLUP)) };
}

test.each([
  ["of the release, which knows 0 and 1", [1, 1, 1]],
  ["of 4.1.2, which tells the phases apart", [1, 2, 3]],
])("a checkpoint with reverted teardowns by a proposer %s is attested, and is no offense", async (_, codes) => {
  const checkpoint = await proposed(codes);
  const { verdicts, offenses, outcome, sent, chain } = await received(checkpoint);
  expect(verdicts.map((verdict) => (verdict.valid ? "valid" : verdict.reason))).toEqual(["valid", "valid"]);
  expect(offenses).toEqual([]);
  expect(outcome).toEqual({ kind: "attested", members: 1 });
  expect(
    sent.map((bytes) => toHex(attesterOf(decodeCheckpointAttestation(bytes, V4_ROLLUP), recoverSigner, V4_ROLLUP)!)),
  ).toEqual([toHex(addressOf(MEMBER))]);
  // The node stored the proposer's words, and reads the same ones from the checkpoint's blobs on L1.
  const fromL1 = readFromL1(checkpoint);
  expect(fromL1.blocks[0].txs.map(({ revertCode }) => revertCode)).toEqual(codes);
  for (const [i, { record, body }] of fromL1.blocks.entries()) {
    expect(toHex(chain.block(record.number)!.hash)).toBe(toHex(record.hash));
    expect(toHex(chain.blockBody(record.number)!)).toBe(toHex(body));
    expect(toHex(checkpoint.blocks[i].record.hash)).toBe(toHex(record.hash));
  }
});

test("a checkpoint on L1 with revert codes that no release computes keeps its words, and each of them says reverted", async () => {
  const checkpoint = await proposed([4, 255, 1]);
  const { blocks } = readFromL1(checkpoint);
  expect(blocks.map(({ record }) => toHex(record.hash))).toEqual(
    checkpoint.blocks.map(({ record }) => toHex(record.hash)),
  );
  expect(blocks[0].txs.map(({ revertCode }) => revertCode)).toEqual([4, 255, 1]);
});

test.each([
  ["the teardown's code for app logic", [2, 2, 3]],
  ["success for a reverted teardown", [1, 0, 1]],
  ["the codes of both releases in one block", [1, 1, 3]],
  ["a code that no release computes", [1, 4, 1]],
])("a block with %s is refused, and is an offense of its proposer", async (_, codes) => {
  const checkpoint = await proposed(codes);
  const { verdicts, offenses, sent } = await received(checkpoint);
  expect(verdicts).toEqual([
    { valid: false, fault: "state_mismatch", reason: "executing the block gives another blob sponge hash" },
  ]);
  expect(offenses).toMatchObject([{ offenseType: 4, amount: 7n, validator: addressOf(PROPOSER) }]);
  expect(sent).toEqual([]);
});

test.each([
  [[1, 1, 1], { kind: "valid" }],
  [[1, 2, 3], { kind: "invalid", reason: expect.stringContaining("has revert code 2, which no circuit proves") }],
  [[1, 1, 3], { kind: "invalid", reason: expect.stringContaining("gives another archive root") }],
])(
  "a pruned epoch with the revert codes %j is judged by whether it could have been proven",
  async (codes, expected) => {
    const { blocks } = await proposed(codes);
    const { parts } = await opened();
    const known = [...reverting, plain];
    const get = (hash: Uint8Array) => known.find((tx) => equal(tx.hash, hash))?.tx;
    const services = {
      ...{ build: parts.build, chainId: parts.chainId, version: parts.version, messages: parts.messages },
      rollupManaLimit: parts.limits.rollupManaLimit!,
      pool: { get, hasTx: (hash: Uint8Array) => get(hash) !== undefined },
    };
    const removed = blocks.map(({ record, txs }) => ({ ...record, txHashes: txs.map(({ txHash }) => txHash) }));
    expect(await rebuildEpoch(services, removed, new AbortController().signal)).toEqual(expected);
  },
);
