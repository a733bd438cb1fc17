import { type ChainStore, lastBlockOf } from "../../archiver/chain-store.ts";
import type { BlockRecord, CheckpointRecord } from "../../archiver/tables/records.ts";
import { equal } from "../../protocol/bytes.ts";
import { writeCheckpointBlobs } from "../../protocol/checkpoint-blob-writer.ts";
import type { CheckpointFrame, Frame, Marks } from "../format/frames.ts";
import { checkpointId, type FeedRequest } from "../format/request.ts";
import { SentEntries } from "./sent-entries.ts";

/** Words and messages in one batch, about; a checkpoint that has begun is completed. */
const BATCH_BYTES = 512 * 1024;
const BATCH_MESSAGES = 2048;
const BATCH_CHECKPOINTS = 256;
const ZERO = new Uint8Array(32);

interface FeedBatch {
  frames: Frame[];
  /** Whether the follower then has all that the store has. */
  complete: boolean;
}

/**
 * What one follower has, and what it lacks of a store. Each batch is read in one synchronous run, so from one commit,
 * and nothing waits here for a slow follower: what it lacks is worked out when it can take more.
 */
export class FeedCursor {
  readonly #chain: ChainStore;
  readonly #genesisArchiveRoot: Uint8Array;
  readonly #messages: SentEntries;
  readonly #checkpoints: SentEntries;
  readonly #proposed: SentEntries;
  /** Highest proposed block that this store has had while the follower had it. */
  #confirmedProposed = 0;
  /** L1 block that the follower's chain was followed to when it connected. */
  readonly #processed: number;
  /** Whether this store has been followed to that block. If L1 is shorter later, that is a reorganization. */
  #ahead = false;
  #marks = "";

  constructor(chain: ChainStore, genesisArchiveRoot: Uint8Array, request: FeedRequest) {
    this.#chain = chain;
    this.#genesisArchiveRoot = genesisArchiveRoot;
    this.#messages = new SentEntries(request.messages);
    this.#checkpoints = new SentEntries(request.checkpoints);
    this.#proposed = new SentEntries(request.proposed);
    this.#processed = request.processed;
  }

  /** The next frames; none when the follower has everything. */
  next(): FeedBatch {
    const frames: Frame[] = [];
    const complete = this.#advance(frames);
    return { frames, complete };
  }

  #advance(frames: Frame[]): boolean {
    // A store that has read less of L1 than the follower says nothing about what the follower has beyond it.
    this.#ahead ||= (this.#chain.state.processed()?.number ?? 0) >= this.#processed;
    const ahead = this.#ahead;
    if (!this.#unwindMessages(frames, ahead) || !this.#unwindCheckpoints(frames, ahead)) return true;
    if (!this.#sendMessages(frames) || !this.#sendCheckpoints(frames)) return false;
    this.#unwindProposed(frames);
    if (!this.#sendProposed(frames)) return false;
    if (ahead) this.#sendMarks(frames);
    return true;
  }

  /** @returns false if this store lags behind the follower. */
  #unwindMessages(frames: Frame[], ahead: boolean): boolean {
    const { messages } = this.#chain;
    const sent = this.#messages;
    const standing = sent.lastStanding(({ number, id }) => equal(messages.get(number)?.rollingHash ?? ZERO, id));
    if (standing === sent.size - 1) return true;
    if (!ahead) return false;
    const keep = sent.at(standing)?.number ?? -1;
    frames.push({ kind: "unwind", what: "messages", keep, next: messages.after(keep, 1).at(0)?.rollingHash });
    sent.cutAfter(standing);
    return true;
  }

  /** @returns false if this store lags behind the follower. */
  #unwindCheckpoints(frames: Frame[], ahead: boolean): boolean {
    const chain = this.#chain;
    const sent = this.#checkpoints;
    const archive = (number: number): Uint8Array | undefined => chain.checkpoint(number)?.archiveRoot;
    const standing = sent.lastStanding(({ number, id }) => equal(archive(number) ?? ZERO, id.subarray(0, 32)));
    if (standing < sent.size - 1) {
      if (!ahead) return false;
      const keep = sent.at(standing)?.number ?? 0;
      frames.push({ kind: "unwind", what: "checkpoints", keep, next: archive(keep + 1) });
      sent.cutAfter(standing);
      this.#proposed.clear();
      this.#confirmedProposed = 0;
    }
    if (ahead) this.#republish(frames);
    return true;
  }

  /** An L1 reorganization moves the last checkpoints to other L1 blocks, so those before one in its place are too. */
  #republish(frames: Frame[]): void {
    const sent = this.#checkpoints;
    const moved = sent.lastStanding(({ number, id }) => equal(checkpointId(this.#chain.checkpoint(number)!), id)) + 1;
    sent.from(moved).forEach(({ number }, i) => {
      const checkpoint = this.#chain.checkpoint(number)!;
      frames.push({ kind: "republished", ...publicationOf(checkpoint), number, archiveRoot: checkpoint.archiveRoot });
      sent.replace(moved + i, checkpointId(checkpoint));
    });
  }

  #sendMessages(frames: Frame[]): boolean {
    const found = this.#chain.messages.after(this.#messages.last(-1), BATCH_MESSAGES);
    const last = found.at(-1);
    if (last === undefined) return true;
    frames.push({ kind: "messages", messages: found, rollingHash: last.rollingHash });
    this.#messages.push({ number: last.index, id: last.rollingHash });
    return found.length < BATCH_MESSAGES;
  }

  #sendCheckpoints(frames: Frame[]): boolean {
    const chain = this.#chain;
    const checkpoints: CheckpointFrame[] = [];
    const latest = chain.latestCheckpointNumber();
    let bytes = 0;
    let number = this.#checkpoints.last(0) + 1;
    for (; number <= latest && bytes < BATCH_BYTES && checkpoints.length < BATCH_CHECKPOINTS; number++) {
      const checkpoint = chain.checkpoint(number)!;
      const words = this.#hasBlocksOf(checkpoint) ? undefined : wordsOf(chain, checkpoint);
      const { header, archiveRoot } = checkpoint;
      checkpoints.push({ number, header, archiveRoot, words, ...publicationOf(checkpoint) });
      bytes += words?.length ?? 0;
      this.#checkpoints.push({ number, id: checkpointId(checkpoint) });
      this.#proposed.clear();
      this.#confirmedProposed = 0;
    }
    if (checkpoints.length > 0) frames.push({ kind: "checkpoints", checkpoints });
    return number > latest;
  }

  /** Whether the follower's proposed blocks are those of a checkpoint. */
  #hasBlocksOf({ startBlock, blockCount }: CheckpointRecord): boolean {
    for (let number = startBlock; number < startBlock + blockCount; number++) {
      if (!this.#proposed.has(number, this.#chain.block(number)!.hash)) return false;
    }
    return true;
  }

  /**
   * Proposed blocks of the follower that this store has otherwise, or had and has no more. Those that it never had it
   * may yet get: the follower removes them by itself when their slot has passed.
   */
  #unwindProposed(frames: Frame[]): void {
    const chain = this.#chain;
    const sent = this.#proposed;
    const latest = chain.latestBlockNumber();
    for (let position = 0; position < sent.size; position++) {
      const { number, id } = sent.at(position)!;
      const stored = number <= latest ? chain.block(number) : undefined;
      if (stored !== undefined && equal(stored.hash, id)) {
        this.#confirmedProposed = Math.max(this.#confirmedProposed, number);
        continue;
      }
      if (stored === undefined && number > this.#confirmedProposed) return;
      frames.push({ kind: "unwind", what: "proposed", keep: number - 1, next: stored?.hash });
      sent.cutAfter(position - 1);
      this.#confirmedProposed = Math.min(this.#confirmedProposed, number - 1);
      return;
    }
  }

  #sendProposed(frames: Frame[]): boolean {
    const chain = this.#chain;
    const latest = chain.latestBlockNumber();
    let bytes = 0;
    let number = this.#proposed.last(chain.checkpointedBlockNumber()) + 1;
    for (; number <= latest && bytes < BATCH_BYTES; number++) {
      const block = chain.block(number)!;
      const body = chain.blockBody(number)!;
      frames.push(proposedFrame(block, body));
      bytes += body.length;
      this.#proposed.push({ number, id: block.hash });
      this.#confirmedProposed = number;
    }
    return number > latest;
  }

  #sendMarks(frames: Frame[]): void {
    const marks = this.#currentMarks();
    const { latest: _, ...changing } = marks;
    const text = JSON.stringify(changing);
    if (text === this.#marks) return;
    this.#marks = text;
    frames.push({ kind: "marks", ...marks });
  }

  #currentMarks(): Marks {
    const chain = this.#chain;
    const mark = (checkpoint: number): Marks["proven"] => ({
      checkpoint,
      archiveRoot: chain.checkpoint(checkpoint)?.archiveRoot ?? this.#genesisArchiveRoot,
    });
    return {
      proven: mark(chain.provenCheckpointNumber()),
      finalized: mark(chain.finalizedCheckpointNumber()),
      processed: chain.state.processed(),
      checkpointSync: chain.state.syncPoint("checkpoint-sync"),
      messageSync: chain.state.syncPoint("message-sync"),
      latest: { checkpoint: chain.latestCheckpointNumber(), block: chain.latestBlockNumber() },
    };
  }
}

function publicationOf({ l1, attestations, feeAssetPriceModifier }: CheckpointRecord) {
  return { l1, attestations, feeAssetPriceModifier };
}

function proposedFrame({ hash: _, txCount: __, ...block }: BlockRecord, body: Uint8Array): Frame {
  return { kind: "proposed", ...block, body };
}

/** A checkpoint's blob words without the zeros after the end marker. */
function wordsOf(chain: ChainStore, checkpoint: CheckpointRecord): Uint8Array {
  const blocks = [];
  for (let number = checkpoint.startBlock; number <= lastBlockOf(checkpoint); number++) {
    const { header, txCount } = chain.block(number)!;
    blocks.push({ header, txCount, body: chain.blockBody(number)! });
  }
  const blobs = writeCheckpointBlobs(blocks);
  let end = blobs.length;
  while (end >= 32 && blobs.subarray(end - 32, end).every((byte) => byte === 0)) end -= 32;
  return blobs.subarray(0, end);
}
