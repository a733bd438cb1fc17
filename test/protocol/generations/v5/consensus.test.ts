import { keccak_256 } from "@noble/hashes/sha3.js";
import { describe, expect, test } from "vitest";
import { concat, equal, fromHex, toHex } from "../../../../src/protocol/bytes.ts";
import { signedBytes } from "../../../../src/protocol/consensus/signed-integer.ts";
import { shortSignature } from "../../../../src/protocol/consensus/wire-signature.ts";
import { DecodeError } from "../../../../src/protocol/errors.ts";
import type { SignedMessage, SigningContext } from "../../../../src/protocol/generations/consensus.ts";
import { domainSeparator } from "../../../../src/protocol/generations/v5/consensus.ts";
import {
  attestationPayloadHash,
  attestationsAndSignersPayload,
  blockProposalPayload,
  checkpointProposalPayload,
  decodeBlockProposal,
  decodeCheckpointAttestation,
  decodeCheckpointProposal,
  encodeBlockProposal,
  encodeCheckpointAttestation,
  encodeCheckpointProposal,
} from "../../../../src/protocol/generations/v5/messages.ts";
import { withParity } from "../../../../src/protocol/generations/v5/signer-recovery.ts";
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
const context: SigningContext = {
  l1ChainId: recorded.context.chainId,
  rollupAddress: fromHex(recorded.context.rollupAddress),
};
const isWire = (vector: SignedVector | WireVector): vector is WireVector => "bytes" in vector;
const signed = recorded.vectors.filter((vector) => !isWire(vector)) as SignedVector[];
const wire = recorded.vectors.filter(isWire);
const signedBy = (name: string) => signed.find((vector) => vector.name === name)!;
const recover = withParity(recoverSigner);
const { signedDigest, eventDigest } = V5.consensus;

function typeOf(primaryType: string): SignedMessage {
  return (primaryType[0].toLowerCase() + primaryType.slice(1)) as SignedMessage;
}

function signerOf(digest: Uint8Array, signature: Uint8Array): string | undefined {
  const signer = recover(digest, signature);
  return signer && toHex(signer);
}

describe("digests of v5", () => {
  test("of one attestation are those of the contracts", () => {
    const rollupAddress = new Uint8Array(20);
    rollupAddress.set([0x12, 0x34], 18);
    const other = { l1ChainId: 31337, rollupAddress };
    expect(toHex(domainSeparator(other))).toBe("0xbb86bb873d78ef38e345f718e0b2141e50880118bad5b61845364d9cf80e13ab");
    const word = (value: number) => new Uint8Array(32).fill(value, 31);
    const hash = keccak_256(concat(word(0x11), signedBytes(-5n), word(0x22)));
    const digests: [SignedMessage, string][] = [
      ["checkpointAttestation", "0x6dab35511d7144ba0673a37bc1f7642e37d6c438915f3e6b0d880f6e395f0d3f"],
      ["checkpointProposal", "0xf6078f8045bb84475a3373f379a34d9c70736376ded43338b4302ccb461d2760"],
      ["blockProposal", "0x93708c926a77dd82777de5dc5433b115c1587c6282d89437639adb29c5f6daa9"],
      ["signedTxs", "0xd31a21217e22bd81e2b4d9ba80304a5ea5a584ad60dbf765e21066daa2967cf7"],
    ];
    for (const [message, digest] of digests) expect(toHex(signedDigest(message, hash, other)), message).toBe(digest);
    const posted = { signatureIndices: Uint8Array.of(0x80), signaturesOrAddresses: Uint8Array.of(1) };
    const one = new Uint8Array(20).fill(1, 19);
    const payloadHash = keccak_256(attestationsAndSignersPayload({ ...posted, signers: [one] }));
    expect(toHex(payloadHash)).toBe("0xd7d14ca80c84afcfc158ab5b68718720d813a18477db8ed565e973e6a2ef0968");
    expect(toHex(signedDigest("attestationsAndSigners", payloadHash, other))).toBe(
      "0xb6bbf230e24f5335cd307e6556edf366ad3f61769cd25bd8b948965944a7f657",
    );
  });

  test.each(signed)("$name", ({ primaryType, payloadToSign, payloadHash, digest, signature }) => {
    expect(toHex(keccak_256(fromHex(payloadToSign)))).toBe(payloadHash);
    const own = signedDigest(typeOf(primaryType), fromHex(payloadHash), context);
    expect(toHex(own)).toBe(digest);
    expect(signerOf(own, fromHex(signature))).toBe(recorded.signer);
  });

  test("the digest of posted attestations is of their ABI encoding", () => {
    const { packed, payloadToSign } = signedBy("AttestationsAndSigners");
    const { signatureIndices, signaturesOrAddresses } = packed!;
    const payload = attestationsAndSignersPayload({
      signatureIndices: fromHex(signatureIndices),
      signaturesOrAddresses: fromHex(signaturesOrAddresses),
      signers: [fromHex(recorded.signer)],
    });
    expect(toHex(payload)).toBe(payloadToSign);
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
      const hash = attestationPayloadHash(payload);
      expect(toHex(hash)).toBe(attestation.payloadHash);
      expect(toHex(eventDigest(hash, context))).toBe(attestation.digest);
      expect(toHex(V5.consensus.signedEventDigest(eventDigest(hash, context)))).toBe(attestation.digest);
      expect(toHex(signedDigest("checkpointProposal", hash, context))).toBe(checkpointProposalDigest.digest);
    }
  });

  test("a signature is valid under one chain, rollup and type only", () => {
    const { payloadHash, signature } = signedBy("CheckpointAttestation 1 modifier 0");
    const hash = fromHex(payloadHash);
    const others = [
      signedDigest("checkpointAttestation", hash, { ...context, l1ChainId: 1 }),
      signedDigest("checkpointAttestation", hash, { ...context, rollupAddress: new Uint8Array(20) }),
      signedDigest("checkpointProposal", hash, context),
    ];
    for (const digest of others) expect(signerOf(digest, fromHex(signature))).not.toBe(recorded.signer);
  });

  test("peers may send the parity for v, which L1 does not take", () => {
    const { digest, signature } = signedBy("CheckpointAttestation 1 modifier 0");
    const parity = fromHex(signature);
    parity[64] -= 27;
    expect(signerOf(fromHex(digest), parity)).toBe(recorded.signer);
    expect(recoverSigner(fromHex(digest), parity)).toBeUndefined();
    for (const v of [2, 26, 29, 255]) {
      parity[64] = v;
      expect(signerOf(fromHex(digest), parity)).toBeUndefined();
    }
  });
});

describe("messages of v5", () => {
  const digest = (type: SignedMessage, payload: Uint8Array) => signedDigest(type, keccak_256(payload), context);

  test.each(wire)("$name", ({ name, bytes: text, messageId, sender, proposer }) => {
    const bytes = fromHex(text);
    const [kind] = name.split(" ");
    if (kind === "BlockProposal") {
      const proposal = decodeBlockProposal(bytes);
      expect(toHex(encodeBlockProposal(proposal))).toBe(text);
      const payload = blockProposalPayload(proposal);
      expect(toHex(keccak_256(payload))).toBe(messageId);
      expect(signerOf(digest("blockProposal", payload), shortSignature(proposal.signature))).toBe(sender);
      expect(proposal.context).toEqual(context);
    } else if (kind === "CheckpointProposal") {
      const proposal = decodeCheckpointProposal(bytes);
      expect(toHex(encodeCheckpointProposal(proposal))).toBe(text);
      expect(toHex(attestationPayloadHash(proposal))).toBe(messageId);
      const payload = checkpointProposalPayload(proposal);
      expect(signerOf(digest("checkpointProposal", payload), shortSignature(proposal.signature))).toBe(sender);
    } else {
      const attestation = decodeCheckpointAttestation(bytes);
      expect(toHex(encodeCheckpointAttestation(attestation))).toBe(text);
      const hash = attestationPayloadHash(attestation);
      expect(toHex(hash)).toBe(messageId);
      const attested = signedDigest("checkpointAttestation", hash, context);
      expect(signerOf(attested, shortSignature(attestation.signature))).toBe(sender);
      const payload = checkpointProposalPayload(attestation);
      const proposed = digest("checkpointProposal", payload);
      expect(signerOf(proposed, shortSignature(attestation.proposerSignature))).toBe(proposer);
    }
  });

  test("a checkpoint proposal carries its last block without a context of its own", () => {
    const block = decodeBlockProposal(fromHex(wire.find(({ name }) => name === "BlockProposal wire 1")!.bytes));
    const proposal = decodeCheckpointProposal(
      fromHex(wire.find(({ name }) => name === "CheckpointProposal wire 1")!.bytes),
    );
    const bytes = encodeCheckpointProposal({ ...proposal, lastBlock: block });
    expect(bytes).toHaveLength(1028 + 32);
    const decoded = decodeCheckpointProposal(bytes);
    expect(decoded.lastBlock?.archiveRoot).toEqual(proposal.archive);
    expect(decoded.lastBlock?.context).toEqual(context);
    expect(equal(encodeCheckpointProposal(decoded), bytes)).toBe(true);
  });

  test("a message that is cut off anywhere is refused", () => {
    const decoders = [
      [decodeBlockProposal, "BlockProposal wire 1"],
      [decodeCheckpointProposal, "CheckpointProposal wire 1"],
      [decodeCheckpointAttestation, "CheckpointAttestation wire 1"],
    ] as const;
    for (const [decode, name] of decoders) {
      const bytes = fromHex(wire.find((vector) => vector.name === name)!.bytes);
      // A block proposal may end before the flag of signed txs.
      for (let length = 0; length < bytes.length - 4; length += 13) {
        expect(() => decode(bytes.subarray(0, length)), `${name} ${length}`).toThrow(DecodeError);
      }
    }
  });
});
