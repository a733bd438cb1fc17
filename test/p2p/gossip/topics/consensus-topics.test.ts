import { afterEach, describe, expect, test } from "vitest";
import type { SlotCommittee } from "../../../../src/l1/committee/slot-committees.ts";
import type { GossipOutcome, TopicValidator } from "../../../../src/p2p/gossip/topic.ts";
import type { ConsensusContext } from "../../../../src/p2p/gossip/topics/consensus-context.ts";
import { consensusTopics } from "../../../../src/p2p/gossip/topics/consensus-topics.ts";
import { HEADER_AT } from "../../../../src/protocol/block-header.ts";
import { concat, fromHex, toHex, writeU32 } from "../../../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointHash } from "../../../../src/protocol/checkpoint-header.ts";
import {
  type BlockProposal,
  blockProposalPayload,
  decodeBlockProposal,
  encodeBlockProposal,
} from "../../../../src/protocol/consensus/block-proposal.ts";
import {
  type CheckpointAttestation,
  decodeCheckpointAttestation,
  encodeCheckpointAttestation,
} from "../../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  checkpointProposalPayload,
  decodeCheckpointProposal,
  encodeCheckpointProposal,
  type GossipedCheckpointProposal,
} from "../../../../src/protocol/consensus/checkpoint-proposal.ts";
import { attestationPayload } from "../../../../src/protocol/consensus/digests.ts";
import { unwrapMessage } from "../../../../src/protocol/consensus/gossip-wrapper.ts";
import { type SignedTxs, signedTxsPayload } from "../../../../src/protocol/consensus/signed-txs.ts";
import { DecodeError } from "../../../../src/protocol/errors.ts";
import { V4 } from "../../../../src/protocol/generations/v4/v4.ts";
import { addressOf, committeeOf, consensusContext, pooled, signPayload } from "../../../world/p2p/consensus-support.ts";
import { p2pVectors, recordedMessages, recordedNetwork, uncompressed } from "../../../world/p2p/recorded.ts";
import { V4_ROLLUP } from "../../../world/protocol/message-rollup.ts";

const vectors = p2pVectors();
const PROPOSER_KEY = fromHex(vectors.keys.proposerPrivateKey);
const ATTESTER_KEY = fromHex(vectors.keys.attesterPrivateKey);
const PROPOSER = fromHex(vectors.keys.proposerAddress);
const ATTESTER = fromHex(vectors.keys.attesterAddress);
const STRANGER_KEY = new Uint8Array(32).fill(7);

const TIMES = { l1GenesisTime: 1000, slotDuration: 72, ethereumSlotDuration: 12 };
const SLOT = 5005;
const SLOT_START = (1000 + SLOT * 72) * 1000;
const POINTS = { high: 2, mid: 10, low: 50 };

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Answer {
  outcome: GossipOutcome;
  /** Events and processed proposals that the message caused. */
  log: string[];
}

function setUp(parts: Partial<ConsensusContext> = {}) {
  const opened = pooled();
  open.push(opened);
  const { context, log } = consensusContext({
    pool: opened.pool,
    times: TIMES,
    now: () => SLOT_START + 1000,
    committees: { at: committeeOf([ATTESTER, PROPOSER], PROPOSER) },
    ...parts,
  });
  const validators: Record<string, TopicValidator> = Object.fromEntries(
    consensusTopics(context).map(({ name, validate }) => [name, validate]),
  );
  const send = async (topic: string, payload: Uint8Array): Promise<Answer> => {
    log.length = 0;
    let outcome: GossipOutcome;
    try {
      outcome = await validators[topic](payload, "16Uiu2peer");
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      outcome = { result: "reject", tolerance: "low", reason: error.message };
    }
    await outcome.process?.();
    return { outcome, log: [...log] };
  };
  return { send, pool: opened.pool, context };
}

const verdictOf = ({ outcome: { result, tolerance } }: Answer) =>
  tolerance === undefined ? result : `${result} ${tolerance}`;

async function signedBlock(change: Partial<BlockProposal> = {}, key = PROPOSER_KEY): Promise<BlockProposal> {
  const proposal = { ...decodeBlockProposal(fromHex(vectors.blockProposal.payloadHex), V4_ROLLUP), ...change };
  return { ...proposal, signature: await signPayload(key, blockProposalPayload(proposal, V4_ROLLUP)) };
}

async function signedCheckpoint(
  change: Partial<GossipedCheckpointProposal> = {},
  key = PROPOSER_KEY,
): Promise<Uint8Array> {
  const vector = vectors.checkpointProposalWithoutLastBlock;
  const proposal = { ...decodeCheckpointProposal(fromHex(vector.payloadHex), V4_ROLLUP), ...change };
  const signature = await signPayload(key, checkpointProposalPayload(proposal, V4_ROLLUP));
  return encodeCheckpointProposal({ ...proposal, signature }, V4_ROLLUP, proposal.lastBlock);
}

async function signedAttestation(
  change: Partial<CheckpointAttestation> = {},
  { key = ATTESTER_KEY, proposerKey = PROPOSER_KEY } = {},
): Promise<Uint8Array> {
  const attestation = {
    ...decodeCheckpointAttestation(fromHex(vectors.checkpointAttestation.payloadHex), V4_ROLLUP),
    ...change,
  };
  const { archive, feeAssetPriceModifier, header } = attestation;
  const payload = attestationPayload(V4.consensus, archive, feeAssetPriceModifier, checkpointHash(header));
  return encodeCheckpointAttestation(
    {
      ...attestation,
      signature: await signPayload(key, payload),
      proposerSignature: await signPayload(proposerKey, checkpointProposalPayload(attestation, V4_ROLLUP)),
    },
    V4_ROLLUP,
  );
}

const field = (byte: number) => new Uint8Array(32).fill(byte, 31);

function headerOfSlot(slot: number): Uint8Array {
  const header = Uint8Array.from(decodeBlockProposal(fromHex(vectors.blockProposal.payloadHex), V4_ROLLUP).header);
  writeU32(header, HEADER_AT.slotNumber, slot);
  return header;
}

function checkpointHeaderOfSlot(slot: number): Uint8Array {
  const header = Uint8Array.from(
    decodeCheckpointProposal(fromHex(vectors.checkpointProposalWithoutLastBlock.payloadHex), V4_ROLLUP).header,
  );
  writeU32(header, CHECKPOINT_AT.slotNumber + 28, slot);
  return header;
}

test("the recorded equivocation has the outcomes that the reference had, and costs the same", async () => {
  const { send } = setUp();
  let score = 0;
  const proposer = vectors.keys.proposerAddress;
  const attester = vectors.keys.attesterAddress;
  for (const { name, topic, wrappedHex, expected } of vectors.equivocationSequence.messages) {
    const topicName = topic.split("/")[2];
    const answer = await send(topicName, unwrapMessage(fromHex(wrappedHex)));
    score -= answer.outcome.tolerance === undefined ? 0 : POINTS[answer.outcome.tolerance];
    const processed = answer.log.some((line) => line.startsWith("block ") || line.startsWith("checkpoint "));
    const duplicate = answer.log.find((line) => line.startsWith("duplicate"));
    const isProposal = topicName !== "checkpoint_attestation";
    const [verdict, ...rest] = expected.split(", ");
    expect([name, answer.outcome.result]).toEqual([name, verdict.split(" ")[0]]);
    expect([name, answer.outcome.tolerance]).toEqual([
      name,
      rest.includes("HighTolerance penalty") ? "high" : undefined,
    ]);
    if (isProposal) expect([name, processed]).toEqual([name, rest.includes("processed")]);
    const kind = topicName === "block_proposal" ? "block" : "checkpoint";
    const event = isProposal
      ? `duplicate ${kind} proposal ${SLOT} ${proposer}`
      : `duplicate attestation ${SLOT} ${attester}`;
    expect([name, duplicate]).toEqual([name, /duplicate-\w+ event/.test(expected) ? event : undefined]);
  }
  expect(score).toBe(vectors.equivocationSequence.finalPeerScore);
});

test("messages of the recorded network are accepted, and its equivocations are noticed", async () => {
  const network = recordedNetwork();
  const settings = network.settings;
  let now = 0;
  const committee = async (slot: number): Promise<SlotCommittee> => {
    const epoch = Math.floor(slot / settings.AZTEC_EPOCH_DURATION);
    const members = (network.epochs[epoch]?.committee ?? []).map(fromHex);
    const proposer = network.proposers[slot];
    return committeeOf(members, fromHex(proposer ?? ""))(slot);
  };
  const { send } = setUp({
    times: {
      l1GenesisTime: network.genesisTime,
      slotDuration: settings.AZTEC_SLOT_DURATION,
      ethereumSlotDuration: settings.ETHEREUM_SLOT_DURATION,
    },
    now: () => now,
    committees: { at: committee },
    observer: true,
  });
  const events: string[] = [];
  const outcomes: string[] = [];
  for (const { topic, wrapped, t, decoded } of recordedMessages()) {
    if (topic === "tx") continue;
    now = t;
    const answer = await send(topic, unwrapMessage(wrapped));
    outcomes.push(verdictOf(answer));
    events.push(...answer.log.filter((line) => line.startsWith("duplicate")));
    expect([topic, decoded.slot, answer.outcome.reason]).toEqual([topic, decoded.slot, undefined]);
  }
  expect(outcomes).toEqual(Array(43).fill("accept"));
  const equivocator = network.validators[0].address.toLowerCase();
  expect([...new Set(events.map((line) => line.split(" ").at(-1)))]).toEqual([equivocator]);
  expect(new Set(events.map((line) => line.split(" ").at(-2)))).toEqual(new Set(["225", "238"]));
});

describe("the slot of a message", () => {
  const at = async (slot: number, msIntoSlot: number, topic = "block_proposal") => {
    const { send } = setUp({ now: () => SLOT_START + msIntoSlot });
    const payload =
      topic === "block_proposal"
        ? encodeBlockProposal(await signedBlock({ header: headerOfSlot(slot) }), V4_ROLLUP)
        : await signedAttestation({ header: checkpointHeaderOfSlot(slot) });
    return verdictOf(await send(topic, payload));
  };

  test("is the current one, or the next one in the last L1 slot", async () => {
    expect(await at(SLOT, 0)).toBe("accept");
    expect(await at(SLOT, 71_999)).toBe("accept");
    expect(await at(SLOT + 1, 59_999)).toBe("reject high");
    expect(await at(SLOT + 1, 60_000)).toBe("accept");
    expect(await at(SLOT + 2, 60_000)).toBe("reject high");
  });

  test("that has just ended is ignored, and later refused", async () => {
    expect(await at(SLOT - 1, 0)).toBe("ignore");
    expect(await at(SLOT - 1, 499, "checkpoint_attestation")).toBe("ignore");
    expect(await at(SLOT - 1, 500)).toBe("reject high");
    expect(await at(SLOT - 2, 0)).toBe("reject high");
  });
});

describe("a block proposal", () => {
  const block = async (change: Partial<BlockProposal> = {}, key?: Uint8Array) =>
    encodeBlockProposal(await signedBlock(change, key), V4_ROLLUP);

  test("is refused without a valid signature or from another signer than the proposer", async () => {
    const { send } = setUp();
    const unsigned = { ...(await signedBlock()), signature: new Uint8Array(68) };
    expect(verdictOf(await send("block_proposal", encodeBlockProposal(unsigned, V4_ROLLUP)))).toBe("reject mid");
    expect(verdictOf(await send("block_proposal", await block({}, ATTESTER_KEY)))).toBe("reject mid");
  });

  test("of anybody is taken where there is no committee by configuration", async () => {
    const openSlot = async (slot: number): Promise<SlotCommittee> => ({
      ...(await committeeOf([])(slot)),
      kind: "open",
      proposer: undefined,
    });
    const { send } = setUp({ committees: { at: openSlot } });
    expect(verdictOf(await send("block_proposal", await block({}, STRANGER_KEY)))).toBe("accept");
    expect(verdictOf(await send("checkpoint_proposal", await signedCheckpoint({}, STRANGER_KEY)))).toBe("accept");
    expect(verdictOf(await send("checkpoint_attestation", await signedAttestation()))).toBe("reject high");
  });

  test("costs most where there are too few validators for a committee", async () => {
    const none = async (slot: number): Promise<SlotCommittee> => ({
      ...(await committeeOf([])(slot)),
      kind: "none",
      proposer: undefined,
    });
    const { send } = setUp({ committees: { at: none } });
    expect(verdictOf(await send("block_proposal", await block()))).toBe("reject low");
    expect(verdictOf(await send("checkpoint_proposal", await signedCheckpoint()))).toBe("reject low");
    expect(verdictOf(await send("checkpoint_attestation", await signedAttestation()))).toBe("reject low");
  });

  test("is refused for its transactions where none or fewer are permitted", async () => {
    const strict = setUp({ limits: { txsPermitted: false, maxTxsPerBlock: undefined } });
    expect(verdictOf(await strict.send("block_proposal", await block()))).toBe("reject mid");
    expect(verdictOf(await strict.send("block_proposal", await block({ txHashes: new Uint8Array() })))).toBe("accept");
    const few = setUp({ limits: { txsPermitted: true, maxTxsPerBlock: 2 } });
    expect(verdictOf(await few.send("block_proposal", await block()))).toBe("reject mid");
    expect(verdictOf(await few.send("block_proposal", await block({ txHashes: new Uint8Array(64) })))).toBe("accept");
  });

  test("with more transactions than blobs hold is ignored before anything is hashed", async () => {
    const { send } = setUp();
    const txHashes = new Uint8Array(4097 * 32);
    const unsigned = { ...(await signedBlock({ txHashes })), signature: new Uint8Array(68) };
    expect(verdictOf(await send("block_proposal", encodeBlockProposal(unsigned, V4_ROLLUP)))).toBe("ignore");
  });

  test("with an index above 1023 is refused", async () => {
    const { send } = setUp();
    expect(verdictOf(await send("block_proposal", await block({ indexWithinCheckpoint: 1023 })))).toBe("accept");
    const answer = await send("block_proposal", await block({ indexWithinCheckpoint: 1024, archiveRoot: field(1) }));
    expect(verdictOf(answer)).toBe("reject low");
  });

  test("that is known is ignored, also with other content", async () => {
    const { send } = setUp();
    expect(verdictOf(await send("block_proposal", await block()))).toBe("accept");
    expect(verdictOf(await send("block_proposal", await block()))).toBe("ignore");
    expect(verdictOf(await send("block_proposal", await block({ indexWithinCheckpoint: 7 })))).toBe("ignore");
  });

  test("is refused with low tolerance when it cannot be decoded", async () => {
    const { send } = setUp();
    expect(verdictOf(await send("block_proposal", (await block()).subarray(0, 500)))).toBe("reject low");
  });

  describe("with its transactions", () => {
    const payload = unwrapMessage(uncompressed(vectors.blockProposalWithSignedTxs.snappyExampleHex));
    const proposal = decodeBlockProposal(payload, V4_ROLLUP);
    const signedTxs = proposal.signedTxs as SignedTxs;
    const header = headerOfSlot(SLOT);
    const withTxs = async (change: Partial<BlockProposal>, txs: SignedTxs, key = PROPOSER_KEY) => {
      const signature = await signPayload(key, signedTxsPayload(txs, V4_ROLLUP));
      const changed = { ...proposal, header, ...change };
      return encodeBlockProposal(await signedBlock({ ...changed, signedTxs: { ...txs, signature } }), V4_ROLLUP);
    };

    test("is taken when both parts are the proposer's and the hashes hold", async () => {
      const { send, pool } = setUp();
      expect(verdictOf(await send("block_proposal", await withTxs({}, signedTxs)))).toBe("accept");
      expect(pool.blockProposal(proposal.archiveRoot)).toMatchObject({ signedTxs: undefined });
    });

    test("is refused when another signed them, one is not listed, or one has another hash", async () => {
      const { send } = setUp();
      expect(verdictOf(await send("block_proposal", await withTxs({}, signedTxs, ATTESTER_KEY)))).toBe("reject mid");
      expect(verdictOf(await send("block_proposal", await withTxs({ txHashes: field(9) }, signedTxs)))).toBe(
        "reject mid",
      );
      const bytes = Uint8Array.from(signedTxs.bytes);
      bytes.set(field(9), 4);
      const renamed = await withTxs({ txHashes: field(9) }, { ...signedTxs, bytes });
      expect(verdictOf(await send("block_proposal", renamed))).toBe("reject low");
    });

    test("is not hashed again once the pool would not take it", async () => {
      let hashed = 0;
      const hashTx = () => {
        hashed++;
        return signedTxs.txs[0].hash;
      };
      const { send } = setUp({ hashTx });
      const message = await withTxs({}, signedTxs);
      expect(verdictOf(await send("block_proposal", message))).toBe("accept");
      expect(verdictOf(await send("block_proposal", message))).toBe("ignore");
      expect(hashed).toBe(1);
    });
  });
});

describe("a checkpoint proposal", () => {
  const withBlock = async (
    change: Partial<BlockProposal> = {},
    {
      checkpoint = {},
      blockKey = PROPOSER_KEY,
    }: { checkpoint?: Partial<GossipedCheckpointProposal>; blockKey?: Uint8Array } = {},
  ) => {
    const { archive, header } = decodeCheckpointProposal(
      fromHex(vectors.checkpointProposalWithLastBlock.payloadHex),
      V4_ROLLUP,
    );
    const archiveRoot = checkpoint.archive ?? archive;
    const inHash = header.subarray(CHECKPOINT_AT.inHash, CHECKPOINT_AT.inHash + 32);
    const lastBlock = await signedBlock({ archiveRoot, inHash, ...change }, blockKey);
    return signedCheckpoint({ header, archive, ...checkpoint, lastBlock });
  };

  test("is refused from another signer, and when its last block is another's", async () => {
    const { send } = setUp();
    expect(verdictOf(await send("checkpoint_proposal", await signedCheckpoint({}, ATTESTER_KEY)))).toBe("reject mid");
    const mixed = await withBlock({}, { blockKey: ATTESTER_KEY });
    expect(verdictOf(await send("checkpoint_proposal", mixed))).toBe("reject mid");
  });

  test("brings its last block, which is processed before it", async () => {
    const { send, pool } = setUp();
    const answer = await send("checkpoint_proposal", await withBlock());
    const archive = vectors.checkpointProposalWithLastBlock.decoded.archive;
    expect(answer.outcome.result).toBe("accept");
    expect(answer.log).toEqual([`block ${archive}`, `checkpoint ${archive}`]);
    expect(pool.blockProposal(fromHex(archive))).toBeDefined();
    expect(pool.checkpointProposal(fromHex(archive))).toBeDefined();
  });

  test("whose block came before is still taken", async () => {
    const { send } = setUp();
    const lastBlock = decodeCheckpointProposal(await withBlock(), V4_ROLLUP).lastBlock as BlockProposal;
    expect(verdictOf(await send("block_proposal", encodeBlockProposal(lastBlock, V4_ROLLUP)))).toBe("accept");
    const answer = await send("checkpoint_proposal", await withBlock());
    expect(answer.outcome.result).toBe("accept");
    expect(answer.log).toHaveLength(1);
  });

  test("with a second block for a position is refused without a penalty, and the duplicate is told", async () => {
    const { send } = setUp();
    expect(verdictOf(await send("checkpoint_proposal", await withBlock()))).toBe("accept");
    const answer = await send("checkpoint_proposal", await withBlock({}, { checkpoint: { archive: field(3) } }));
    expect(verdictOf(answer)).toBe("reject");
    expect(answer.log).toEqual([`duplicate block proposal ${SLOT} ${vectors.keys.proposerAddress}`]);
  });

  test("with a new block is refused once the slot has five, but the block is processed", async () => {
    const { send } = setUp();
    for (let i = 1; i <= 5; i++) {
      expect(verdictOf(await send("checkpoint_proposal", await signedCheckpoint({ archive: field(i) })))).toBe(
        "accept",
      );
    }
    const answer = await send("checkpoint_proposal", await withBlock());
    expect(verdictOf(answer)).toBe("reject high");
    expect(answer.log).toEqual([`block ${vectors.checkpointProposalWithLastBlock.decoded.archive}`]);
  });

  test("that is known is ignored, but its new block is processed", async () => {
    const { send } = setUp();
    expect(verdictOf(await send("checkpoint_proposal", await signedCheckpoint()))).toBe("accept");
    const answer = await send("checkpoint_proposal", await withBlock());
    expect(verdictOf(answer)).toBe("ignore");
    expect(answer.log).toEqual([`block ${vectors.checkpointProposalWithLastBlock.decoded.archive}`]);
  });

  test("whose last block is of another slot is judged by that block's slot too", async () => {
    const { send } = setUp();
    const answer = await send("checkpoint_proposal", await withBlock({ header: headerOfSlot(SLOT - 3) }));
    expect(verdictOf(answer)).toBe("reject high");
  });
});

describe("an attestation", () => {
  test.each([
    ["an invalid signature", { signature: new Uint8Array(68).fill(255) }, {}, "reject low"],
    ["another signer than the committee's", {}, { key: STRANGER_KEY }, "reject high"],
    ["another proposer", {}, { proposerKey: ATTESTER_KEY }, "reject high"],
    ["an invalid signature of the proposer", { proposerSignature: new Uint8Array(68) }, {}, "reject low"],
  ])("with %s is refused", async (_, change, keys, verdict) => {
    const { send } = setUp();
    const bytes = await signedAttestation({}, keys);
    const broken = encodeCheckpointAttestation(
      { ...decodeCheckpointAttestation(bytes, V4_ROLLUP), ...change },
      V4_ROLLUP,
    );
    expect(verdictOf(await send("checkpoint_attestation", broken))).toBe(verdict);
  });

  test("is taken before its proposal, and ignored when it comes again", async () => {
    const { send } = setUp();
    expect(verdictOf(await send("checkpoint_attestation", await signedAttestation()))).toBe("accept");
    expect(verdictOf(await send("checkpoint_attestation", await signedAttestation()))).toBe("ignore");
    const other = { feeAssetPriceModifier: field(4) };
    expect(verdictOf(await send("checkpoint_attestation", await signedAttestation(other)))).toBe("ignore");
  });

  test("that differs from the proposal is refused by an observer only", async () => {
    for (const [observer, verdict] of [
      [true, "reject low"],
      [false, "accept"],
    ] as const) {
      const { send } = setUp({ observer });
      const { archive } = decodeCheckpointAttestation(await signedAttestation(), V4_ROLLUP);
      expect(verdictOf(await send("checkpoint_proposal", await signedCheckpoint({ archive })))).toBe("accept");
      const other = await signedAttestation({ feeAssetPriceModifier: field(4) });
      expect(verdictOf(await send("checkpoint_attestation", other))).toBe(verdict);
    }
  });

  test("is ignored while the committee cannot be read, and so are proposals", async () => {
    const { send } = setUp({ committees: { at: () => Promise.reject(new Error("L1 is away")) } });
    const reason = `the committee of slot ${SLOT} cannot be read: L1 is away`;
    const ignored = { outcome: { result: "ignore", reason } };
    expect(await send("checkpoint_attestation", await signedAttestation())).toMatchObject(ignored);
    expect(await send("checkpoint_proposal", await signedCheckpoint())).toMatchObject(ignored);
    expect(await send("block_proposal", encodeBlockProposal(await signedBlock(), V4_ROLLUP))).toMatchObject(ignored);
  });
});

test("the keys of the vectors have the addresses of the vectors", () => {
  expect(toHex(addressOf(PROPOSER_KEY))).toBe(vectors.keys.proposerAddress);
  expect(concat(addressOf(ATTESTER_KEY))).toEqual(ATTESTER);
});
