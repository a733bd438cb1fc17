import { keccak_256 } from "@noble/hashes/sha3.js";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { rebuildCheckpoint } from "../../../src/archiver/rebuild-checkpoint.ts";
import type { RebuildInput } from "../../../src/archiver/rebuilt-checkpoint.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { readProposeCall } from "../../../src/l1/checkpoints/propose-call.ts";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import {
  attestationPayloadHash,
  attester,
  type CheckpointAttestation,
  decodeCheckpointAttestation,
  encodeCheckpointAttestation,
} from "../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  checkpointProposalPayload,
  decodeCheckpointProposal,
  encodeCheckpointProposal,
} from "../../../src/protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../../../src/protocol/consensus/message-rollup.ts";
import { wireSignature } from "../../../src/protocol/consensus/wire-signature.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { txFromBytes, txToBytes } from "../../../src/protocol/tx/tx-bytes.ts";
import { developmentTx } from "../../../src/rpc/codecs/shared/tx.ts";
import { unpacked } from "../../support/unpacked.ts";
import { type L1Vectors, readVectors as readV4Vectors, wholeBlobs } from "../../world/archiver/vectors.ts";
import { sampleTxs } from "../../world/mempool/v5-sent-txs.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";
import { consensusCases } from "../../world/sequencer/consensus-cases.ts";
import { readVectors } from "./v5/vectors.ts";

const core = loadCore();
const account = privateKeyToAccount(`0x${"01".repeat(32)}`);
const [v5Checkpoint] = readVectors<{ headerBytes: string; archive: string }[]>("checkpoints");
const v4 = readV4Vectors<L1Vectors>("l1.json").live;
const [v4Checkpoint] = v4.checkpoints;

const HEADERS = { v4: fromHex(v4Checkpoint.computed.checkpointHeaderBuffer), v5: fromHex(v5Checkpoint.headerBytes) };
/** Both on one address: nothing but the generation tells the messages apart. */
const rollupOf = (generation: Generation): MessageRollup => ({
  generation,
  l1ChainId: 31337,
  rollupAddress: new Uint8Array(20).fill(7),
});

const sign = async (digest: Uint8Array) =>
  wireSignature(fromHex(await account.sign({ hash: toHex(digest) as `0x${string}` })));

async function signedAttestation(generation: Generation): Promise<CheckpointAttestation> {
  const rollup = rollupOf(generation);
  const payload = {
    header: HEADERS[generation === V4 ? "v4" : "v5"],
    archive: fromHex(v5Checkpoint.archive),
    feeAssetPriceModifier: new Uint8Array(32),
  };
  const digestOf = (message: "checkpointAttestation" | "checkpointProposal", hash: Uint8Array) =>
    generation.consensus.signedDigest(message, hash, rollup);
  return {
    ...payload,
    signature: await sign(digestOf("checkpointAttestation", attestationPayloadHash(payload, rollup))),
    proposerSignature: await sign(
      digestOf("checkpointProposal", keccak_256(checkpointProposalPayload(payload, rollup))),
    ),
  };
}

describe.each([
  { given: V4, end: V5 },
  { given: V5, end: V4 },
])("what is of $given.name given to $end.name", ({ given, end }) => {
  test("an attestation of a checkpoint is refused, or is nobody's signature that counts", async () => {
    const attestation = await signedAttestation(given);
    const bytes = encodeCheckpointAttestation(attestation, rollupOf(given));
    const own = decodeCheckpointAttestation(bytes, rollupOf(given));
    expect(toHex(attester(own, recoverSigner, rollupOf(given))!)).toBe(account.address.toLowerCase());
    let read: CheckpointAttestation;
    try {
      read = decodeCheckpointAttestation(bytes, rollupOf(end));
    } catch (error) {
      expect(error).toBeInstanceOf(DecodeError);
      expect((error as Error).message).toMatch(/^checkpoint attestation: /);
      return;
    }
    // A longer header can be read as a shorter one and more; the signature is then of other bytes.
    const signer = attester(read, recoverSigner, rollupOf(end));
    expect(signer === undefined ? undefined : toHex(signer)).not.toBe(account.address.toLowerCase());
  });

  test("a proposal of a checkpoint is refused with the part that is wrong", async () => {
    const { proposerSignature: signature, ...payload } = await signedAttestation(given);
    const bytes = encodeCheckpointProposal({ ...payload, signature }, rollupOf(given));
    expect(decodeCheckpointProposal(bytes, rollupOf(given)).header).toEqual(payload.header);
    expect(() => decodeCheckpointProposal(bytes, rollupOf(end))).toThrow(/^checkpoint proposal: /);
  });

  test("calldata of propose is refused, since another function is called", () => {
    const input = given === V4 ? proposeOfV4() : proposeOfV5();
    expect(readProposeCall(fromHex(input), given).header).toHaveLength(given.headers.checkpointBytes);
    expect(() => readProposeCall(fromHex(input), end)).toThrow("propose calldata: must call propose");
  });

  test("a transaction is refused for the length of its proof, in both of its forms", () => {
    const { json, tx } = given === V4 ? recordedTxs()[0] : sampleTxs()[0];
    const { proofFields } = given.transactions;
    const refused = `Invalid ChonkProof length: ${proofFields}`;
    expect(() => developmentTx(end.transactions).read(json, [], [])).toThrow(refused);
    const bytes = txToBytes(fromHex(json.txHash), tx);
    const read = txFromBytes(bytes, 0, proofFields).tx;
    expect(toHex(txToBytes(fromHex(json.txHash), read)) === toHex(bytes)).toBe(true);
    expect(() => txFromBytes(bytes, 0, end.transactions.proofFields)).toThrow(refused);
  });
});

function proposeOfV4(): string {
  const [{ expected }] = consensusCases<{ expected: { calldata: string } }>("propose-calldata");
  return expected.calldata;
}

function proposeOfV5(): string {
  const file = new URL("../../fixtures/v5/pruned-chain/l1-record.json.br", import.meta.url).pathname;
  const { transactions } = JSON.parse(unpacked(file)) as { transactions: Record<string, { input: string }> };
  const selector = V5.l1.propose.selector.slice(2);
  // A call of several contracts at once holds it.
  const { input } = Object.values(transactions).find((transaction) => transaction.input.includes(selector))!;
  return `0x${input.slice(input.indexOf(selector))}`;
}

/** The blobs have one form in both; what is computed from them has not. */
test("blobs of v4 under a header of v5 are refused for the sum of their fees, or their blocks' hashes", () => {
  const input: RebuildInput = {
    checkpointNumber: v4Checkpoint.checkpointNumber,
    header: HEADERS.v4,
    archiveRoot: fromHex(v4Checkpoint.event.decoded.archive),
    versionedBlobHashes: v4Checkpoint.blobs.map((blob) => fromHex(blob.versionedHash)),
    blobs: wholeBlobs(v4Checkpoint),
    l1ChainId: 31337,
    rollupVersion: v4.constants.version,
    rollupManaLimit: 200_000_000,
  };
  expect(rebuildCheckpoint(input, core, V4).blocks).not.toHaveLength(0);
  const longer = concat(HEADERS.v4, new Uint8Array(32).fill(1));
  expect(longer).toHaveLength(V5.headers.checkpointBytes);
  expect(() => rebuildCheckpoint({ ...input, header: longer }, core, V5)).toThrow(/accumulatedFees/);
  expect(() => rebuildCheckpoint({ ...input, header: HEADERS.v5 }, core, V5)).toThrow(DecodeError);
  expect(() =>
    rebuildCheckpoint({ ...input, header: HEADERS.v5.subarray(0, V4.headers.checkpointBytes) }, core, V4),
  ).toThrow(DecodeError);
});

test("what is signed for one generation is no signature for the other", () => {
  const hash = new Uint8Array(32).fill(9);
  for (const message of ["blockProposal", "checkpointProposal", "checkpointAttestation"] as const) {
    const digests = [V4, V5].map(({ consensus }) => toHex(consensus.signedDigest(message, hash, rollupOf(V5))));
    expect(digests[0], message).not.toBe(digests[1]);
  }
});
