import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { uncompressSync } from "snappy";
import { fromHex } from "../../../src/protocol/bytes.ts";

function file(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/p2p/${name}`, import.meta.url));
}

/** One message of the recorded network. */
export interface RecordedMessage {
  /** The topic's name. */
  topic: string;
  /** The whole topic string. */
  topicText: string;
  id: string;
  /** Uncompressed bytes with the wrapper. */
  wrapped: Uint8Array;
  /** The bytes as they were sent. */
  compressed: Uint8Array;
  /** Arrival, Unix milliseconds. */
  t: number;
  decoded: {
    slot: number;
    block: number;
    index: number;
    archive: string;
    sender: string;
    attester: string;
    proposer: string;
    txHashes: string[];
    hash: string;
    lastBlock: { block: number; index: number; txHashes: string[] } | null;
  };
}

export function recordedMessages(): RecordedMessage[] {
  const lines = gunzipSync(file("gossip.jsonl.gz")).toString("utf8").trim().split("\n");
  return lines.map((line) => {
    const { topic, id, data, decoded, t } = JSON.parse(line);
    const compressed = fromHex(data);
    return {
      topic: topic.split("/")[2],
      topicText: topic,
      id,
      wrapped: new Uint8Array(uncompressSync(Buffer.from(compressed)) as Buffer),
      compressed,
      t,
      decoded,
    };
  });
}

/** The recorded network's settings, committees by epoch and proposers by slot. */
export interface RecordedNetwork {
  settings: { AZTEC_SLOT_DURATION: number; AZTEC_EPOCH_DURATION: number; ETHEREUM_SLOT_DURATION: number };
  validators: { key: string; address: string }[];
  genesisTime: number;
  epochs: Record<string, { committee: string[] | null; seed: string }>;
  proposers: Record<string, string | null>;
}

export function recordedNetwork(): RecordedNetwork {
  return JSON.parse(file("network.json").toString("utf8"));
}

interface VectorSignature {
  bytes: string;
  text: string;
}

/** A signed message of the vectors; which members there are depends on the message. */
export interface MessageVector {
  // biome-ignore lint/suspicious/noExplicitAny: the members of each vector are read by its test
  decoded: any;
  payloadToSign: string;
  payloadHash: string;
  ethSignedDigest: string;
  recoveredSigner: string;
  topic: string;
  payloadHex: string;
  wrappedHex: string;
  snappyExampleHex: string;
  messageId: string;
}

export interface P2pVectors {
  keys: Record<"proposerPrivateKey" | "proposerAddress" | "attesterPrivateKey" | "attesterAddress", string>;
  blockProposal: MessageVector & { blockHeaderHex: string };
  blockProposalWithSignedTxs: Omit<MessageVector, "topic"> & {
    txHashes: string[];
    indexWithinCheckpoint: number;
    blockSignature: VectorSignature;
    signedTxsSignature: VectorSignature;
    signedTxsPayloadHash: string;
    payloadLength: number;
  };
  checkpointProposalWithoutLastBlock: MessageVector & { checkpointHeaderHex: string; checkpointHeaderHash: string };
  checkpointProposalWithLastBlock: MessageVector & { extractedBlockProposalHex: string };
  checkpointAttestation: MessageVector & Record<"recoveredAttester" | "recoveredProposer", string>;
  checkpointAttestationNegativeModifier: MessageVector & Record<"recoveredAttester" | "recoveredProposer", string>;
  tx: MessageVector & {
    txHash: string;
    uncompressedPayloadLength: number;
    sha256OfPayload: string;
    sha256OfWrapped: string;
  };
  plainWrapper: { payload: string; bytes: string };
  instrumentedWrapper: { payload: string; bytes: string; timestampMs: number; traceContext: string };
  equivocationSequence: {
    finalPeerScore: number;
    messages: { name: string; topic: string; wrappedHex: string; messageId: string; expected: string }[];
  };
}

export function p2pVectors(): P2pVectors {
  return JSON.parse(gunzipSync(file("vectors.json.gz")).toString("utf8"));
}

/** The wrapped message that a vector holds in compressed form. */
export function uncompressed(hex: string): Uint8Array {
  return new Uint8Array(uncompressSync(Buffer.from(fromHex(hex))) as Buffer);
}
