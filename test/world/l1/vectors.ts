import { readFileSync } from "node:fs";
import { fromHex } from "../../../src/protocol/bytes.ts";

type Hex = `0x${string}`;

export interface CheckpointVector {
  checkpointNumber: number;
  l1: { blockNumber: number; blockHash: Hex; blockTimestamp: string };
  event: {
    topics: Hex[];
    data: Hex;
    decoded: {
      checkpointNumber: number;
      archive: Hex;
      versionedBlobHashes: Hex[];
      payloadDigest: Hex;
      attestationsHash: Hex;
    };
  };
  tx: { hash: Hex; to: Hex; wrapper: string; input: Hex; proposeCalldata?: Hex };
  proposeArgs: {
    args: { archive: Hex; oracleInput: { feeAssetPriceModifier: string } };
    attestations: { signatureIndices: Hex; signaturesOrAddresses: Hex };
  };
  computed: Record<
    | "checkpointHeaderBuffer"
    | "checkpointHeaderHash"
    | "attestationsHash"
    | "payloadToSign"
    | "payloadDigest"
    | "ethSignedMessageDigest"
    | "blobsHash",
    Hex
  >;
  attestations: { address: Hex; signature: Hex; status: string; recovered: Hex }[];
  blobs: { versionedHash: Hex; commitment: Hex; dataTrimmed: Hex }[];
  proposal?: { committee: Hex[] };
  expected?: { valid: boolean; reason: string; invalidIndex?: number; required?: number; actual?: number };
}

interface L1Vectors {
  selectors: { functions: Record<string, Hex>; eventTopics: Record<string, Hex>; errors: Record<string, Hex> };
  rollupVersion: {
    network: string;
    config: Record<string, unknown>;
    genesis: { vkTreeRoot: Hex; protocolContractsHash: Hex; genesisArchiveRoot: Hex };
    abiEncoded?: Hex;
    version: number;
  }[];
  blobs: {
    twoBlobs: { commitments: Hex[]; versionedHashes: Hex[]; blobsHash: Hex; blobInput: Hex };
  };
  live: { constants: { rollup: Hex }; checkpoints: CheckpointVector[] };
  scenario: {
    constants: { rollup: Hex; epochDuration: number; targetCommitteeSize: number };
    validators: {
      address: Hex;
      pk: Hex;
      blsSecretKey: Hex;
      registrationDigest: Record<string, Hex>;
      publicKeyInG1: Record<string, Hex>;
      publicKeyInG2: Record<string, Hex>;
      proofOfPossession: Record<string, Hex>;
    }[];
    committee: {
      epoch: number;
      sampleSeed: Hex;
      validatorSet: Hex[];
      sampledIndices: number[];
      committee: Hex[];
      committeeCommitment: Hex;
      proposers: { slot: number; proposerIndex: number; proposer: Hex }[];
    }[];
    checkpoints: CheckpointVector[];
    invalidAttestation: CheckpointVector;
    afterProof: { insufficient: CheckpointVector };
    l1ToL2: {
      messages: {
        kind: string;
        sender: Hex;
        chainId: number;
        recipient: { actor: Hex; version: number };
        content: Hex;
        secretHash: Hex;
        topics: Hex[];
        data: Hex;
      }[];
      events: { checkpointNumber: number; index: string; leaf: Hex; rollingHash: Hex }[];
      state: { rollingHash: Hex };
    };
  };
}

export const l1Vectors = JSON.parse(
  readFileSync(new URL("../../fixtures/vectors/l1.json", import.meta.url), "utf8"),
) as L1Vectors;

/** A blob of the vectors, with the trailing zero words that they omit. */
export function paddedBlob(trimmed: string): Uint8Array {
  const blob = new Uint8Array(131072);
  blob.set(fromHex(trimmed));
  return blob;
}
