import { setImmediate } from "node:timers/promises";
import { contractEvents } from "../archiver/contract-events.ts";
import type { BlobSponge } from "../core/core.ts";
import { blockHash } from "../core/derive/block-hash.ts";
import { BlockState } from "../execution/block-state.ts";
import type { ExecutedTx, HashedTx } from "../execution/executed-tx.ts";
import { globalsOfHeader } from "../execution/globals.ts";
import { phaseRevertCode } from "../execution/phase-revert-code.ts";
import { type ProcessedTxs, processTxs } from "../execution/process-txs.ts";
import { type BlockHeader, HEADER_AT } from "../protocol/block-header.ts";
import { concat, equal } from "../protocol/bytes.ts";
import { blockWords } from "../protocol/checkpoint-blob-writer.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  L1_TO_L2_MESSAGES_PER_CHECKPOINT,
  MAX_BLOCKS_PER_CHECKPOINT,
} from "../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../protocol/field.ts";
import { firstMessageIndex } from "../protocol/l1-to-l2-message.ts";
import { type TxEffect, withRevertCode } from "../protocol/tx-effect.ts";
import { blockRoom } from "./block-room.ts";
import { checkCheckpoint } from "./checkpoint-rules.ts";
import type {
  BlockLimits,
  BlockOutcome,
  BuildServices,
  CheckpointTerms,
  CompletedCheckpoint,
  ProposedBlock,
} from "./checkpoint-terms.ts";
import { completeCheckpoint } from "./complete-checkpoint.ts";
import { type BlockTrees, composeBlockHeader, sharedHeader } from "./compose-block-header.ts";
import { CheckpointBuildError, EmptyBlockError } from "./errors.ts";

/**
 * Builds the blocks of one checkpoint in order on a fork of the world state. Nothing is written to the store. It yields
 * to the event loop between txs.
 */
export class CheckpointBuilder {
  readonly #services: BuildServices;
  readonly #terms: CheckpointTerms;
  readonly #messages: Fr[];
  readonly #previousOutHashes: readonly Fr[];
  readonly #state: BlockState;
  readonly #shared: BlockHeader;
  /** Over the blob words of the blocks so far. */
  #sponge: BlobSponge;
  readonly #blocks: ProposedBlock[] = [];
  /** Set once no further block can be built. */
  #ended: CheckpointBuildError | undefined;
  #building = false;

  private constructor(
    services: BuildServices,
    terms: CheckpointTerms,
    { messages, previousOutHashes, isBegun }: { messages: Fr[]; previousOutHashes: Fr[]; isBegun: boolean },
  ) {
    const { core, world, contracts, siloing } = services;
    const { checkpointNumber, parentBlock } = terms;
    this.#services = services;
    this.#terms = terms;
    this.#messages = messages;
    this.#previousOutHashes = previousOutHashes;
    this.#shared = sharedHeader(terms);
    this.#sponge = core.blobSponge();
    const fork = world.fork(parentBlock);
    const before = fork.size(L1_TO_L2_MESSAGE_TREE);
    const expected = firstMessageIndex(isBegun ? checkpointNumber + 1 : checkpointNumber);
    if (before !== expected || messages.length > L1_TO_L2_MESSAGES_PER_CHECKPOINT) {
      throw new CheckpointBuildError(
        checkpointNumber,
        `checkpoint ${checkpointNumber} must bring its ${L1_TO_L2_MESSAGES_PER_CHECKPOINT} messages at most to a tree of ${expected}, got ${messages.length} to a tree of ${before}`,
      );
    }
    if (!isBegun) fork.append(L1_TO_L2_MESSAGE_TREE, messages, L1_TO_L2_MESSAGES_PER_CHECKPOINT);
    this.#state = new BlockState({ core, fork, globals: globalsOfHeader(this.#shared), contracts, siloing });
  }

  /**
   * Forks the world state and appends the checkpoint's L1-to-L2 messages to it
   * (docs/protocol/08-building-and-checkpoints.md#88-beginning-a-checkpoint). `previousOutHashes` are the out hashes of
   * the epoch's earlier checkpoints, one for each checkpoint alone. Rejects with a CheckpointBuildError when the parent
   * block does not end the preceding checkpoint, and with a WorldStateError when the state cannot be forked.
   */
  static async start(
    services: BuildServices,
    terms: CheckpointTerms,
    messages: Fr[],
    previousOutHashes: Fr[],
  ): Promise<CheckpointBuilder> {
    return new CheckpointBuilder(services, terms, { messages, previousOutHashes, isBegun: false });
  }

  /**
   * Continues a checkpoint whose first blocks, `earlier`, are stored; `terms.parentBlock` is the last of them. Rejects
   * like `start`.
   */
  static async resume(
    services: BuildServices,
    terms: CheckpointTerms,
    earlier: readonly ProposedBlock[],
    messages: Fr[],
    previousOutHashes: Fr[],
  ): Promise<CheckpointBuilder> {
    const builder = new CheckpointBuilder(services, terms, { messages, previousOutHashes, isBegun: true });
    for (const block of earlier) {
      const { record, body, txs } = block;
      builder.#sponge = await builder.#absorb({ header: record.header, body, txs });
      builder.#blocks.push(block);
    }
    return builder;
  }

  /** State before the next tx, for reading only. */
  get state(): BlockState {
    return this.#state;
  }

  /** Blocks built so far. */
  get blocks(): readonly ProposedBlock[] {
    return this.#blocks;
  }

  /**
   * Builds the next block from the txs, in their order (docs/protocol/08-building-and-checkpoints.md#89-building-loop,
   * docs/protocol/08-building-and-checkpoints.md#811-choosing-transactions and
   * docs/protocol/08-building-and-checkpoints.md#812-closing-a-block). With too few valid txs there is no block and the
   * state is unchanged. After an EmptyBlockError building can continue. After a CheckpointBuildError it cannot, because
   * the fork is closed or the state under it is gone; the blocks built before can still be completed.
   */
  async buildBlock(txs: readonly HashedTx[], limits: BlockLimits): Promise<BlockOutcome> {
    this.#requireOpen();
    this.#building = true;
    try {
      return await this.#build(txs, limits);
    } catch (error) {
      if (error instanceof EmptyBlockError) throw error;
      const { checkpointNumber } = this.#terms;
      const reason = error instanceof Error ? error.message : String(error);
      this.#ended ??= new CheckpointBuildError(
        checkpointNumber,
        `building block ${this.#blocks.length} of checkpoint ${checkpointNumber} failed: ${reason}`,
        { cause: error },
      );
      throw this.#ended;
    } finally {
      this.#building = false;
    }
  }

  #requireOpen(): void {
    if (this.#ended !== undefined) throw this.#ended;
    const { checkpointNumber } = this.#terms;
    if (this.#building) throw new CheckpointBuildError(checkpointNumber, "a block of the checkpoint is being built");
    if (this.#blocks.length === MAX_BLOCKS_PER_CHECKPOINT) {
      throw new CheckpointBuildError(
        checkpointNumber,
        `a checkpoint takes at most ${MAX_BLOCKS_PER_CHECKPOINT} blocks`,
      );
    }
  }

  async #build(txs: readonly HashedTx[], limits: BlockLimits): Promise<BlockOutcome> {
    const {
      mode = "build",
      minValidTxs = 1,
      deadline,
      interrupted,
      maxTxMilliseconds,
      recordCalls,
      validate,
      proposedSpongeHash,
    } = limits;
    // The archive has a leaf for each block, genesis first.
    const number = this.#state.fork.size(ARCHIVE);
    this.#state.beginBlock(number);
    const frame = this.#state.openFrame();
    const result = await processTxs(this.#services.vm, this.#state, txs, {
      mode,
      ...blockRoom(limits, this.#blocks, this.#terms.limits),
      deadline,
      interrupted,
      maxTxMilliseconds,
      recordCalls,
      record: this.#services.record,
      validate,
    });
    if (result.stopped?.why === "state") throw result.stopped.cause;
    if (result.processed.length < minValidTxs) {
      frame.undo();
      return result;
    }
    if (result.processed.length === 0 && this.#blocks.length > 0) {
      frame.undo();
      throw new EmptyBlockError(number);
    }
    const block = await this.#seal(number, result, proposedSpongeHash);
    frame.keep();
    this.#blocks.push(block);
    return { ...result, block };
  }

  /**
   * Makes the block's header and record from the state after its txs
   * (docs/protocol/08-building-and-checkpoints.md#812-closing-a-block).
   */
  async #seal(
    number: number,
    { processed }: ProcessedTxs,
    proposedSpongeHash: Uint8Array | undefined,
  ): Promise<ProposedBlock> {
    const { core, generation } = this.#services;
    const { fork } = this.#state;
    const header = composeBlockHeader(this.#shared, await this.#trees(), {
      blockNumber: number,
      totalFees: processed.reduce((sum, { effect }) => core.field.add(sum, effect.transactionFee), FR_ZERO),
      totalMana: processed.reduce((sum, { gasUsed }) => sum + gasUsed.billedGas.l2Gas, 0),
    });
    const { txs, body, sponge } = await this.#encode(header, processed, proposedSpongeHash);
    this.#sponge = sponge;
    header.set(sponge.squeeze(), HEADER_AT.spongeBlobHash);
    const hash = blockHash(core, header);
    fork.append(ARCHIVE, [hash]);
    return {
      record: {
        number,
        hash,
        header,
        archiveRoot: fork.snapshot(ARCHIVE).root,
        checkpointNumber: this.#terms.checkpointNumber,
        indexWithinCheckpoint: this.#blocks.length,
        txCount: txs.length,
      },
      body,
      txs,
      contractEvents: contractEvents(txs, core, generation.contracts),
    };
  }

  /**
   * The words of a block's txs, with the release's revert codes unless the proposer's hash takes those of earlier
   * releases. Nothing else of a block depends on them.
   */
  async #encode(header: BlockHeader, processed: readonly ExecutedTx[], proposed: Uint8Array | undefined) {
    const encoded = async (txs: TxEffect[]) => {
      const body = concat(...txs.map(({ words }) => words));
      return { txs, body, sponge: await this.#absorb({ header, body, txs }) };
    };
    const release = await encoded(processed.map(({ effect }) => effect));
    if (proposed === undefined || equal(release.sponge.squeeze(), proposed)) return release;
    if (processed.every((tx) => phaseRevertCode(tx) === tx.effect.revertCode)) return release;
    const earlier = await encoded(processed.map((tx) => withRevertCode(tx.effect, phaseRevertCode(tx))));
    return equal(earlier.sponge.squeeze(), proposed) ? earlier : release;
  }

  /**
   * A sponge over the checkpoint's blob words up to the end of a block that follows the blocks so far. It yields to the
   * event loop after each tx.
   */
  async #absorb({
    header,
    body,
    txs,
  }: {
    header: BlockHeader;
    body: Uint8Array;
    txs: TxEffect[];
  }): Promise<BlobSponge> {
    const sponge = this.#sponge.clone();
    for (const { words } of txs) {
      sponge.absorb(words);
      await setImmediate();
    }
    const words = blockWords({ header, body, txCount: txs.length }, this.#blocks.length === 0);
    sponge.absorb(words.subarray(body.length));
    return sponge;
  }

  /** Computes the roots of the trees. It yields to the event loop before each tree. */
  async #trees(): Promise<BlockTrees> {
    const { fork } = this.#state;
    const next = async (tree: keyof BlockTrees) => {
      await setImmediate();
      return fork.snapshot(tree);
    };
    return { 0: await next(0), 1: await next(1), 2: await next(2), 3: await next(3), 4: await next(4) };
  }

  /**
   * Makes the checkpoint from the blocks built so far and checks it by the validators' rules
   * (docs/protocol/08-building-and-checkpoints.md#813-completing-a-checkpoint and
   * docs/protocol/08-building-and-checkpoints.md#814-rules-of-a-checkpoint). Rejects with a CheckpointBuildError if
   * there are no blocks, a CheckpointRuleError, or a KzgUnavailableError.
   */
  async complete(): Promise<CompletedCheckpoint> {
    const { checkpointNumber, limits } = this.#terms;
    if (this.#blocks.length === 0) {
      throw new CheckpointBuildError(checkpointNumber, "Cannot complete a checkpoint with no blocks");
    }
    const completed = await completeCheckpoint(
      {
        checkpointNumber,
        blocks: [...this.#blocks],
        messages: this.#messages,
        previousOutHashes: this.#previousOutHashes,
      },
      this.#services,
    );
    checkCheckpoint(completed, limits);
    return completed;
  }

  /** Drops the fork. A block in progress is aborted; the blocks already built can still be completed. */
  close(): void {
    const { checkpointNumber } = this.#terms;
    this.#ended ??= new CheckpointBuildError(checkpointNumber, `building of checkpoint ${checkpointNumber} is closed`);
    this.#state.fork.invalidate();
  }
}
