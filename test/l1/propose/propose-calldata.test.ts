import { describe, expect, test } from "vitest";
import { readProposeCall } from "../../../src/l1/checkpoints/propose-call.ts";
import { attestationsAndSignersHash, packAttestations } from "../../../src/l1/propose/attestations.ts";
import { blobInput, proposeCalldata } from "../../../src/l1/propose/propose-calldata.ts";
import { LocalSigner, typedDataHash } from "../../../src/l1/tx/local-signer.ts";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../../src/protocol/personal-message.ts";
import { consensusCases } from "../../world/sequencer/consensus-cases.ts";

interface AttestationsCase {
  input: { attestations: { address: string; signature: string | null }[]; privateKey: string };
  expected: Record<
    "signatureIndices" | "signaturesOrAddresses" | "payloadHash" | "ethSignedDigest" | "proposerSignature",
    string
  > & {
    signers: string[];
  };
}

describe("attestations and signers", () => {
  test.each(consensusCases<AttestationsCase>("attestations-and-signers"))(
    "attestations and signers are packed and signed as in the vectors: $name",
    async ({ input, expected }) => {
      const packed = packAttestations(
        input.attestations.map(({ address, signature }) => ({
          address: fromHex(address),
          signature: signature === null ? undefined : fromHex(signature),
        })),
      );
      expect(toHex(packed.signatureIndices)).toBe(expected.signatureIndices);
      expect(toHex(packed.signaturesOrAddresses)).toBe(expected.signaturesOrAddresses);
      expect(packed.signers.map(toHex)).toEqual(expected.signers.map((signer) => signer.toLowerCase()));
      const hash = attestationsAndSignersHash(V4.consensus, packed);
      expect(toHex(hash)).toBe(expected.payloadHash);
      expect(toHex(personalMessage(hash))).toBe(expected.ethSignedDigest);
      const signature = await new LocalSigner(fromHex(input.privateKey)).signMessage(hash);
      expect(toHex(signature)).toBe(expected.proposerSignature);
    },
  );
});

interface ProposeCase {
  input: {
    attestationsAndSignersSignature: { v: number; r: string; s: string };
    signers: string[];
    blobInput: string;
  };
  expected: { calldata: string };
}

describe("propose calldata", () => {
  test.each(consensusCases<ProposeCase>("propose-calldata"))(
    "propose calldata is that of the vectors: $name",
    ({ input, expected }) => {
      const { v, r, s } = input.attestationsAndSignersSignature;
      const commitments = [fromHex(input.blobInput).slice(1)];
      // The decoder that follows the chain reads the header's bytes; the calldata must contain them again.
      const call = readProposeCall(fromHex(expected.calldata), V4);
      const calldata = proposeCalldata({
        archiveRoot: call.archiveRoot,
        feeAssetPriceModifier: Number(call.feeAssetPriceModifier),
        header: call.header,
        attestations: { ...call, signers: input.signers.map(fromHex) },
        signature: concat(fromHex(r), fromHex(s), Uint8Array.of(v)),
        commitments,
      });
      expect(toHex(calldata)).toBe(expected.calldata);
      expect(toHex(blobInput(commitments))).toBe(input.blobInput);
    },
  );
});

interface SignalCase {
  input: {
    domain: { name: string; version: string; chainId: number; verifyingContract: string };
    types: Record<string, { name: string; type: string }[]>;
    message: { payload: string; slot: string; instance: string };
  };
  expected: { digest: string };
}

test.each(consensusCases<SignalCase>("governance-signal-digest"))(
  "the hash of typed data is that of the vectors: $name",
  ({ input, expected }) => {
    const typed = { ...input, primaryType: "Signal", message: { ...input.message, slot: BigInt(input.message.slot) } };
    expect(toHex(typedDataHash(typed))).toBe(expected.digest);
  },
);
