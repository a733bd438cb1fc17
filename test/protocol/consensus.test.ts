import { hash } from "node:crypto";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { describe, expect, test } from "vitest";
import { txHash } from "../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { messageId } from "../../src/p2p/gossip/message-id.ts";
import { headerBlockNumber } from "../../src/protocol/block-header.ts";
import { concat, fromHex, toHex, word, writeU32 } from "../../src/protocol/bytes.ts";
import { checkpointHash, checkpointSlot } from "../../src/protocol/checkpoint-header.ts";
import {
  type BlockProposal,
  blockProposalPayload,
  blockProposalSender,
  blockProposalSlot,
  decodeBlockProposal,
  encodeBlockProposal,
} from "../../src/protocol/consensus/block-proposal.ts";
import {
  attestationPayloadHash,
  attestedProposer,
  attester,
  decodeCheckpointAttestation,
  encodeCheckpointAttestation,
} from "../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  checkpointProposalPayload,
  checkpointProposalSender,
  decodeCheckpointProposal,
  encodeCheckpointProposal,
} from "../../src/protocol/consensus/checkpoint-proposal.ts";
import { attestationPayload } from "../../src/protocol/consensus/digests.ts";
import {
  unwrapInstrumented,
  unwrapMessage,
  wrapInstrumented,
  wrapMessage,
} from "../../src/protocol/consensus/gossip-wrapper.ts";
import { signedBigInt, signedBytes } from "../../src/protocol/consensus/signed-integer.ts";
import { signedTxsPayload, signedTxsSigner } from "../../src/protocol/consensus/signed-txs.ts";
import { shortSignature, wireSignature } from "../../src/protocol/consensus/wire-signature.ts";
import { DecodeError } from "../../src/protocol/errors.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../src/protocol/personal-message.ts";
import { txToBytes } from "../../src/protocol/tx/tx-bytes.ts";
import { p2pVectors, recordedMessages, uncompressed } from "../world/p2p/recorded.ts";
import { V4_ROLLUP } from "../world/protocol/message-rollup.ts";
import { recoverSigner } from "../world/protocol/recover-signer.ts";
import { txFromBytes } from "../world/protocol/v4-txs.ts";

const vectors = p2pVectors();
const hex = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);
const keccak = (payload: Uint8Array) => toHex(keccak_256(payload));
const ethDigest = (payload: Uint8Array) => toHex(personalMessage(keccak_256(payload)));
const hashes = ({ txHashes }: BlockProposal) =>
  Array.from({ length: txHashes.length / 32 }, (_, i) => toHex(word(txHashes, i)));

describe("a block proposal of the vectors", () => {
  const vector = vectors.blockProposal;
  const bytes = fromHex(vector.payloadHex);

  test("is decoded into its parts", () => {
    const proposal = decodeBlockProposal(bytes, V4_ROLLUP);
    expect(toHex(proposal.header)).toBe(vector.blockHeaderHex);
    expect(blockProposalSlot(proposal)).toBe(vector.decoded.blockHeader.globalVariables.slotNumber);
    expect(headerBlockNumber(proposal.header)).toBe(vector.decoded.blockHeader.globalVariables.blockNumber);
    expect(proposal.indexWithinCheckpoint).toBe(vector.decoded.indexWithinCheckpoint);
    expect(toHex(proposal.inHash)).toBe(vector.decoded.inHash);
    expect(toHex(proposal.archiveRoot)).toBe(vector.decoded.archiveRoot);
    expect(hashes(proposal)).toEqual(vector.decoded.txHashes);
    expect(toHex(proposal.signature)).toBe(vector.decoded.signature.bytes);
    expect(toHex(shortSignature(proposal.signature))).toBe(vector.decoded.signature.text);
    expect(wireSignature(shortSignature(proposal.signature))).toEqual(new Uint8Array(proposal.signature));
    expect(proposal.signedTxs).toBeUndefined();
  });

  test("is encoded into the same bytes, and is signed by the proposer", () => {
    const proposal = decodeBlockProposal(bytes, V4_ROLLUP);
    expect(toHex(encodeBlockProposal(proposal, V4_ROLLUP))).toBe(vector.payloadHex);
    const payload = blockProposalPayload(proposal, V4_ROLLUP);
    expect(toHex(payload)).toBe(vector.payloadToSign);
    expect(keccak(payload)).toBe(vector.payloadHash);
    expect(ethDigest(payload)).toBe(vector.ethSignedDigest);
    expect(hex(blockProposalSender(proposal, recoverSigner, V4_ROLLUP))).toBe(vector.recoveredSigner);
  });

  test("with its txs is decoded and encoded, and both parts are signed by the proposer", () => {
    const { snappyExampleHex, ...expected } = vectors.blockProposalWithSignedTxs;
    const payload = unwrapMessage(uncompressed(snappyExampleHex));
    expect(payload).toHaveLength(expected.payloadLength);
    const proposal = decodeBlockProposal(payload, V4_ROLLUP);
    expect(hashes(proposal)).toEqual(expected.txHashes);
    expect(toHex(proposal.signature)).toBe(expected.blockSignature.bytes);
    const signed = proposal.signedTxs;
    if (signed === undefined) throw new Error("no signed txs");
    expect(signed.txs.map(({ hash }) => toHex(hash))).toEqual(expected.txHashes);
    expect(toHex(signed.signature)).toBe(expected.signedTxsSignature.bytes);
    expect(keccak(signedTxsPayload(signed, V4_ROLLUP))).toBe(expected.signedTxsPayloadHash);
    expect(hex(signedTxsSigner(signed, recoverSigner, V4_ROLLUP))).toBe(expected.recoveredSigner);
    expect(hex(blockProposalSender(proposal, recoverSigner, V4_ROLLUP))).toBe(expected.recoveredSigner);
    expect(Buffer.from(encodeBlockProposal(proposal, V4_ROLLUP)).equals(payload)).toBe(true);
    const otherSigner = { ...signed, signature: decodeBlockProposal(bytes, V4_ROLLUP).signature };
    expect(blockProposalSender({ ...proposal, signedTxs: otherSigner }, recoverSigner, V4_ROLLUP)).toBeUndefined();
  });

  test("may end before the flag of signed txs, and bytes after it are ignored", () => {
    const proposal = decodeBlockProposal(bytes, V4_ROLLUP);
    expect(decodeBlockProposal(bytes.subarray(0, bytes.length - 4), V4_ROLLUP)).toEqual(proposal);
    expect(decodeBlockProposal(concat(bytes, new Uint8Array(9)), V4_ROLLUP)).toEqual(proposal);
    expect(() => decodeBlockProposal(bytes.subarray(0, bytes.length - 2), V4_ROLLUP)).toThrow(
      "block proposal: flag of signed txs needs 4 bytes, 2 are left",
    );
  });

  test.each([
    ["a cut header", bytes.subarray(0, 400), "block header needs 440 bytes, 400 are left"],
    ["a count of hashes above the limit", withU32(bytes, 576, 65_537), "tx hashes must be at most 65536, got 65537"],
    ["fewer hashes than announced", withU32(bytes, 576, 5), "tx hashes needs 160 bytes, 100 are left"],
    ["an archive root above the modulus", filled(bytes, 476), "archive root must be below the field modulus"],
    ["a header field above the modulus", filled(bytes, 408), "block header must be below the field modulus"],
    ["a tx hash above the modulus", filled(bytes, 580), "tx hashes must be below the field modulus"],
    ["signed txs without bytes", withU32(bytes, bytes.length - 4, 7), "count of txs needs 4 bytes"],
  ])("with %s is refused with the part and the rule", (_, broken, message) => {
    expect(() => decodeBlockProposal(broken, V4_ROLLUP)).toThrow(DecodeError);
    expect(() => decodeBlockProposal(broken, V4_ROLLUP)).toThrow(message);
  });
});

describe("a checkpoint proposal of the vectors", () => {
  test("without a last block is decoded, encoded and signed by the proposer", () => {
    const vector = vectors.checkpointProposalWithoutLastBlock;
    const proposal = decodeCheckpointProposal(fromHex(vector.payloadHex), V4_ROLLUP);
    expect(toHex(proposal.header)).toBe(vector.checkpointHeaderHex);
    expect(toHex(checkpointHash(proposal.header))).toBe(vector.checkpointHeaderHash);
    expect(checkpointSlot(proposal.header)).toBe(vector.decoded.checkpointHeader.slotNumber);
    expect(toHex(proposal.archive)).toBe(vector.decoded.archive);
    expect(signedBigInt(proposal.feeAssetPriceModifier)).toBe(-25n);
    expect(signedBytes(-25n)).toEqual(new Uint8Array(proposal.feeAssetPriceModifier));
    expect(toHex(proposal.signature)).toBe(vector.decoded.signature.bytes);
    expect(proposal.lastBlock).toBeUndefined();
    expect(toHex(encodeCheckpointProposal(proposal, V4_ROLLUP, proposal.lastBlock))).toBe(vector.payloadHex);
    const payload = checkpointProposalPayload(proposal, V4_ROLLUP);
    expect([toHex(payload), keccak(payload), ethDigest(payload)]).toEqual([
      vector.payloadToSign,
      vector.payloadHash,
      vector.ethSignedDigest,
    ]);
    expect(hex(checkpointProposalSender(proposal, recoverSigner, V4_ROLLUP))).toBe(vector.recoveredSigner);
  });

  test("with a last block is decoded and encoded, and the block becomes a block proposal", () => {
    const vector = vectors.checkpointProposalWithLastBlock;
    const proposal = decodeCheckpointProposal(fromHex(vector.payloadHex), V4_ROLLUP);
    const { lastBlock } = proposal;
    if (lastBlock === undefined) throw new Error("no last block");
    expect(hashes(lastBlock)).toEqual(vector.decoded.lastBlock.txHashes);
    expect(lastBlock.indexWithinCheckpoint).toBe(vector.decoded.lastBlock.indexWithinCheckpoint);
    expect(toHex(lastBlock.signature)).toBe(vector.decoded.lastBlock.signature.bytes);
    expect(toHex(encodeBlockProposal(lastBlock, V4_ROLLUP))).toBe(vector.extractedBlockProposalHex);
    expect(toHex(encodeCheckpointProposal(proposal, V4_ROLLUP, lastBlock))).toBe(vector.payloadHex);
    const payload = checkpointProposalPayload(proposal, V4_ROLLUP);
    expect([toHex(payload), keccak(payload), ethDigest(payload)]).toEqual([
      vector.payloadToSign,
      vector.payloadHash,
      vector.ethSignedDigest,
    ]);
    expect(hex(checkpointProposalSender(proposal, recoverSigner, V4_ROLLUP))).toBe(vector.recoveredSigner);
    const tampered = { ...lastBlock, indexWithinCheckpoint: lastBlock.indexWithinCheckpoint + 1 };
    expect(checkpointProposalSender({ ...proposal, lastBlock: tampered }, recoverSigner, V4_ROLLUP)).toBeUndefined();
  });

  test("with a slot above 2^53 - 1 is refused, and a slot up to it is exact", () => {
    const bytes = fromHex(vectors.checkpointProposalWithoutLastBlock.payloadHex);
    const withSlot = (text: string) => {
      const copy = Uint8Array.from(bytes);
      copy.set(fromHex(text.padStart(64, "0")), 160);
      return copy;
    };
    const largest = decodeCheckpointProposal(withSlot("1fffffffffffff"), V4_ROLLUP);
    expect(checkpointSlot(largest.header)).toBe(Number.MAX_SAFE_INTEGER);
    for (const slot of ["20000000000000", "01000000000000000000001389"]) {
      expect(() => decodeCheckpointProposal(withSlot(slot), V4_ROLLUP)).toThrow("slot must be at most 2^53 - 1");
    }
  });
});

describe.each(["checkpointAttestation", "checkpointAttestationNegativeModifier"] as const)(
  "%s of the vectors",
  (key) => {
    const vector = vectors[key];

    test("is decoded and encoded", () => {
      const bytes = fromHex(vector.payloadHex);
      expect(bytes).toHaveLength(516);
      const attestation = decodeCheckpointAttestation(bytes, V4_ROLLUP);
      expect(checkpointSlot(attestation.header)).toBe(vector.decoded.header.slotNumber);
      expect(toHex(attestation.archive)).toBe(vector.decoded.archive);
      expect(signedBigInt(attestation.feeAssetPriceModifier)).toBe(BigInt(vector.decoded.feeAssetPriceModifier));
      expect(toHex(attestation.signature)).toBe(vector.decoded.signature.bytes);
      expect(toHex(attestation.proposerSignature)).toBe(vector.decoded.proposerSignature.bytes);
      expect(toHex(encodeCheckpointAttestation(attestation, V4_ROLLUP))).toBe(vector.payloadHex);
      expect(() => decodeCheckpointAttestation(bytes.subarray(0, 515), V4_ROLLUP)).toThrow(
        "checkpoint attestation: signature of the proposer needs 68 bytes, 67 are left",
      );
    });

    test("has the payload and the two signers that the reference gives", () => {
      const attestation = decodeCheckpointAttestation(fromHex(vector.payloadHex), V4_ROLLUP);
      const { archive, feeAssetPriceModifier, header } = attestation;
      const payload = attestationPayload(V4.consensus, archive, feeAssetPriceModifier, checkpointHash(header));
      expect([toHex(payload), keccak(payload), ethDigest(payload)]).toEqual([
        vector.payloadToSign,
        vector.payloadHash,
        vector.ethSignedDigest,
      ]);
      expect(toHex(attestationPayloadHash(attestation, V4_ROLLUP))).toBe(vector.payloadHash);
      expect(hex(attester(attestation, recoverSigner, V4_ROLLUP))).toBe(vector.recoveredAttester);
      expect(hex(attestedProposer(attestation, recoverSigner, V4_ROLLUP))).toBe(vector.recoveredProposer);
    });

    test("has no attester when v is not 27 or 28 or s is in the upper half", () => {
      const attestation = decodeCheckpointAttestation(fromHex(vector.payloadHex), V4_ROLLUP);
      const v = shortSignature(attestation.signature)[64];
      for (const other of [0, 1, 26, 29, 255, 256 + v, 2 ** 31 + v]) {
        expect(
          attester({ ...attestation, signature: withU32(attestation.signature, 64, other) }, recoverSigner, V4_ROLLUP),
        ).toBeUndefined();
      }
      const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
      const s = BigInt(toHex(attestation.signature.subarray(32, 64)));
      const flipped = Uint8Array.from(attestation.signature);
      flipped.set(fromHex((order - s).toString(16).padStart(64, "0")), 32);
      expect(
        attester({ ...attestation, signature: withU32(flipped, 64, 55 - v) }, recoverSigner, V4_ROLLUP),
      ).toBeUndefined();
    });
  },
);

describe("the wrapper of gossip messages", () => {
  test("is a length and the payload; bytes after it are ignored", () => {
    const { payload, bytes } = vectors.plainWrapper;
    expect(toHex(wrapMessage(fromHex(payload)))).toBe(bytes);
    expect(toHex(unwrapMessage(fromHex(bytes)))).toBe(payload);
    expect(toHex(unwrapMessage(fromHex(`${bytes}ffff`)))).toBe(payload);
    expect(() => unwrapMessage(fromHex("0x0000"))).toThrow("length of the payload needs 4 bytes, 2 are left");
    expect(() => unwrapMessage(fromHex("0xffffffffab"))).toThrow("payload needs 4294967295 bytes, 1 are left");
  });

  test("has time and trace context where networks measure their messages", () => {
    const { payload, bytes, timestampMs, traceContext } = vectors.instrumentedWrapper;
    const message = { payload: fromHex(payload), sentAt: timestampMs, traceContext };
    expect(toHex(wrapInstrumented(message))).toBe(bytes);
    const read = unwrapInstrumented(fromHex(bytes));
    expect({ ...read, payload: toHex(read.payload) }).toEqual({ ...message, payload });
  });
});

describe("a gossiped tx", () => {
  const core = loadCore();

  test("of the vectors is decoded, has the hash that it claims and is encoded into the same bytes", () => {
    const wrapped = uncompressed(vectors.tx.snappyExampleHex);
    expect(`0x${hash("sha256", wrapped)}`).toBe(vectors.tx.sha256OfWrapped);
    const payload = unwrapMessage(wrapped);
    expect(payload).toHaveLength(vectors.tx.uncompressedPayloadLength);
    expect(`0x${hash("sha256", payload)}`).toBe(vectors.tx.sha256OfPayload);
    const { hash: claimed, tx, next } = txFromBytes(payload);
    expect(next).toBe(payload.length);
    expect(toHex(claimed)).toBe(vectors.tx.txHash);
    expect(toHex(txHash(core, tx.data))).toBe(vectors.tx.txHash);
    expect(Buffer.from(txToBytes(claimed, tx)).equals(payload)).toBe(true);
  });
});

test.each([
  "blockProposal",
  "blockProposalWithSignedTxs",
  "checkpointProposalWithoutLastBlock",
  "checkpointProposalWithLastBlock",
  "checkpointAttestation",
  "checkpointAttestationNegativeModifier",
  "tx",
] as const)("%s of the vectors has the id that the reference gives it", (key) => {
  const { wrappedHex, snappyExampleHex, messageId: expected } = vectors[key];
  const { topic } = key === "blockProposalWithSignedTxs" ? vectors.blockProposal : vectors[key];
  const wrapped = uncompressed(snappyExampleHex);
  if (wrappedHex !== undefined) expect(toHex(wrapped)).toBe(wrappedHex);
  expect(toHex(messageId(topic, wrapped))).toBe(expected);
});

describe("recorded messages", () => {
  const recorded = recordedMessages();
  const of = (topic: string) => recorded.filter((message) => message.topic === topic);

  test("of all topics are among them, with equivocations", () => {
    const counts = Object.groupBy(recorded, ({ topic }) => topic);
    expect(Object.fromEntries(Object.entries(counts).map(([topic, list]) => [topic, list?.length]))).toEqual({
      tx: 12,
      block_proposal: 12,
      checkpoint_proposal: 8,
      checkpoint_attestation: 23,
    });
  });

  test("are wrapped as this node wraps them, and have the ids that the network gave them", () => {
    for (const { wrapped, topicText, id } of recorded) {
      expect(Buffer.from(wrapMessage(unwrapMessage(wrapped))).equals(wrapped)).toBe(true);
      const digest = hash("sha256", concat(new TextEncoder().encode(topicText), wrapped), "buffer");
      expect(toHex(new Uint8Array(digest.subarray(0, 20)))).toBe(id);
    }
  });

  test("that propose blocks are decoded, encoded and attributed as the reference did", () => {
    for (const { wrapped, decoded } of of("block_proposal")) {
      const payload = unwrapMessage(wrapped);
      const proposal = decodeBlockProposal(payload, V4_ROLLUP);
      expect(Buffer.from(encodeBlockProposal(proposal, V4_ROLLUP)).equals(payload)).toBe(true);
      expect({
        slot: blockProposalSlot(proposal),
        block: headerBlockNumber(proposal.header),
        index: proposal.indexWithinCheckpoint,
        archive: toHex(proposal.archiveRoot),
        sender: hex(blockProposalSender(proposal, recoverSigner, V4_ROLLUP)),
        txHashes: hashes(proposal),
      }).toEqual(decoded);
    }
  });

  test("that propose checkpoints are decoded, encoded and attributed as the reference did", () => {
    for (const { wrapped, decoded } of of("checkpoint_proposal")) {
      const payload = unwrapMessage(wrapped);
      const proposal = decodeCheckpointProposal(payload, V4_ROLLUP);
      const { lastBlock } = proposal;
      expect(Buffer.from(encodeCheckpointProposal(proposal, V4_ROLLUP, lastBlock)).equals(payload)).toBe(true);
      expect(checkpointSlot(proposal.header)).toBe(decoded.slot);
      expect(toHex(proposal.archive)).toBe(decoded.archive);
      expect(hex(checkpointProposalSender(proposal, recoverSigner, V4_ROLLUP))).toBe(decoded.sender);
      expect(lastBlock && hashes(lastBlock)).toEqual(decoded.lastBlock?.txHashes);
    }
  });

  test("that attest are decoded, encoded and attributed as the reference did", () => {
    for (const { wrapped, decoded } of of("checkpoint_attestation")) {
      const payload = unwrapMessage(wrapped);
      const attestation = decodeCheckpointAttestation(payload, V4_ROLLUP);
      expect(Buffer.from(encodeCheckpointAttestation(attestation, V4_ROLLUP)).equals(payload)).toBe(true);
      expect({
        slot: checkpointSlot(attestation.header),
        archive: toHex(attestation.archive),
        attester: hex(attester(attestation, recoverSigner, V4_ROLLUP)),
        proposer: hex(attestedProposer(attestation, recoverSigner, V4_ROLLUP)),
      }).toEqual(decoded);
    }
  });

  test("that are txs are decoded, have the hash that they claim and are encoded into the same bytes", () => {
    const core = loadCore();
    for (const { wrapped } of of("tx")) {
      const payload = unwrapMessage(wrapped);
      const { hash: claimed, tx, next } = txFromBytes(payload);
      expect(next).toBe(payload.length);
      expect(toHex(txHash(core, tx.data))).toBe(toHex(claimed));
      expect(Buffer.from(txToBytes(claimed, tx)).equals(payload)).toBe(true);
    }
  });
});

function withU32(bytes: Uint8Array, at: number, value: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  writeU32(copy, at, value);
  return copy;
}

function filled(bytes: Uint8Array, at: number): Uint8Array {
  return Uint8Array.from(bytes).fill(255, at, at + 32);
}
