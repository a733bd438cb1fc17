import { decodeAttestations, encodeAttestations } from "../../archiver/tables/attestations.ts";
import type { L1Position } from "../../archiver/tables/chain-state.ts";
import type { CommitteeAttestation, L1Block } from "../../l1/types.ts";
import { BLOCK_HEADER_BYTES } from "../../protocol/block-header.ts";
import { bigUintBytes, readBigUint, readU32 } from "../../protocol/bytes.ts";
import { FrameError } from "./errors.ts";
import { Fields } from "./fields.ts";
import type { Value } from "./payload.ts";

/** Checkpoints, messages and L1 runs in one frame are far fewer; this bounds what a list may claim. */
const MAX_ITEMS = 65_536;
const MAX_U48 = 2 ** 48 - 1;

/** Of a checkpoint: where it is on L1, and who attested it there. */
interface Publication {
  l1: L1Block;
  attestations: CommitteeAttestation[];
  feeAssetPriceModifier: bigint;
}

export interface CheckpointFrame extends Publication {
  number: number;
  /** Its length is that of the chain's generation, which a frame does not say. */
  header: Uint8Array;
  archiveRoot: Uint8Array;
  /** Its blob words up to the end marker; undefined if the follower has all its blocks as proposed ones. */
  words: Uint8Array | undefined;
}

interface MessageFrame {
  index: number;
  leaf: Uint8Array;
  l1BlockNumber: number;
  l1BlockHash: Uint8Array;
}

export interface Marks {
  proven: { checkpoint: number; archiveRoot: Uint8Array };
  finalized: { checkpoint: number; archiveRoot: Uint8Array };
  processed: L1Block | undefined;
  checkpointSync: L1Position | undefined;
  messageSync: L1Position | undefined;
  /** The latest checkpoint and block of the upstream. */
  latest: { checkpoint: number; block: number };
}

export type Frame =
  | { kind: "hello"; version: number; identity: string; publicData: Uint8Array; rpcPort: number }
  | { kind: "messages"; messages: MessageFrame[]; rollingHash: Uint8Array }
  | { kind: "checkpoints"; checkpoints: CheckpointFrame[] }
  | {
      kind: "proposed";
      number: number;
      header: Uint8Array;
      archiveRoot: Uint8Array;
      checkpointNumber: number;
      indexWithinCheckpoint: number;
      body: Uint8Array;
    }
  /**
   * `keep` is the last number (or message index, -1 for none) that stays; `next` identifies what the upstream has after
   * it.
   */
  | { kind: "unwind"; what: Unwound; keep: number; next: Uint8Array | undefined }
  | ({ kind: "republished"; number: number; archiveRoot: Uint8Array } & Publication)
  | ({ kind: "marks" } & Marks)
  | { kind: "ping" }
  | { kind: "end"; reason: string };

type Unwound = "messages" | "checkpoints" | "proposed";
const UNWOUND = ["messages", "checkpoints", "proposed"] as const;
const KINDS = [
  "hello",
  "messages",
  "checkpoints",
  "proposed",
  "unwind",
  "republished",
  "marks",
  "ping",
  "end",
] as const satisfies Frame["kind"][];

const l1Values = ({ number, timestamp, hash }: L1Block): Value[] => [number, timestamp, hash];
const positionValues = (position: L1Position | undefined): Value =>
  position === undefined ? null : [position.number, position.hash];

function publicationValues({ l1, attestations, feeAssetPriceModifier }: Publication): Value[] {
  const modifier = bigUintBytes(BigInt.asUintN(256, feeAssetPriceModifier), 32);
  return [l1Values(l1), encodeAttestations(attestations), modifier];
}

/** The values of a frame's payload, in the order of docs/feed.md. */
export function frameValues(frame: Frame): Value[] {
  return [KINDS.indexOf(frame.kind), ...bodyValues(frame)];
}

function bodyValues(frame: Frame): Value[] {
  switch (frame.kind) {
    case "hello":
      return [frame.version, frame.identity, frame.publicData, frame.rpcPort];
    case "messages":
      return [
        frame.messages.map(({ index, leaf, l1BlockNumber, l1BlockHash }) => [index, leaf, l1BlockNumber, l1BlockHash]),
        frame.rollingHash,
      ];
    case "checkpoints":
      return [
        frame.checkpoints.map((checkpoint) => [
          checkpoint.number,
          checkpoint.header,
          checkpoint.archiveRoot,
          checkpoint.words ?? null,
          ...publicationValues(checkpoint),
        ]),
      ];
    case "proposed": {
      const { number, header, archiveRoot, checkpointNumber, indexWithinCheckpoint, body } = frame;
      return [number, header, archiveRoot, checkpointNumber, indexWithinCheckpoint, body];
    }
    case "unwind":
      return [UNWOUND.indexOf(frame.what), frame.keep + 1, frame.next ?? null];
    case "republished":
      return [frame.number, frame.archiveRoot, ...publicationValues(frame)];
    case "marks": {
      const { proven, finalized, processed, latest } = frame;
      return [
        ...[proven.checkpoint, proven.archiveRoot, finalized.checkpoint, finalized.archiveRoot],
        processed === undefined ? null : l1Values(processed),
        ...[positionValues(frame.checkpointSync), positionValues(frame.messageSync)],
        ...[latest.checkpoint, latest.block],
      ];
    }
    case "ping":
      return [];
    case "end":
      return [frame.reason];
  }
}

/** Throws FrameError. */
export function readFrame(values: Value[]): Frame {
  const [kindNumber, ...rest] = values;
  const kind = typeof kindNumber === "number" ? KINDS[kindNumber] : undefined;
  if (kind === undefined) throw new FrameError("frame kind", `must be 0 to ${KINDS.length - 1}`);
  const fields = new Fields(kind, rest);
  const frame = readBody(kind, fields);
  fields.end();
  return frame;
}

function readBody(kind: Frame["kind"], f: Fields): Frame {
  switch (kind) {
    case "hello":
      return {
        kind,
        version: f.uint("version"),
        identity: f.text("identity", 16_384),
        publicData: f.bytes("publicData"),
        rpcPort: f.uint("rpcPort", 65_535),
      };
    case "messages":
      return {
        kind,
        messages: f.list("messages", MAX_ITEMS).map(readMessage),
        rollingHash: f.bytes("rollingHash", 16),
      };
    case "checkpoints":
      return { kind, checkpoints: f.list("checkpoints", MAX_ITEMS).map(readCheckpoint) };
    case "proposed":
      return {
        kind,
        number: f.uint("number"),
        header: f.bytes("header", BLOCK_HEADER_BYTES),
        archiveRoot: f.bytes("archiveRoot", 32),
        checkpointNumber: f.uint("checkpointNumber"),
        indexWithinCheckpoint: f.uint("indexWithinCheckpoint"),
        body: f.bytes("body"),
      };
    case "unwind":
      return {
        kind,
        what: UNWOUND[f.uint("what", UNWOUND.length - 1)],
        keep: f.uint("keep", MAX_U48) - 1,
        next: f.optional(() => f.bytes("next")),
      };
    case "republished":
      return { kind, number: f.uint("number"), archiveRoot: f.bytes("archiveRoot", 32), ...readPublication(f) };
    case "marks":
      return {
        kind,
        proven: { checkpoint: f.uint("proven"), archiveRoot: f.bytes("proven archive", 32) },
        finalized: { checkpoint: f.uint("finalized"), archiveRoot: f.bytes("finalized archive", 32) },
        processed: f.optional(() => readL1Block(f.list("processed", 3))),
        checkpointSync: f.optional(() => readPosition(f.list("checkpointSync", 2))),
        messageSync: f.optional(() => readPosition(f.list("messageSync", 2))),
        latest: { checkpoint: f.uint("latest checkpoint"), block: f.uint("latest block") },
      };
    case "ping":
      return { kind };
    case "end":
      return { kind, reason: f.text("reason", 200) };
  }
}

function readMessage(values: Value): MessageFrame {
  const f = new Fields("message", values);
  const message = {
    index: f.uint("index", MAX_U48),
    leaf: f.bytes("leaf", 32),
    l1BlockNumber: f.uint("L1 block", MAX_U48),
    l1BlockHash: f.bytes("L1 block hash", 32),
  };
  f.end();
  return message;
}

function readCheckpoint(values: Value): CheckpointFrame {
  const f = new Fields("checkpoint", values);
  const checkpoint = {
    number: f.uint("number"),
    header: f.bytes("header"),
    archiveRoot: f.bytes("archiveRoot", 32),
    words: f.optional(() => f.bytes("words")),
    ...readPublication(f),
  };
  f.end();
  return checkpoint;
}

function readPublication(f: Fields): Publication {
  return {
    l1: readL1Block(f.list("L1 block", 3)),
    attestations: readAttestations(f.bytes("attestations")),
    feeAssetPriceModifier: BigInt.asIntN(256, readBigUint(f.bytes("feeAssetPriceModifier", 32))),
  };
}

/** Attestations in the form of the store, checked: a reader of the store trusts their count. */
function readAttestations(bytes: Uint8Array): CommitteeAttestation[] {
  const fault = new FrameError("checkpoint attestations", "must be a count and as many entries");
  if (bytes.length < 4) throw fault;
  let at = 4;
  for (let left = readU32(bytes, 0); left > 0; left--) {
    if (at + 21 > bytes.length) throw fault;
    at += bytes[at + 20] === 1 ? 86 : 21;
  }
  if (at !== bytes.length) throw fault;
  return decodeAttestations(bytes, 0);
}

function readL1Block(values: Value): L1Block {
  const f = new Fields("L1 block", values);
  const [number, timestamp, hash] = [f.uint("number", MAX_U48), f.uint("timestamp", MAX_U48), f.bytes("hash", 32)];
  f.end();
  return { number, timestamp, hash };
}

function readPosition(values: Value): L1Position {
  const f = new Fields("L1 position", values);
  const [number, hash] = [f.uint("number", MAX_U48), f.bytes("hash", 32)];
  f.end();
  return { number, hash };
}
