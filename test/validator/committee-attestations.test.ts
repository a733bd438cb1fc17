import { afterEach, describe, expect, test, vi } from "vitest";
import type { ProposedBlock } from "../../src/checkpoints/checkpoint-terms.ts";
import { readPackedAttestations } from "../../src/l1/committee/packed-attestations.ts";
import { validateAttestations } from "../../src/l1/committee/validate-attestations.ts";
import { attestationsAndSignersHash, NO_ATTESTATIONS } from "../../src/l1/propose/attestations.ts";
import { LocalSigner } from "../../src/l1/tx/local-signer.ts";
import { BLOCK_HEADER_BYTES, HEADER_AT } from "../../src/protocol/block-header.ts";
import { toHex, writeU32, writeUint } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT } from "../../src/protocol/checkpoint-header.ts";
import { blockProposalSender, decodeBlockProposal } from "../../src/protocol/consensus/block-proposal.ts";
import {
  attestationPayloadHash,
  decodeCheckpointAttestation,
} from "../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  checkpointProposalSender,
  decodeCheckpointProposal,
} from "../../src/protocol/consensus/checkpoint-proposal.ts";
import { signedBigInt } from "../../src/protocol/consensus/signed-integer.ts";
import { wireSignature } from "../../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../src/protocol/personal-message.ts";
import { txToBytes } from "../../src/protocol/tx/tx-bytes.ts";
import type { AttestationCollector } from "../../src/sequencer/attestations.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { CommitteeAttestations, type CommitteeRequest } from "../../src/validator/committee-attestations.ts";
import { DutySigner } from "../../src/validator/duty-signer.ts";
import { OwnAttestations } from "../../src/validator/own-attestations.ts";
import { OwnProposals } from "../../src/validator/own-proposals.ts";
import type { SigningGuard, SigningRequest } from "../../src/validator/signing/signing-guard.ts";
import { SigningRefusedError } from "../../src/validator/signing/signing-refused-error.ts";
import { trimToQuorum } from "../../src/validator/trim-to-quorum.ts";
import { addressOf, committeeOf, pooled } from "../world/p2p/consensus-support.ts";
import { V4_ROLLUP } from "../world/protocol/message-rollup.ts";
import { recordedTxs } from "../world/protocol/recorded-txs.ts";
import { recoverSigner } from "../world/protocol/recover-signer.ts";
import { UNMEASURED } from "../world/telemetry/unmeasured.ts";
import { closeGuards, recordingGuard } from "../world/validator/recording-guard.ts";

const SLOT = 10;
const KEYS = [1, 2, 3, 4].map((i) => new Uint8Array(32).fill(i));
const MEMBERS = KEYS.map(addressOf);
const [FIRST, SECOND, THIRD, PROPOSER] = MEMBERS.map(toHex);
const SIGNERS = new Map(KEYS.map((key) => [toHex(addressOf(key)), new LocalSigner(key)]));
const IN_HASH = new Uint8Array(32).fill(9);

const TIMES = { l1GenesisTime: 0, slotDuration: 72, ethereumSlotDuration: 12 };
const slotGuard = () => recordingGuard(TIMES, () => SLOT * TIMES.slotDuration * 1000);

/** Binary forms of the txs of block 4, by the first byte of the hashes that its block gives them. */
const RECORDED = recordedTxs().slice(0, 2);
const TX_BYTES = new Map(RECORDED.map(({ hash, tx }, i) => [24 + 10 * i, txToBytes(hash, tx)]));

/** A block of the slot; its archive root is filled with its number. */
function block(number: number, index: number): ProposedBlock {
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  writeU32(header, HEADER_AT.slotNumber, SLOT);
  const archiveRoot = new Uint8Array(32).fill(number);
  return {
    record: { number, header, archiveRoot, indexWithinCheckpoint: index },
    txs: [{ txHash: new Uint8Array(32).fill(20 + number) }, { txHash: new Uint8Array(32).fill(30 + number) }],
  } as unknown as ProposedBlock;
}

function request(changes: Partial<CommitteeRequest> = {}): CommitteeRequest {
  const header = new Uint8Array(V4.headers.checkpointBytes);
  header.set(IN_HASH, CHECKPOINT_AT.inHash);
  writeUint(header, CHECKPOINT_AT.slotNumber + 26, 6, SLOT);
  return {
    slot: SLOT,
    proposer: PROPOSER,
    committee: MEMBERS,
    checkpoint: { header, archiveRoot: new Uint8Array(32).fill(5), blocks: [block(4, 0), block(5, 1)] },
    feeAssetPriceModifier: -3n,
    deadline: Date.now() + 120_000,
    signal: new AbortController().signal,
    ...changes,
  };
}

const pools: ReturnType<typeof pooled>[] = [];
afterEach(async () => {
  await closeGuards();
  for (const each of pools.splice(0)) await each.close();
});

/** The proposer's node, which has the keys of `own`. */
function proposerNode({
  own = [PROPOSER],
  guard,
  sendsTxs = false,
  now = Date.now,
}: {
  own?: string[];
  guard?: SigningGuard;
  sendsTxs?: boolean;
  now?: () => number;
} = {}) {
  const opened = pooled();
  pools.push(opened);
  const { pool } = opened;
  const sent: { topic: string; payload: Uint8Array }[] = [];
  const requests: SigningRequest[] = [];
  const memory = guard ?? slotGuard();
  const noted: SigningGuard = {
    sign(each) {
      requests.push(each);
      return memory.sign(each);
    },
    close: async () => {},
  };
  const publisher = { publish: (topic: string, payload: Uint8Array) => void sent.push({ topic, payload }) };
  const signer = new DutySigner({ guard: noted, signerOf: (address) => SIGNERS.get(address) });
  const parts = { signer, pool, publisher, rollup: V4_ROLLUP, dutyTimes: UNMEASURED, logger: silentLogger };
  const committees = { at: committeeOf(MEMBERS, MEMBERS[3]) };
  const collector = new CommitteeAttestations({
    ...parts,
    proposals: new OwnProposals({
      ...parts,
      settings: { sendsTxs },
      txBytes: (hash) => TX_BYTES.get(hash[0]),
      signTxs: (proposer, digest) => SIGNERS.get(proposer)!.signMessage(digest),
    }),
    attestations: new OwnAttestations({ ...parts, committees, attesters: () => own }),
    settings: { pollingIntervalMs: 5 },
    now,
  });
  return {
    collector,
    pool,
    sent,
    requests,
    topics: () => sent.map(({ topic }) => topic),
    /** What gossip brings of another member, to what this node proposed. */
    async attests(key: Uint8Array, change: (archive: Uint8Array) => Uint8Array = (archive) => archive): Promise<void> {
      const { payload } = sent.find(({ topic }) => topic === "checkpoint_proposal")!;
      const { header, archive, feeAssetPriceModifier, signature } = decodeCheckpointProposal(payload, V4_ROLLUP);
      const attested = { header, archive: change(archive), feeAssetPriceModifier };
      const signed = await new LocalSigner(key).signMessage(attestationPayloadHash(attested, V4_ROLLUP));
      pool.addAttestation(
        { ...attested, signature: wireSignature(signed), proposerSignature: signature },
        addressOf(key),
      );
    },
  };
}

/** Resolves when the checkpoint and the own attestation were sent. */
const offered = (node: { topics(): string[] }) =>
  vi.waitFor(() => expect(node.topics()).toEqual(["checkpoint_proposal", "checkpoint_attestation"]), 60_000);

describe("a proposer's checkpoint", () => {
  test("a checkpoint is offered with its last block, attested to by own keys first, and packed as L1 takes it", async () => {
    const node = proposerNode();
    const collecting = node.collector.collect(request());
    await offered(node);
    for (const key of KEYS.slice(0, 3)) await node.attests(key);
    const packed = await collecting;

    const proposal = decodeCheckpointProposal(node.sent[0].payload, V4_ROLLUP);
    expect(toHex(checkpointProposalSender(proposal, recoverSigner, V4_ROLLUP)!)).toBe(PROPOSER);
    expect(signedBigInt(proposal.feeAssetPriceModifier)).toBe(-3n);
    expect(proposal.lastBlock).toMatchObject({ indexWithinCheckpoint: 1 });
    expect(toHex(proposal.lastBlock!.txHashes)).toBe(`0x${"19".repeat(32)}${"23".repeat(32)}`);
    expect(toHex(proposal.lastBlock!.inHash)).toBe(toHex(IN_HASH));
    const stored = node.pool.proposals(SLOT);
    expect([stored.blocks.length, stored.checkpoints.length]).toEqual([1, 0]);

    // Three of four are the quorum; the proposer is the last one in committee order.
    expect(packed.signers.map(toHex)).toHaveLength(3);
    expect(toHex(packed.signers[2])).toBe(PROPOSER);
    const attestations = readPackedAttestations(packed.signatureIndices, packed.signaturesOrAddresses, 4);
    expect(attestations.filter(({ signature }) => signature === undefined)).toHaveLength(1);
    const payloadDigest = attestationPayloadHash(proposal, V4_ROLLUP);
    const committee = { epoch: 0, committee: MEMBERS, seed: 0n, escapeHatchOpen: false, settled: true };
    const rules = { consensus: V4.consensus, recover: recoverSigner };
    expect(validateAttestations({ attestations, payloadDigest }, committee, rules)).toEqual({ valid: true });
    const signer = recoverSigner(personalMessage(attestationsAndSignersHash(V4.consensus, packed)), packed.signature!);
    expect(toHex(signer!)).toBe(PROPOSER);
    expect(node.requests.map(({ duty }) => duty)).toEqual([
      { kind: "BLOCK_PROPOSAL", slot: SLOT, indexWithinCheckpoint: 1, blockNumber: 5 },
      { kind: "CHECKPOINT_PROPOSAL", slot: SLOT, blockNumber: 5 },
      { kind: "ATTESTATION", slot: SLOT },
      { kind: "ATTESTATIONS_AND_SIGNERS", slot: SLOT, blockNumber: 5 },
    ]);
  });

  test("a checkpoint whose last block was sent alone is offered without it", async () => {
    const own = [...SIGNERS.keys()];
    const node = proposerNode({ own });
    await node.collector.offerBlock({ slot: SLOT, proposer: PROPOSER, block: block(4, 0), inHash: IN_HASH });
    await node.collector.offerBlock({ slot: SLOT, proposer: PROPOSER, block: block(5, 1), inHash: IN_HASH });
    await node.collector.collect(request());
    expect(node.topics().slice(0, 3)).toEqual(["block_proposal", "block_proposal", "checkpoint_proposal"]);
    const blocks = node.sent.slice(0, 2).map(({ payload }) => decodeBlockProposal(payload, V4_ROLLUP));
    expect(blocks.map((each) => toHex(blockProposalSender(each, recoverSigner, V4_ROLLUP)!))).toEqual([
      PROPOSER,
      PROPOSER,
    ]);
    expect(blocks.map(({ indexWithinCheckpoint }) => indexWithinCheckpoint)).toEqual([0, 1]);
    expect(decodeCheckpointProposal(node.sent[2].payload, V4_ROLLUP).lastBlock).toBeUndefined();
  });

  test("the txs of a block are sent along only where that is set, signed by the proposer, and only if all are there", async () => {
    const offer = { slot: SLOT, proposer: PROPOSER, inHash: IN_HASH };
    const sent = async (sendsTxs: boolean, number: number) => {
      const node = proposerNode({ sendsTxs });
      await node.collector.offerBlock({ ...offer, block: block(number, 0) });
      return decodeBlockProposal(node.sent[0].payload, V4_ROLLUP);
    };
    const whole = await sent(true, 4);
    expect(whole.signedTxs?.txs.map(({ hash }) => toHex(hash))).toEqual(RECORDED.map(({ hash }) => toHex(hash)));
    expect(toHex(blockProposalSender(whole, recoverSigner, V4_ROLLUP)!)).toBe(PROPOSER);
    expect((await sent(true, 5)).signedTxs).toBeUndefined();
    expect((await sent(false, 4)).signedTxs).toBeUndefined();
  });

  test("keys of this node make a quorum alone, the proposer's first", async () => {
    const node = proposerNode({ own: [FIRST, SECOND, THIRD, PROPOSER] });
    const packed = await node.collector.collect(request());
    expect(packed.signers.map(toHex)).toEqual([FIRST, SECOND, PROPOSER]);
    expect(node.topics().filter((topic) => topic === "checkpoint_attestation")).toHaveLength(4);
    const attested = node.sent.slice(1).map(({ payload }) => decodeCheckpointAttestation(payload, V4_ROLLUP));
    expect(new Set(attested.map(({ proposerSignature }) => toHex(proposerSignature))).size).toBe(1);
  });

  test("attestations to another checkpoint, and of others than members, do not count", async () => {
    let now = 0;
    const node = proposerNode({ now: () => now });
    const collecting = node.collector.collect(request({ deadline: 1_000 })).catch((error: Error) => error);
    await offered(node);
    await node.attests(KEYS[0], () => new Uint8Array(32).fill(7));
    await node.attests(new Uint8Array(32).fill(8));
    await node.attests(KEYS[1]);
    now = 1_000;
    expect(await collecting).toMatchObject({ name: "AttestationTimeoutError", slot: SLOT, collected: 2, required: 3 });
  });

  test("the wait for attestations ends when the node stops", async () => {
    const node = proposerNode();
    const stop = new AbortController();
    const collecting = node.collector.collect(request({ deadline: undefined, signal: stop.signal }));
    await offered(node);
    stop.abort();
    await expect(collecting).rejects.toThrow("1 of 4 members attested in slot 10, 3 are required");
  });

  test("a checkpoint of a rollup without a committee is sent to peers, and needs no attestations", async () => {
    const node = proposerNode();
    expect(await node.collector.collect(request({ committee: [] }))).toEqual(NO_ATTESTATIONS);
    expect(node.topics()).toEqual(["checkpoint_proposal"]);
  });

  test("nothing is sent for a checkpoint that the guard does not sign", async () => {
    const refusing = (kind: string): SigningGuard => {
      const memory = slotGuard();
      return {
        async sign(each) {
          if (each.duty.kind !== kind) return memory.sign(each);
          throw new SigningRefusedError(each.signer.address, each.duty, "signed elsewhere", "another node signed it");
        },
        close: async () => {},
      };
    };
    for (const kind of ["BLOCK_PROPOSAL", "CHECKPOINT_PROPOSAL"]) {
      const node = proposerNode({ guard: refusing(kind) });
      await expect(node.collector.collect(request())).rejects.toThrow(`does not sign ${kind}`);
      expect(node.sent).toEqual([]);
    }
    const last = proposerNode({ own: [...SIGNERS.keys()], guard: refusing("ATTESTATIONS_AND_SIGNERS") });
    await expect(last.collector.collect(request())).rejects.toThrow("another node signed it");
  });

  test("a second block for a position is neither signed nor sent", async () => {
    const node = proposerNode();
    const offer = { slot: SLOT, proposer: PROPOSER, inHash: IN_HASH };
    await node.collector.offerBlock({ ...offer, block: block(4, 0) });
    await expect(node.collector.offerBlock({ ...offer, block: block(6, 0) })).rejects.toThrow("another message");
    // What a twin with the same key sent counts as well.
    const restarted = proposerNode();
    const twin = decodeBlockProposal(node.sent[0].payload, V4_ROLLUP);
    restarted.pool.addBlockProposal(twin);
    await expect(restarted.collector.offerBlock({ ...offer, block: block(6, 0) })).rejects.toMatchObject({
      name: "BlockOfferedError",
      slot: SLOT,
      index: 0,
    });
    expect(restarted.sent).toEqual([]);
  });

  test("where anyone may propose, blocks of others for the same position do not hold up one's own", async () => {
    const offer = { slot: SLOT, inHash: IN_HASH };
    const node = proposerNode();
    for (const [i, proposer] of [FIRST, SECOND, THIRD].entries()) {
      const other = proposerNode({ own: [proposer] });
      await other.collector.offerBlock({ ...offer, proposer, block: block(6 + i, 0) });
      node.pool.addBlockProposal(decodeBlockProposal(other.sent[0].payload, V4_ROLLUP));
    }
    await node.collector.offerBlock({ ...offer, proposer: PROPOSER, block: block(4, 0) });
    expect(node.topics()).toEqual(["block_proposal"]);
  });

  test("a sequencer takes this collector", () => {
    const collector: AttestationCollector = proposerNode().collector;
    expect(collector.obstacle(MEMBERS)).toBeUndefined();
  });
});

describe("trimming to the quorum", () => {
  const signatures = ["0x0a", "0x0b", "0x0c", "0x0d"].map((attester, i) => ({
    attester,
    signature: new Uint8Array(65).fill(i),
  }));

  test("exactly the quorum is taken: the first ones named, in their order, then others", () => {
    const taken = (first: string[]) => [...trimToQuorum(signatures, { required: 3, first }).keys()];
    expect(taken([])).toEqual(["0x0a", "0x0b", "0x0c"]);
    expect(taken(["0x0d", "0x0c"])).toEqual(["0x0d", "0x0c", "0x0a"]);
    expect(taken(["0x0e", "0x0d"])).toEqual(["0x0d", "0x0a", "0x0b"]);
  });
});
