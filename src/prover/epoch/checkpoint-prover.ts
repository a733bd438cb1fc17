import { setImmediate } from "node:timers/promises";
import { blockHash } from "../../core/derive/block-hash.ts";
import { headerBlockNumber } from "../../protocol/block-header.ts";
import { concat, equal } from "../../protocol/bytes.ts";
import { type BlockContents, blockWords } from "../../protocol/checkpoint-blob-writer.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  L1_TO_L2_MESSAGES_PER_CHECKPOINT,
  MAX_BLOCKS_PER_CHECKPOINT,
} from "../../protocol/constants.ts";
import { items } from "../../protocol/tx-effect.ts";
import type { Fork } from "../../world-state/fork.ts";
import { ConstraintError, requireEqual } from "../circuits/layouts/constraint-error.ts";
import type { ProofData } from "../circuits/layouts/proof-data.ts";
import type { BlockConstants, BlockRollup, TxRollup } from "../circuits/layouts/rollups.ts";
import { BlockHeader, Snapshot, type SpongeBlob, State } from "../circuits/layouts/values.ts";
import { absorb, initialSponge, squeeze } from "../circuits/sponge.ts";
import { decode } from "../codec/codec.ts";
import type { BeforeCheckpoint } from "./before-checkpoint.ts";
import { proveBlock } from "./block-jobs.ts";
import { type EndedCheckpoint, endCheckpoint } from "./ended-checkpoint.ts";
import type { EpochContext } from "./epoch-context.ts";
import type { Proven } from "./epoch-jobs.ts";
import type { BlockToProve, CheckpointEnd, CheckpointStart } from "./epoch-types.ts";
import { EpochProvingError, provingError } from "./errors.ts";
import { proverIdField } from "./prover-id.ts";
import { messageSubtreePath, newArchivePath, stateOf, treeSnapshot } from "./tree-hints.ts";
import { proveTx } from "./tx-jobs.ts";

/** Proves the blocks of one checkpoint, as they become known. */
export class CheckpointProver {
  readonly number: number;
  readonly #context: EpochContext;
  readonly #fork: Fork;
  readonly #before: BeforeCheckpoint;
  readonly #parity: Proven<"PARITY_ROOT">;
  readonly #controller = new AbortController();
  readonly #l1ToL2MessageTree: Snapshot;
  readonly #blocks: (BlockContents & { messages: Uint8Array[][] })[] = [];
  readonly #proofs: Promise<ProofData<BlockRollup>>[] = [];
  #sponge: SpongeBlob = initialSponge();
  #adding = false;
  #ended: EndedCheckpoint | undefined;

  /** Throws a ConstraintError if the fork is not the state after `previousHeader`. */
  constructor(context: EpochContext, parity: Proven<"PARITY_ROOT">, start: CheckpointStart) {
    const { number, previousHeader, messages, fork } = start;
    this.number = number;
    this.#context = context;
    this.#fork = fork;
    this.#parity = parity;
    const archive = treeSnapshot(fork, ARCHIVE);
    const last = archive.nextAvailableLeafIndex - 1;
    const state = stateOf(fork);
    const header = decode(BlockHeader, "previousHeader", previousHeader);
    requireEqual(State, state, header.state, "fork", "the state of previousHeader");
    if (!equal(fork.leafAt(ARCHIVE, last), blockHash(context.core, previousHeader))) {
      throw new ConstraintError("fork", "its archive must end with the hash of previousHeader");
    }
    this.#before = {
      header: previousHeader,
      archive,
      archivePath: fork.siblingPath(ARCHIVE, last),
      state,
      messageSubtreePath: messageSubtreePath(fork),
    };
    fork.append(L1_TO_L2_MESSAGE_TREE, [...messages], L1_TO_L2_MESSAGES_PER_CHECKPOINT);
    this.#l1ToL2MessageTree = treeSnapshot(fork, L1_TO_L2_MESSAGE_TREE);
  }

  /** The checkpoint once `end` was called. */
  get ended(): EndedCheckpoint | undefined {
    return this.#ended;
  }

  /** Resolves once no job of the blocks that were added is under way any more. */
  async blocksSettled(): Promise<void> {
    await Promise.allSettled(this.#ended?.halves ?? this.#proofs);
  }

  /** Cancels the checkpoint's jobs. */
  drop(reason: Error): void {
    this.#controller.abort(reason);
  }

  /**
   * Makes the hints of the next block and hands out its jobs; resolves before they are proven. It yields to the event
   * loop between transactions. Rejects with an EpochProvingError for a block that contradicts itself or the state, or
   * if the fork is gone; then the checkpoint can only be dropped.
   */
  async addBlock(block: BlockToProve): Promise<void> {
    const { terms } = this.#context;
    this.#requireKept();
    if (this.#adding || this.#ended !== undefined || this.#blocks.length === MAX_BLOCKS_PER_CHECKPOINT) {
      throw new EpochProvingError(terms.epoch, `checkpoint ${this.number} takes no further block now`);
    }
    this.#adding = true;
    // One may fail before its turn; then its turn says so.
    for (const { publicPart } of block.txs) publicPart?.catch(() => undefined);
    try {
      await this.#add(block);
    } catch (error) {
      throw this.#breakOff(error);
    } finally {
      this.#adding = false;
    }
  }

  async #add({ header: bytes, archiveRoot, txs }: BlockToProve): Promise<void> {
    const { core, terms } = this.#context;
    const subject = `block ${headerBlockNumber(bytes)}`;
    const { signal } = this.#controller;
    const header = decode(BlockHeader, subject, bytes);
    const isFirst = this.#blocks.length === 0;
    if (txs.length === 0 && !isFirst) throw new ConstraintError(`${subject}.txs`, "must not be empty");
    const lastArchive = treeSnapshot(this.#fork, ARCHIVE);
    requireEqual(Snapshot, header.lastArchive, lastArchive, `${subject}.lastArchive`, "the archive before the block");
    const constants: BlockConstants = {
      lastArchive,
      l1ToL2MessageTree: this.#l1ToL2MessageTree,
      vkTreeRoot: terms.vkTreeRoot,
      protocolContractsHash: terms.protocolContractsHash,
      globalVariables: header.globalVariables,
      proverId: proverIdField(terms),
    };
    const archivePath = newArchivePath(this.#fork);
    const startSponge = this.#sponge;
    const proofs: Promise<ProofData<TxRollup>>[] = [];
    for (const tx of txs) {
      await setImmediate();
      this.#requireKept();
      const place = { constants, startSponge: this.#sponge, fork: this.#fork, signal };
      const { proof, endSponge } = proveTx(this.#context, tx, place);
      this.#sponge = endSponge;
      proofs.push(proof);
    }
    requireEqual(State, header.state, stateOf(this.#fork), `${subject}.state`, "the trees after its transactions");
    const effects = txs.map(({ effect }) => effect);
    const contents = { header: bytes, body: concat(...effects.map(({ words }) => words)), txCount: txs.length };
    this.#sponge = absorb(core, this.#sponge, blockWords({ ...contents, body: new Uint8Array() }, isFirst));
    if (!equal(squeeze(core, this.#sponge), header.spongeBlobHash)) {
      throw new ConstraintError(`${subject}.spongeBlobHash`, "must be the hash of its effects");
    }
    const hash = blockHash(core, bytes);
    this.#fork.append(ARCHIVE, [hash]);
    const newArchive = treeSnapshot(this.#fork, ARCHIVE);
    if (!equal(newArchive.root, archiveRoot)) {
      throw new ConstraintError(`${subject}.archiveRoot`, "must be that of the archive after the block");
    }
    this.#blocks.push({ ...contents, messages: effects.map(({ l2ToL1Msgs }) => items(l2ToL1Msgs)) });
    const first = isFirst ? { parity: this.#parity, before: this.#before } : undefined;
    const expected = { hash, newArchive, startSponge, endSponge: this.#sponge };
    this.#proofs.push(proveBlock(this.#context, { proofs, constants, archivePath, first, expected, signal }));
  }

  /** Throws if the epoch has failed or the checkpoint was dropped. */
  #requireKept(): void {
    this.#context.jobs.signal.throwIfAborted();
    this.#controller.signal.throwIfAborted();
  }

  /** Cancels the checkpoint's jobs after an error, unless it has ended already. Returns why it has ended. */
  #breakOff(cause: unknown): unknown {
    const { jobs, terms } = this.#context;
    if (jobs.signal.aborted) return jobs.signal.reason;
    this.drop(provingError(terms.epoch, cause));
    return this.#controller.signal.reason;
  }

  /**
   * Closes the checkpoint. Throws an EpochProvingError if it has no blocks or its blobs are not those of its header;
   * then it can only be dropped.
   */
  end(end: CheckpointEnd): void {
    const { terms } = this.#context;
    this.#requireKept();
    if (this.#adding || this.#ended !== undefined || this.#blocks.length === 0) {
      throw new EpochProvingError(terms.epoch, `checkpoint ${this.number} cannot end now`);
    }
    try {
      this.#ended = endCheckpoint(this.#context, {
        number: this.number,
        end,
        before: this.#before,
        blocks: this.#blocks,
        sponge: this.#sponge,
        proofs: this.#proofs,
        signal: this.#controller.signal,
      });
    } catch (error) {
      throw this.#breakOff(error);
    }
  }
}
