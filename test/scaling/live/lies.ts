import type { Frame } from "../../../src/follower/format/frames.ts";
import { HEADER_SNAPSHOT_AT } from "../../../src/protocol/block-header.ts";
import { NOTE_HASH_TREE } from "../../../src/protocol/constants.ts";
import type { Lie } from "../../world/follower/lying-feed.ts";

/** Bytes with one bit changed. */
function flipped(bytes: Uint8Array, at = bytes.length - 1): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[at] ^= 1;
  return changed;
}

type FrameOf<K extends Frame["kind"]> = Extract<Frame, { kind: K }>;

/** A lie about each block, whether it comes as a proposed one or in a checkpoint. */
function aboutBlocks(
  proposed: (frame: FrameOf<"proposed">) => Partial<FrameOf<"proposed">>,
  checkpoint: (
    one: FrameOf<"checkpoints">["checkpoints"][number],
  ) => Partial<FrameOf<"checkpoints">["checkpoints"][number]>,
): () => Lie {
  return () => (frame) => {
    if (frame.kind === "proposed") return [{ ...frame, ...proposed(frame) }];
    if (frame.kind !== "checkpoints") return [frame];
    return [{ ...frame, checkpoints: frame.checkpoints.map((one) => ({ ...one, ...checkpoint(one) })) }];
  };
}

/** The last byte of the second field of a block's or a checkpoint's words. */
const SOME_EFFECT = 63;

/** What a live upstream may tell its follower, by name; each is told anew with every connection. */
export const LIES: readonly [name: string, lie: () => Lie][] = [
  [
    "the effects of a tx",
    aboutBlocks(
      ({ body }) => ({ body: flipped(body, body.length >> 1) }),
      ({ words }) => ({ words: words && flipped(words, SOME_EFFECT) }),
    ),
  ],
  [
    "a state root",
    aboutBlocks(
      ({ header }) => ({ header: flipped(header, HEADER_SNAPSHOT_AT[NOTE_HASH_TREE] + 31) }),
      () => ({}),
    ),
  ],
  [
    "the archive root",
    aboutBlocks(
      ({ archiveRoot }) => ({ archiveRoot: flipped(archiveRoot) }),
      ({ archiveRoot }) => ({ archiveRoot: flipped(archiveRoot) }),
    ),
  ],
  [
    "a message that is not on L1",
    () => (frame) => {
      if (frame.kind !== "marks" || frame.processed === undefined) return [frame];
      const { number, hash } = frame.processed;
      const message = { index: 2 ** 30, leaf: new Uint8Array(32).fill(1), l1BlockNumber: number, l1BlockHash: hash };
      return [{ kind: "messages", messages: [message], rollingHash: new Uint8Array(16).fill(1) }, frame];
    },
  ],
  [
    "a block withheld",
    () => {
      let withheld = false;
      return (frame) => {
        const isBlock = frame.kind === "proposed" || frame.kind === "checkpoints";
        if (!isBlock || withheld) return [frame];
        withheld = true;
        return [];
      };
    },
  ],
  [
    "an older block as the next one",
    () => {
      let older: Frame | undefined;
      return (frame) => {
        if (frame.kind !== "proposed" && frame.kind !== "checkpoints") return [frame];
        older ??= frame;
        return older === frame ? [frame] : [{ ...older }];
      };
    },
  ],
  [
    "a proven checkpoint that does not exist",
    () => (frame) =>
      frame.kind === "marks" ? [{ ...frame, proven: { ...frame.proven, checkpoint: 1_000_000 } }] : [frame],
  ],
];
