import { secp256k1 } from "@noble/curves/secp256k1.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { describe, expect, test } from "vitest";
import { readPackedAttestations, unusedBits } from "../../src/l1/committee/packed-attestations.ts";
import { committeeCommitment, proposerIndex, quorum, sampleCommitteeIndices } from "../../src/l1/committee/sampling.ts";
import { attestationStatuses, validateAttestations } from "../../src/l1/committee/validate-attestations.ts";
import type { EpochCommittee } from "../../src/l1/types.ts";
import { bigUintBytes, concat, fromHex, readBigUint, toHex } from "../../src/protocol/bytes.ts";
import { signerRecovery } from "../../src/protocol/consensus/signer-recovery.ts";
import { DecodeError } from "../../src/protocol/errors.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import { type CheckpointVector, l1Vectors } from "../world/l1/vectors.ts";
import { recoverSigner } from "../world/protocol/recover-signer.ts";

const { scenario } = l1Vectors;
const native = { consensus: V4.consensus, recover: await signerRecovery() };
const plain = { consensus: V4.consensus, recover: recoverSigner };

describe.each(scenario.committee)("epoch $epoch", ({ epoch, sampleSeed, validatorSet, ...expected }) => {
  const seed = BigInt(sampleSeed);

  test("the sampled committee is the one that L1 sampled", () => {
    const indices = sampleCommitteeIndices(validatorSet.length, expected.committee.length, seed);
    expect(indices).toEqual(expected.sampledIndices);
    expect(indices.map((i) => validatorSet[i])).toEqual(expected.committee);
    expect(toHex(committeeCommitment(expected.committee.map(fromHex)))).toBe(expected.committeeCommitment);
  });

  test("the proposers are those that L1 names", () => {
    for (const { slot, proposerIndex: index } of expected.proposers) {
      expect(proposerIndex(epoch, slot, seed, expected.committee.length)).toBe(index);
    }
  });
});

test("without a committee no one in particular proposes", () => {
  expect(proposerIndex(1, 32, 5n, 0)).toBeUndefined();
});

test("a committee of all validators is a permutation of them, and a larger one is refused", () => {
  expect(sampleCommitteeIndices(7, 7, 99n).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(sampleCommitteeIndices(0, 0, 99n)).toEqual([]);
  expect(() => sampleCommitteeIndices(3, 4, 99n)).toThrow(RangeError);
});

test.each([
  [1, 1],
  [3, 3],
  [4, 3],
  [6, 5],
  [48, 33],
])("the quorum of %i is %i", (size, needed) => {
  expect(quorum(size)).toBe(needed);
});

function checkpointOf({ computed, proposeArgs: { attestations: a } }: CheckpointVector) {
  return {
    payloadDigest: fromHex(computed.payloadDigest),
    attestations: readPackedAttestations(fromHex(a.signatureIndices), fromHex(a.signaturesOrAddresses), 6),
  };
}

const committeeOf = ({ proposal }: CheckpointVector): EpochCommittee => ({
  epoch: 3,
  seed: 1n,
  committee: proposal?.committee.map(fromHex),
  escapeHatchOpen: false,
  settled: true,
});

describe("attestations of checkpoints on L1", () => {
  test.each(scenario.checkpoints.map((v, i) => [i, v] as const))("are valid for checkpoint %i", (_, vector) => {
    const checkpoint = checkpointOf(vector);
    const statuses = attestationStatuses(checkpoint.attestations, checkpoint.payloadDigest, plain);
    expect(
      statuses.map((s) => ({ status: s.status, recovered: "address" in s ? toHex(s.address) : undefined })),
    ).toEqual(vector.attestations.map(({ status, recovered }) => ({ status, recovered })));
    expect(validateAttestations(checkpoint, committeeOf(vector), plain)).toEqual({ valid: true });
    expect(validateAttestations(checkpoint, committeeOf(vector), native)).toEqual({ valid: true });
  });

  test("attestations on L1 are invalid if a member's signature is from another signer", () => {
    const vector = scenario.invalidAttestation;
    const result = validateAttestations(checkpointOf(vector), committeeOf(vector), plain);
    expect(result).toMatchObject({ ...vector.expected, epoch: 3, seed: 1n });
  });

  test("attestations on L1 are invalid below the quorum", () => {
    const vector = scenario.afterProof.insufficient;
    const result = validateAttestations(checkpointOf(vector), committeeOf(vector), plain);
    expect(result).toMatchObject(vector.expected ?? {});
  });
});

describe("attestations", () => {
  const vector = scenario.checkpoints[0];
  const { payloadDigest, attestations } = checkpointOf(vector);
  const committee = committeeOf(vector);

  test("attestations are not needed without a committee or with an open escape hatch", () => {
    const none = { payloadDigest, attestations: [] };
    expect(validateAttestations(none, { ...committee, committee: undefined }, plain)).toMatchObject({
      valid: true,
      unchecked: "no-committee",
    });
    expect(validateAttestations(none, { ...committee, committee: [] }, plain)).toMatchObject({ valid: true });
    expect(validateAttestations(none, { ...committee, escapeHatchOpen: true }, plain)).toMatchObject({
      valid: true,
      unchecked: "escape-hatch",
    });
    expect(validateAttestations(none, committee, plain)).toMatchObject({
      valid: false,
      reason: "insufficient-attestations",
      actual: 0,
    });
  });

  test("attestations are invalid with an empty entry, an extra entry or in another order", () => {
    const empty = { address: new Uint8Array(20), signature: undefined };
    const at = (index: number) => ({ valid: false, reason: "invalid-attestation", invalidIndex: index });
    expect(
      validateAttestations({ payloadDigest, attestations: attestations.with(2, empty) }, committee, plain),
    ).toMatchObject(at(2));
    const emptySigned = { address: new Uint8Array(20), signature: new Uint8Array(65) };
    expect(
      validateAttestations({ payloadDigest, attestations: attestations.with(3, emptySigned) }, committee, plain),
    ).toMatchObject(at(3));
    expect(
      validateAttestations({ payloadDigest, attestations: [...attestations, attestations[0]] }, committee, plain),
    ).toMatchObject(at(6));
    expect(
      validateAttestations({ payloadDigest, attestations: attestations.toReversed() }, committee, plain),
    ).toMatchObject(at(0));
  });
});

test("attestations on a v5 rollup are of the event's digest itself, and v may be the parity", () => {
  const keys = [1, 2, 3, 4].map((byte) => new Uint8Array(32).fill(byte));
  const payloadDigest = new Uint8Array(32).fill(9);
  const signed = keys.map((key) => secp256k1.sign(payloadDigest, key, { prehash: false, format: "recovered" }));
  const entries = (first: number) =>
    signed.map(([parity, ...rs]) => ({
      address: new Uint8Array(20),
      signature: Uint8Array.from([...rs, first + parity]),
    }));
  const rules = { consensus: V5.consensus, recover: native.recover };
  const committee = attestationStatuses(entries(27), payloadDigest, rules).map((entry) =>
    "address" in entry ? entry.address : new Uint8Array(20),
  );
  expect(committee.map((member) => toHex(member))).toEqual(
    keys.map((key) => toHex(keccak_256(secp256k1.getPublicKey(key, false).subarray(1)).subarray(12))),
  );
  const of = { epoch: 3, seed: 1n, committee, escapeHatchOpen: false, settled: true };
  for (const first of [27, 0]) {
    expect(validateAttestations({ payloadDigest, attestations: entries(first) }, of, rules)).toEqual({ valid: true });
  }
  const others = { payloadDigest, attestations: entries(27) };
  expect(validateAttestations(others, of, native)).toMatchObject({ reason: "invalid-attestation", invalidIndex: 0 });
  expect(validateAttestations({ payloadDigest, attestations: entries(2) }, of, rules)).toMatchObject({
    reason: "invalid-attestation",
  });
});

describe("a signature", () => {
  const key = new Uint8Array(32).fill(7);
  const hash = new Uint8Array(32).fill(9);
  const made = secp256k1.sign(hash, key, { prehash: false, format: "recovered", lowS: true });
  const signature = concat(made.subarray(1), Uint8Array.of(27 + made[0]));

  test("a signature recovers its signer", () => {
    expect(recoverSigner(hash, signature)).toHaveLength(20);
  });

  test("a signature with another v, a high s or values out of range recovers no signer", () => {
    const with_ = (at: number, bytes: Uint8Array) => {
      const copy = signature.slice();
      copy.set(bytes, at);
      return copy;
    };
    for (const v of [0, 1, 26, 29]) expect(recoverSigner(hash, with_(64, Uint8Array.of(v)))).toBeUndefined();
    const highS = secp256k1.Point.Fn.ORDER - readBigUint(signature, 32, 32);
    expect(recoverSigner(hash, with_(32, bigUintBytes(highS, 32)))).toBeUndefined();
    expect(recoverSigner(hash, with_(0, new Uint8Array(32)))).toBeUndefined();
    expect(recoverSigner(hash, with_(0, new Uint8Array(32).fill(255)))).toBeUndefined();
    expect(recoverSigner(hash, signature.subarray(0, 64))).toBeUndefined();
  });
});

describe("packed attestations", () => {
  test("packed attestations may be empty for a committee of any size", () => {
    expect(readPackedAttestations(new Uint8Array(0), new Uint8Array(0), 48)).toEqual([]);
  });

  test("packed attestations are refused if the bitmap or the data are too short", () => {
    expect(() => readPackedAttestations(Uint8Array.of(0xff), new Uint8Array(65 * 8), 9)).toThrow(DecodeError);
    expect(() => readPackedAttestations(Uint8Array.of(0x80), new Uint8Array(64), 1)).toThrow(DecodeError);
    expect(() => readPackedAttestations(Uint8Array.of(0x80), new Uint8Array(65 + 19), 2)).toThrow(DecodeError);
  });

  test("bits of the last byte beyond the committee are the unused ones", () => {
    expect(unusedBits(Uint8Array.of(0xff, 0xb5), 12)).toBe(0x05);
    expect(unusedBits(Uint8Array.of(0xff), 1)).toBe(0x7f);
    expect(unusedBits(Uint8Array.of(0xff), 8)).toBe(0);
    expect(unusedBits(new Uint8Array(0), 12)).toBe(0);
  });
});
