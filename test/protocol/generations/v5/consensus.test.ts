import { keccak_256 } from "@noble/hashes/sha3.js";
import type { Hex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { describe, expect, test } from "vitest";
import { attestationsAndSignersHash } from "../../../../src/l1/propose/attestations.ts";
import { concat, equal, fromHex, toHex } from "../../../../src/protocol/bytes.ts";
import { checkpointHash } from "../../../../src/protocol/checkpoint-header.ts";
import {
  blockProposalPayload,
  blockProposalSender,
  decodeBlockProposal,
  encodeBlockProposal,
} from "../../../../src/protocol/consensus/block-proposal.ts";
import {
  attestationPayloadHash,
  attestedProposer,
  attester,
  decodeCheckpointAttestation,
  encodeCheckpointAttestation,
} from "../../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  checkpointProposalPayload,
  checkpointProposalSender,
  decodeCheckpointProposal,
  encodeCheckpointProposal,
} from "../../../../src/protocol/consensus/checkpoint-proposal.ts";
import { attestationPayload, attestationsAndSignersPayload } from "../../../../src/protocol/consensus/digests.ts";
import type { MessageRollup } from "../../../../src/protocol/consensus/message-rollup.ts";
import { signedBytes } from "../../../../src/protocol/consensus/signed-integer.ts";
import { signedTxsPayload, signedTxsSigner } from "../../../../src/protocol/consensus/signed-txs.ts";
import { digestSigner, messageSigner, wireSignature } from "../../../../src/protocol/consensus/wire-signature.ts";
import { DecodeError } from "../../../../src/protocol/errors.ts";
import type { SignedMessage } from "../../../../src/protocol/generations/consensus.ts";
import { V4 } from "../../../../src/protocol/generations/v4/v4.ts";
import { domainSeparator } from "../../../../src/protocol/generations/v5/consensus.ts";
import { V5 } from "../../../../src/protocol/generations/v5/v5.ts";
import { recoverSigner } from "../../../world/protocol/recover-signer.ts";
import { readVectors } from "./vectors.ts";

interface SignedVector {
  name: string;
  primaryType: string;
  payloadToSign: string;
  payloadHash: string;
  digest: string;
  signature: string;
  txHashes?: string[];
  packed?: { signatureIndices: string; signaturesOrAddresses: string };
}
interface WireVector {
  name: string;
  bytes: string;
  messageId: string;
  sender: string;
  proposer?: string;
}
const recorded = readVectors<{
  context: { chainId: number; rollupAddress: string };
  signer: string;
  vectors: (SignedVector | WireVector)[];
}>("signatures");
const rollup: MessageRollup = {
  generation: V5,
  l1ChainId: recorded.context.chainId,
  rollupAddress: fromHex(recorded.context.rollupAddress),
};
const isWire = (vector: SignedVector | WireVector): vector is WireVector => "bytes" in vector;
const signed = recorded.vectors.filter((vector) => !isWire(vector)) as SignedVector[];
const wire = recorded.vectors.filter(isWire);
const wireBytes = (name: string) => fromHex(wire.find((vector) => vector.name === name)!.bytes);
const signedBy = (name: string) => signed.find((vector) => vector.name === name)!;
const { signedDigest, eventDigest } = V5.consensus;
const hex = (bytes: Uint8Array | undefined) => bytes && toHex(bytes);

function typeOf(primaryType: string): SignedMessage {
  return (primaryType[0].toLowerCase() + primaryType.slice(1)) as SignedMessage;
}

/** The payload of a vector, as the node makes it of the message with its number, or of what the vector has. */
function payloadOf({ name, primaryType, packed }: SignedVector): Uint8Array {
  const [kind, number, , modifier] = name.split(" ");
  switch (primaryType) {
    case "BlockProposal":
      return blockProposalPayload(decodeBlockProposal(wireBytes(`${kind} wire ${number}`), rollup), rollup);
    case "CheckpointProposal":
      return checkpointProposalPayload(decodeCheckpointProposal(wireBytes(`${kind} wire ${number}`), rollup), rollup);
    case "CheckpointAttestation": {
      const { header, archive } = decodeCheckpointAttestation(wireBytes(`${kind} wire ${number}`), rollup);
      return attestationPayload(V5.consensus, archive, signedBytes(BigInt(modifier)), checkpointHash(header));
    }
    default:
      return attestationsAndSignersPayload(V5.consensus, {
        signatureIndices: fromHex(packed!.signatureIndices),
        signaturesOrAddresses: fromHex(packed!.signaturesOrAddresses),
        signers: [fromHex(recorded.signer)],
      });
  }
}

describe("digests of v5", () => {
  test("of one attestation are those of the contracts", () => {
    const rollupAddress = new Uint8Array(20);
    rollupAddress.set([0x12, 0x34], 18);
    const other = { ...rollup, l1ChainId: 31337, rollupAddress };
    expect(toHex(domainSeparator(other))).toBe("0xbb86bb873d78ef38e345f718e0b2141e50880118bad5b61845364d9cf80e13ab");
    const word = (value: number) => new Uint8Array(32).fill(value, 31);
    const hash = keccak_256(attestationPayload(V5.consensus, word(0x11), signedBytes(-5n), word(0x22)));
    const digests: [SignedMessage, string][] = [
      ["checkpointAttestation", "0x6dab35511d7144ba0673a37bc1f7642e37d6c438915f3e6b0d880f6e395f0d3f"],
      ["checkpointProposal", "0xf6078f8045bb84475a3373f379a34d9c70736376ded43338b4302ccb461d2760"],
      ["blockProposal", "0x93708c926a77dd82777de5dc5433b115c1587c6282d89437639adb29c5f6daa9"],
      ["signedTxs", "0xd31a21217e22bd81e2b4d9ba80304a5ea5a584ad60dbf765e21066daa2967cf7"],
    ];
    for (const [message, digest] of digests) expect(toHex(signedDigest(message, hash, other)), message).toBe(digest);
    const posted = { signatureIndices: Uint8Array.of(0x80), signaturesOrAddresses: Uint8Array.of(1) };
    const one = new Uint8Array(20).fill(1, 19);
    const payloadHash = attestationsAndSignersHash(V5.consensus, { ...posted, signers: [one] });
    expect(toHex(payloadHash)).toBe("0xd7d14ca80c84afcfc158ab5b68718720d813a18477db8ed565e973e6a2ef0968");
    expect(toHex(signedDigest("attestationsAndSigners", payloadHash, other))).toBe(
      "0xb6bbf230e24f5335cd307e6556edf366ad3f61769cd25bd8b948965944a7f657",
    );
  });

  test.each(signed)("$name", (vector) => {
    const { primaryType, payloadToSign, payloadHash, digest, signature } = vector;
    const payload = payloadOf(vector);
    expect(toHex(payload)).toBe(payloadToSign);
    const hash = keccak_256(payload);
    expect(toHex(hash)).toBe(payloadHash);
    expect(toHex(signedDigest(typeOf(primaryType), hash, rollup))).toBe(digest);
    const signer = messageSigner(typeOf(primaryType), hash, wireSignature(fromHex(signature)), recoverSigner, rollup);
    expect(hex(signer)).toBe(recorded.signer);
  });

  test("every checkpoint's attestation digest, proposal digest and payload hash", () => {
    interface Digested {
      payloadHash: string;
      digest: string;
    }
    const checkpoints =
      readVectors<
        {
          headerBytes: string;
          archive: string;
          feeAssetPriceModifier: string;
          attestation: Digested;
          checkpointProposalDigest: Digested;
        }[]
      >("checkpoints");
    expect(checkpoints).toHaveLength(161);
    for (const { headerBytes, archive, feeAssetPriceModifier, attestation, checkpointProposalDigest } of checkpoints) {
      const payload = {
        header: fromHex(headerBytes),
        archive: fromHex(archive),
        feeAssetPriceModifier: signedBytes(BigInt(feeAssetPriceModifier)),
      };
      const hash = attestationPayloadHash(payload, rollup);
      expect(toHex(hash)).toBe(attestation.payloadHash);
      expect(toHex(eventDigest(hash, rollup))).toBe(attestation.digest);
      expect(toHex(V5.consensus.signedEventDigest(eventDigest(hash, rollup)))).toBe(attestation.digest);
      expect(toHex(signedDigest("checkpointProposal", hash, rollup))).toBe(checkpointProposalDigest.digest);
    }
  });

  test("a signature is valid under one chain, rollup and type only", () => {
    const { payloadHash, signature } = signedBy("CheckpointAttestation 1 modifier 0");
    const signerOf = (type: SignedMessage, of: MessageRollup) =>
      hex(messageSigner(type, fromHex(payloadHash), wireSignature(fromHex(signature)), recoverSigner, of));
    expect(signerOf("checkpointAttestation", rollup)).toBe(recorded.signer);
    expect(signerOf("checkpointAttestation", { ...rollup, l1ChainId: 1 })).not.toBe(recorded.signer);
    const elsewhere = { ...rollup, rollupAddress: new Uint8Array(20) };
    expect(signerOf("checkpointAttestation", elsewhere)).not.toBe(recorded.signer);
    expect(signerOf("checkpointProposal", rollup)).not.toBe(recorded.signer);
  });

  test("peers may send the parity for v, which L1 does not take", () => {
    const { digest, signature } = signedBy("CheckpointAttestation 1 modifier 0");
    const parity = fromHex(signature);
    parity[64] -= 27;
    const signerOf = () => hex(digestSigner(fromHex(digest), wireSignature(parity), recoverSigner, V5.consensus));
    expect(signerOf()).toBe(recorded.signer);
    expect(recoverSigner(fromHex(digest), parity)).toBeUndefined();
    expect(digestSigner(fromHex(digest), wireSignature(parity), recoverSigner, V4.consensus)).toBeUndefined();
    for (const v of [2, 26, 29, 255]) {
      parity[64] = v;
      expect(signerOf()).toBeUndefined();
    }
  });
});

describe("messages of v5", () => {
  test.each(wire)("$name", ({ name, bytes: text, messageId, sender, proposer }) => {
    const bytes = fromHex(text);
    const [kind] = name.split(" ");
    if (kind === "BlockProposal") {
      const proposal = decodeBlockProposal(bytes, rollup);
      expect(toHex(encodeBlockProposal(proposal, rollup))).toBe(text);
      expect(toHex(keccak_256(blockProposalPayload(proposal, rollup)))).toBe(messageId);
      expect(hex(blockProposalSender(proposal, recoverSigner, rollup))).toBe(sender);
    } else if (kind === "CheckpointProposal") {
      const proposal = decodeCheckpointProposal(bytes, rollup);
      expect(toHex(encodeCheckpointProposal(proposal, rollup, proposal.lastBlock))).toBe(text);
      expect(toHex(attestationPayloadHash(proposal, rollup))).toBe(messageId);
      expect(hex(checkpointProposalSender(proposal, recoverSigner, rollup))).toBe(sender);
    } else {
      const attestation = decodeCheckpointAttestation(bytes, rollup);
      expect(toHex(encodeCheckpointAttestation(attestation, rollup))).toBe(text);
      expect(toHex(attestationPayloadHash(attestation, rollup))).toBe(messageId);
      expect(hex(attester(attestation, recoverSigner, rollup))).toBe(sender);
      expect(hex(attestedProposer(attestation, recoverSigner, rollup))).toBe(proposer);
    }
  });

  test("a checkpoint proposal carries its last block without a context of its own", () => {
    const block = decodeBlockProposal(wireBytes("BlockProposal wire 1"), rollup);
    const proposal = decodeCheckpointProposal(wireBytes("CheckpointProposal wire 1"), rollup);
    const bytes = encodeCheckpointProposal(proposal, rollup, block);
    expect(bytes).toHaveLength(1028 + 32);
    const decoded = decodeCheckpointProposal(bytes, rollup);
    expect(decoded.lastBlock?.archiveRoot).toEqual(proposal.archive);
    expect(equal(encodeCheckpointProposal(decoded, rollup, decoded.lastBlock), bytes)).toBe(true);
  });

  test("signed txs are followed by the context, and a proposal's are the proposer's", async () => {
    const block = decodeBlockProposal(wireBytes("BlockProposal wire 1"), rollup);
    const none = new Uint8Array(4);
    const key = fromHex("0x0707070707070707070707070707070707070707070707070707070707070707");
    const digest = signedDigest("signedTxs", keccak_256(signedTxsPayload({ bytes: none }, rollup)), rollup);
    const signature = wireSignature(
      fromHex(await privateKeyToAccount(toHex(key) as Hex).sign({ hash: toHex(digest) as Hex })),
    );
    const bytes = encodeBlockProposal({ ...block, signedTxs: { txs: [], bytes: none, signature } }, rollup);
    expect(bytes).toHaveLength(608 + 32 + 4 + 68 + 24);
    const decoded = decodeBlockProposal(bytes, rollup);
    expect(hex(signedTxsSigner(decoded.signedTxs!, recoverSigner, rollup))).toBe(recorded.signer);
    expect(hex(blockProposalSender(decoded, recoverSigner, rollup))).toBe(recorded.signer);
    const elsewhere = concat(bytes.subarray(0, -1), Uint8Array.of(bytes[bytes.length - 1] ^ 1));
    expect(() => decodeBlockProposal(elsewhere, rollup)).toThrow("signing context must be");
  });

  const DECODERS = [
    { name: "BlockProposal wire 1", decode: decodeBlockProposal },
    { name: "CheckpointProposal wire 1", decode: decodeCheckpointProposal },
    { name: "CheckpointAttestation wire 1", decode: decodeCheckpointAttestation },
  ];

  test.each(DECODERS)("$name of another chain or rollup is refused", ({ decode, name }) => {
    const bytes = wireBytes(name);
    expect(() => decode(bytes, { ...rollup, l1ChainId: 1 })).toThrow("signing context must be 0x00000001");
    expect(() => decode(bytes, { ...rollup, rollupAddress: new Uint8Array(20) })).toThrow("signing context must be");
  });

  test.each(DECODERS)("$name that is cut off anywhere is refused", ({ decode, name }) => {
    const bytes = wireBytes(name);
    // A block proposal may end before the flag of signed txs.
    for (let length = 0; length < bytes.length - 4; length += 13) {
      expect(() => decode(bytes.subarray(0, length), rollup), `${length}`).toThrow(DecodeError);
    }
  });
});
