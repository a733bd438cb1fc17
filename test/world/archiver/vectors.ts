import { readFileSync } from "node:fs";
import { concat, fromHex } from "../../../src/protocol/bytes.ts";
import { BYTES_PER_BLOB } from "../../../src/protocol/constants.ts";

export function readVectors<Shape>(name: string): Shape {
  return JSON.parse(readFileSync(new URL(`../../fixtures/vectors/${name}`, import.meta.url), "utf8"));
}

export interface CheckpointVector {
  checkpointNumber: number;
  l1: { blockNumber: number; blockHash: string; blockTimestamp: string };
  tx: { blobVersionedHashes: string[] };
  event: { decoded: { archive: string } };
  proposeArgs: { args: { oracleInput: { feeAssetPriceModifier: string } } };
  computed: {
    checkpointHeaderBuffer: string;
    checkpointHeaderHash: string;
    blobsHash: string;
    blockHeadersHash: string;
    checkpointOutHash: string;
  };
  blobs: { versionedHash: string; dataTrimmed: string }[];
  blocks: {
    blockNumber: number;
    headerBuffer: string;
    blockHash: string;
    archive: { root: string };
    numTxs: number;
    blobFieldCount: number;
    blockOutHash: string;
    txs: { txHash: string; txOutHash: string }[];
  }[];
}

/** A contract event and where it is; all hex text. */
export interface ClassVector
  extends Record<
    "contractClassId" | "artifactHash" | "privateFunctionsRoot" | "packedBytecodeSha256" | "publicBytecodeCommitment",
    string
  > {
  checkpoint: number;
  txIndex: number;
  packedBytecodeLength: number;
}

export interface InstanceVector
  extends Record<
    "address" | "salt" | "contractClassId" | "initializationHash" | "publicKeys" | "deployer" | "computedAddress",
    string
  > {
  checkpoint: number;
  txIndex: number;
}

export interface L1Vectors {
  sponge: { fields: string[]; squeeze: string }[];
  trees: {
    merge: { left: string; right: string; hash: string };
    unbalanced: { leaves: string[]; root: string; siblingPaths?: LeafPath[] }[];
    compressedUnbalanced: { leaves: string[]; root: string; locations: (LeafPath | null)[] }[];
    emptyEpochOutHash: string;
    emptyInHash: string;
    genesisCheckpointHeaderHash: string;
  };
  live: {
    constants: { version: number };
    checkpoints: CheckpointVector[];
    contractClasses: ClassVector[];
    contractInstances: InstanceVector[];
  };
  scenario: {
    constants: { version: number };
    checkpoints: CheckpointVector[];
    invalidAttestation: CheckpointVector;
    epoch3: {
      messages: string[][][][];
      txOutHashes: string[][][];
      blockOutHashes: string[][];
      checkpointOutHashes: string[];
      accumulated: string[];
      epochOutHash: string;
    };
    l1ToL2: {
      events: { checkpointNumber: number; index: string; leaf: string; rollingHash: string }[];
      roots: Record<string, string>;
      state: { rollingHash: string; totalMessagesInserted: number };
    };
  };
}

export interface LeafPath {
  leaf: number;
  level: number;
  indexAtLevel: number;
  path: string[];
}

/** The blobs of a vector back to back, with the trailing zeros that the vector omits. */
export function wholeBlobs(vector: CheckpointVector): Uint8Array {
  return concat(
    ...vector.blobs.map(({ dataTrimmed }) => {
      const blob = new Uint8Array(BYTES_PER_BLOB);
      blob.set(fromHex(dataTrimmed));
      return blob;
    }),
  );
}
