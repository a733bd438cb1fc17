import {
  type AdoptedTips,
  CheckpointCommitter,
  type CommittableCheckpoint,
} from "../../archiver/commit-checkpoints.ts";
import { contractEvents } from "../../archiver/contract-events.ts";
import { MessageOrderError, NonSequentialCheckpointError, ProposedBlockRefusedError } from "../../archiver/errors.ts";
import { insertMessages, messagesOfCheckpoint, removeMessagesAfter } from "../../archiver/message-chain.ts";
import { addProposedBlock, pruneProposed } from "../../archiver/proposed-blocks.ts";
import { proposedWords } from "../../archiver/proposed-words.ts";
import { applyProven, settleWorldState } from "../../archiver/sync-finality.ts";
import type { ApplyServices } from "../../archiver/sync-services.ts";
import { readingPointOf, unwindChain, unwindProposed } from "../../archiver/unwind-chain.ts";
import { checkContinuation } from "../../archiver/validate-checkpoint.ts";
import type { Core } from "../../core/core.ts";
import { blockHash } from "../../core/derive/block-hash.ts";
import { ContentError } from "../../errors/content-error.ts";
import type { InboxMessage } from "../../l1/types.ts";
import { equal, toHex } from "../../protocol/bytes.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import { BYTES_PER_BLOB, TREE_NAMES } from "../../protocol/constants.ts";
import { messageCheckpoint, nextRollingHash } from "../../protocol/l1-to-l2-message.ts";
import { epochOfSlot } from "../../protocol/time.ts";
import { readTxEffects } from "../../protocol/tx-effect.ts";
import { StateMismatchError } from "../../world-state/errors.ts";
import type { CheckpointFrame, Frame, Marks } from "../format/frames.ts";
import { type Difference, UpstreamLieError } from "./errors.ts";
import { ProposedHeaders } from "./proposed-headers.ts";

type FrameOf<K extends Frame["kind"]> = Extract<Frame, { kind: K }>;

/**
 * Applies the frames of one upstream to the store, through the code that applies what is read from L1. Every frame is
 * checked against the stored chain before a row is written; one that does not fit ends in an UpstreamLieError.
 */
export class FrameApplier {
  readonly #services: ApplyServices;
  readonly #core: Core;
  readonly #upstream: string;
  readonly #headers: ProposedHeaders;

  constructor(services: ApplyServices, core: Core, upstream: string) {
    this.#headers = new ProposedHeaders(core, services.chain);
    this.#services = services;
    this.#core = core;
    this.#upstream = upstream;
  }

  async apply(frame: Exclude<Frame, { kind: "hello" | "ping" | "end" }>): Promise<void> {
    switch (frame.kind) {
      case "messages":
        return this.#addMessages(frame);
      case "checkpoints":
        return this.#addCheckpoints(frame);
      case "proposed":
        return this.#addProposed(frame);
      case "unwind":
        return this.#services.exclusive(async () => this.#unwind(frame));
      case "republished":
        return this.#republish(frame);
      case "marks":
        return this.#services.exclusive(async () => this.#adopt(frame));
    }
  }

  #lie(difference: Difference, cause?: unknown): UpstreamLieError {
    return new UpstreamLieError(this.#upstream, difference, { cause });
  }

  #require(holds: boolean, difference: () => Difference): void {
    if (!holds) throw this.#lie(difference());
  }

  /** Turns a broken rule of the protocol into the field that the upstream is wrong about. */
  #blame(subject: string, error: unknown): unknown {
    if (error instanceof StateMismatchError) {
      const { block, tree, expected, got } = error;
      // The error's expectation is what the upstream says; what the block gave is right.
      return this.#lie({ field: `${TREE_NAMES[tree]} after block ${block}`, expected: got, got: expected }, error);
    }
    const broken =
      error instanceof ContentError ||
      error instanceof MessageOrderError ||
      error instanceof NonSequentialCheckpointError ||
      error instanceof ProposedBlockRefusedError;
    return broken ? this.#lie({ field: subject, expected: "as the protocol says", got: error.message }, error) : error;
  }

  #addMessages({ messages: given, rollingHash }: FrameOf<"messages">): void {
    const { chain, store, emit } = this.#services;
    const last = chain.messages.last();
    let rolling: Uint8Array = last?.rollingHash ?? new Uint8Array(16);
    const messages = given.map(({ index, leaf, l1BlockNumber, l1BlockHash }): InboxMessage => {
      rolling = nextRollingHash(rolling, leaf);
      return {
        checkpointNumber: messageCheckpoint(index),
        index,
        leaf,
        rollingHash: rolling,
        l1BlockNumber,
        l1BlockHash,
      };
    });
    this.#require(equal(rolling, rollingHash), () => ({
      field: `rolling hash of message ${given.at(-1)?.index ?? last?.index ?? "none"}`,
      expected: toHex(rolling),
      got: toHex(rollingHash),
    }));
    const began = performance.now();
    try {
      store.transaction(() => insertMessages(chain.messages, messages));
    } catch (error) {
      throw this.#blame("messages", error);
    }
    emit("messagesAdded", { count: messages.length, ms: performance.now() - began });
  }

  async #addCheckpoints({ checkpoints }: FrameOf<"checkpoints">): Promise<void> {
    const rebuilt = checkpoints.map((one) => this.#rebuild(one));
    for (const pending of rebuilt) pending.catch(() => {});
    const batch: CommittableCheckpoint[] = [];
    let failure: unknown;
    try {
      for (const [i, given] of checkpoints.entries()) batch.push(this.#continued(given, await rebuilt[i], batch));
    } catch (error) {
      failure = error;
    }
    // What is right before the first wrong one is kept.
    if (batch.length > 0) await this.#commit(batch);
    if (failure !== undefined) throw failure;
  }

  /** Commits checkpoints together, or, if one of them is wrong, those before it. */
  async #commit(batch: CommittableCheckpoint[]): Promise<void> {
    const { chain } = this.#services;
    const committer = new CheckpointCommitter(this.#services, this.#tips(batch));
    try {
      await committer.commit(batch);
    } catch (error) {
      if (!(error instanceof ContentError)) throw error;
      for (const one of batch) {
        const { checkpointNumber } = one.checkpoint;
        if (checkpointNumber <= chain.latestCheckpointNumber()) continue;
        await committer.commit([one]).catch((cause: unknown) => {
          throw this.#blame(`checkpoint ${checkpointNumber}`, cause);
        });
      }
    }
  }

  /** Marks stay as they are until they are told. */
  #tips(batch: CommittableCheckpoint[]): AdoptedTips {
    const { chain, reader } = this.#services;
    const proven = chain.provenCheckpointNumber();
    return {
      provenCheckpointNumber: proven,
      provenArchive: chain.checkpoint(proven)?.archiveRoot ?? reader.identity.genesisArchiveRoot,
      pendingCheckpointNumber: batch.at(-1)?.checkpoint.checkpointNumber ?? 0,
    };
  }

  async #rebuild(given: CheckpointFrame) {
    const { chain, rebuild, reader } = this.#services;
    const { number, header, archiveRoot } = given;
    const { checkpointBytes } = chain.generation.headers;
    this.#require(header.length === checkpointBytes, () => ({
      field: `length of the header of checkpoint ${number}`,
      expected: `${checkpointBytes} bytes`,
      got: `${header.length} bytes`,
    }));
    const blobs =
      given.words === undefined ? proposedWords(chain, { checkpointNumber: number, archiveRoot }) : padded(given.words);
    this.#require(blobs !== undefined, () => ({
      field: `blocks of checkpoint ${number}`,
      expected: "sent, or proposed blocks of this node",
      got: "neither",
    }));
    const { l1ChainId, rollupVersion, constants } = reader.identity;
    const { rollupManaLimit } = constants;
    try {
      return await rebuild({
        ...{ checkpointNumber: number, header, archiveRoot, blobs: blobs!, versionedBlobHashes: undefined },
        ...{ l1ChainId, rollupVersion, rollupManaLimit },
      });
    } catch (error) {
      throw this.#blame(`checkpoint ${number}`, error);
    }
  }

  #continued(
    given: CheckpointFrame,
    checkpoint: CommittableCheckpoint["checkpoint"],
    batch: CommittableCheckpoint[],
  ): CommittableCheckpoint {
    const { chain, reader } = this.#services;
    const { genesisArchiveRoot, constants } = reader.identity;
    const before = batch.at(-1)?.checkpoint;
    const expected = (before?.checkpointNumber ?? chain.latestCheckpointNumber()) + 1;
    this.#require(given.number === expected, () => ({
      field: "number of the next checkpoint",
      expected: String(expected),
      got: String(given.number),
    }));
    const last = before?.blocks.at(-1)?.record ?? chain.block(chain.checkpointedBlockNumber())!;
    const epochOf = (header: Uint8Array) => epochOfSlot(checkpointSlot(header), constants);
    const epoch = epochOf(given.header);
    const outHashes = [
      ...chain.checkpointsOfEpoch(epoch).map(({ outHash }) => outHash),
      ...batch.filter((one) => epochOf(one.checkpoint.header) === epoch).map((one) => one.checkpoint.outHash),
    ];
    const messages = messagesOfCheckpoint(chain.messages, given.number);
    const end = { blockNumber: last.number, archiveRoot: last.number === 0 ? genesisArchiveRoot : last.archiveRoot };
    try {
      checkContinuation(checkpoint, end, messages, outHashes);
    } catch (error) {
      throw this.#blame(`checkpoint ${given.number}`, error);
    }
    return { proposal: given, checkpoint, messages };
  }

  async #addProposed(given: FrameOf<"proposed">): Promise<void> {
    const { exclusive } = this.#services;
    const { kind: _, body, ...stated } = given;
    const subject = `proposed block ${given.number}`;
    try {
      const txs = readTxEffects(body);
      const record = { ...stated, hash: blockHash(this.#core, given.header), txCount: txs.length };
      const { contracts } = this.#services.chain.generation;
      const block = { record, body, txs, contractEvents: contractEvents(txs, this.#core, contracts) };
      const difference = this.#headers.difference(block);
      if (difference !== undefined) throw this.#lie(difference);
      await exclusive(() => addProposedBlock(this.#services, block));
    } catch (error) {
      throw this.#blame(subject, error);
    }
  }

  #unwind({ what, keep, next }: FrameOf<"unwind">): void {
    const { chain, store, worldState } = this.#services;
    if (what === "messages") {
      store.transaction(() => removeMessagesAfter(chain.messages, keep));
      return;
    }
    if (what === "proposed") {
      const checkpointed = chain.checkpointedBlockNumber();
      this.#require(keep >= checkpointed, () => ({
        field: "proposed block to go back to",
        expected: `${checkpointed} or later`,
        got: String(keep),
      }));
      if (keep < chain.latestBlockNumber()) unwindProposed(this.#services, keep, "replaced");
      return;
    }
    if (keep >= chain.latestCheckpointNumber()) return;
    const finalized = Math.max(chain.finalizedBlockNumber(), worldState.status().finalized);
    this.#require(chain.lastBlockOfCheckpoint(keep) >= finalized, () => ({
      field: `archive of checkpoint ${keep + 1}, which is finalized`,
      expected: toHex(chain.checkpoint(keep + 1)!.archiveRoot),
      got: next === undefined ? "none" : toHex(next),
    }));
    unwindChain(this.#services, keep, "l1-reorg", readingPointOf(this.#services, keep));
  }

  #republish({ number, archiveRoot, ...publication }: FrameOf<"republished">): void {
    const { chain, store } = this.#services;
    const known = chain.checkpoint(number);
    this.#require(known !== undefined && equal(known.archiveRoot, archiveRoot), () => ({
      field: `archive of checkpoint ${number}`,
      expected: known === undefined ? "none" : toHex(known.archiveRoot),
      got: toHex(archiveRoot),
    }));
    const { l1, attestations, feeAssetPriceModifier } = publication;
    store.transaction(() => chain.republishCheckpoint(number, { l1, attestations, feeAssetPriceModifier }));
  }

  #adopt(marks: Marks): void {
    const services = this.#services;
    const { chain, store, emit } = services;
    const { proven, finalized, processed, checkpointSync, messageSync } = marks;
    this.#checkMark("proven", proven);
    this.#checkMark("finalized", finalized);
    this.#require(finalized.checkpoint <= proven.checkpoint, () => ({
      field: "finalized checkpoint",
      expected: `at most the proven one, ${proven.checkpoint}`,
      got: String(finalized.checkpoint),
    }));
    const finalizedBefore = chain.finalizedCheckpointNumber();
    this.#require(proven.checkpoint >= finalizedBefore, () => ({
      field: "proven checkpoint",
      expected: `at least the finalized one, ${finalizedBefore}`,
      got: String(proven.checkpoint),
    }));
    // An upstream whose L1 endpoint cannot tell the finalized checkpoint does not lower it.
    const finalizedNow = Math.max(finalized.checkpoint, finalizedBefore);
    const announced = store.transaction(() => {
      if (checkpointSync !== undefined) chain.state.putSyncPoint("checkpoint-sync", checkpointSync);
      if (messageSync !== undefined) chain.state.putSyncPoint("message-sync", messageSync);
      if (processed !== undefined) chain.state.putProcessed(processed);
      const provenArchive = proven.archiveRoot;
      const adopted = applyProven(services, { provenCheckpointNumber: proven.checkpoint, provenArchive });
      chain.state.putCheckpoint("finalized", finalizedNow);
      settleWorldState(services);
      return adopted;
    });
    if (announced !== undefined) emit("proven", announced);
    if (finalizedNow !== finalizedBefore) emit("finalized", { blockNumber: chain.finalizedBlockNumber() });
    if (processed !== undefined) pruneProposed(services, processed);
  }

  #checkMark(name: "proven" | "finalized", mark: Marks["proven"]): void {
    const { chain, reader } = this.#services;
    const { checkpoint, archiveRoot } = mark;
    const own = checkpoint === 0 ? reader.identity.genesisArchiveRoot : chain.checkpoint(checkpoint)?.archiveRoot;
    this.#require(own !== undefined, () => ({
      field: `${name} checkpoint`,
      expected: `at most the latest one, ${chain.latestCheckpointNumber()}`,
      got: String(checkpoint),
    }));
    this.#require(equal(own!, archiveRoot), () => ({
      field: `archive of the ${name} checkpoint ${checkpoint}`,
      expected: toHex(own!),
      got: toHex(archiveRoot),
    }));
  }
}

/** Words of blobs with the zeros that follow them. */
function padded(words: Uint8Array): Uint8Array {
  const blobs = new Uint8Array(Math.max(1, Math.ceil(words.length / BYTES_PER_BLOB)) * BYTES_PER_BLOB);
  blobs.set(words);
  return blobs;
}
