import type { ChainStore } from "../../archiver/chain-store.ts";
import type { BlockRecord, CheckpointRecord } from "../../archiver/tables/records.ts";
import type { HashedTx } from "../../execution/executed-tx.ts";
import { firstMessageIndex } from "../../protocol/l1-to-l2-message.ts";
import { isForPublic } from "../../protocol/tx/accumulated-data.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import type { WorldState } from "../../world-state/world-state.ts";
import type { EpochProver } from "../epoch/epoch-prover.ts";
import type { TxToProve } from "../epoch/epoch-types.ts";
import { ProvingRefusedError, TxsMissingError } from "./errors.ts";
import type { PostedCheckpoint } from "./posted-checkpoints.ts";
import type { CheckpointToExecute } from "./reexecution.ts";
import type { ReexecutedTx } from "./reexecution-pool.ts";
import { requireSameEffect } from "./same-effect.ts";

export type EpochInProof = Pick<EpochProver, "startCheckpoint" | "dropFrom" | "prove" | "abort" | "signal">;

/** A block whose transactions are wanted. */
interface MinedBlockTxs {
  readonly number: number;
  readonly hashes: readonly Uint8Array[];
  /** Archive root after the block. */
  readonly archive: Uint8Array;
}

/** Finds transactions of mined blocks, wherever they are. */
export interface MinedTxs {
  /** Looks for the transactions until all are there or `signal` is aborted. Returns those found, in order. */
  get(block: MinedBlockTxs, signal: AbortSignal): Promise<{ txs: HashedTx[]; missing: Uint8Array[] }>;
}

interface PreparationParts {
  readonly chain: Pick<ChainStore, "block" | "txEffects" | "messages">;
  readonly world: Pick<WorldState, "fork">;
  readonly txs: MinedTxs;
  /** Longest search for the transactions of a checkpoint. */
  readonly txTimeoutMs: number;
  readonly posted: { read(checkpoint: CheckpointRecord): Promise<Pick<PostedCheckpoint, "commitments">> };
  /** Executes the transactions of a checkpoint again. Returns them by block. */
  readonly execute: (checkpoint: CheckpointToExecute, signal: AbortSignal) => Promise<readonly ReexecutedTx[][]>;
}

/** A block with its transactions and their effects. */
interface GatheredBlock {
  readonly block: BlockRecord;
  readonly txs: readonly HashedTx[];
  readonly effects: readonly TxEffect[];
}

/** A checkpoint whose jobs are handed out, except for those that need the rest of the epoch. */
interface PreparedCheckpoint {
  readonly txs: number;
  /** Resolves once none of these jobs is under way any more. */
  readonly settled: Promise<void>;
}

/** Puts checkpoints of the chain into the proof of their epoch. */
export class CheckpointPreparation {
  readonly #parts: PreparationParts;

  constructor(parts: PreparationParts) {
    this.#parts = parts;
  }

  /** Looks for all transactions of checkpoints. Rejects with a TxsMissingError. */
  async gather(epoch: number, checkpoints: readonly CheckpointRecord[], signal: AbortSignal): Promise<GatheredBlock[]> {
    const { chain, txs, txTimeoutMs } = this.#parts;
    const blocks = checkpoints.flatMap(({ startBlock, blockCount }) =>
      Array.from({ length: blockCount }, (_, i) => this.#block(epoch, startBlock + i)),
    );
    const either = AbortSignal.any([signal, AbortSignal.timeout(txTimeoutMs)]);
    const gathered = await Promise.all(
      blocks.map(async (block) => {
        const { number, archiveRoot: archive } = block;
        const effects = chain.txEffects(number);
        // A copy: rows of the store are views that do not last.
        const hashes = effects.map(({ txHash }) => Uint8Array.from(txHash));
        if (hashes.length === 0) return { block, effects, txs: [], missing: [] };
        const found = await txs.get({ number, hashes, archive }, either);
        // Bodies are read now, because a transaction may leave the pool.
        return { block, effects, txs: found.txs.map(({ hash, tx }) => ({ hash, tx })), missing: found.missing };
      }),
    );
    signal.throwIfAborted();
    const missing = gathered.flatMap((each) => each.missing);
    if (missing.length > 0) throw new TxsMissingError(epoch, missing);
    return gathered;
  }

  #block(epoch: number, number: number): BlockRecord {
    const block = this.#parts.chain.block(number);
    if (block === undefined) throw new ProvingRefusedError(`No blocks found for epoch ${epoch}`);
    return block;
  }

  /** Executes a checkpoint's public transactions again and hands out its jobs. */
  async prepare(
    proof: EpochInProof,
    epoch: number,
    checkpoint: CheckpointRecord,
    signal: AbortSignal,
  ): Promise<PreparedCheckpoint> {
    const { chain, world, posted } = this.#parts;
    const { number, startBlock, header } = checkpoint;
    const [blocks, { commitments }] = await Promise.all([
      this.gather(epoch, [checkpoint], signal),
      posted.read(checkpoint),
    ]);
    const previous = this.#block(epoch, startBlock - 1);
    const messages = chain.messages
      .range(firstMessageIndex(number), firstMessageIndex(number + 1))
      .map(({ leaf }) => Uint8Array.from(leaf));
    const inProof = proof.startCheckpoint({
      number,
      previousHeader: Uint8Array.from(previous.header),
      messages,
      fork: world.fork(startBlock - 1),
    });
    const executed = await this.#execute({ parentBlock: startBlock - 1, messages }, blocks, signal);
    for (const [i, gathered] of blocks.entries()) {
      signal.throwIfAborted();
      const { header: own, archiveRoot } = gathered.block;
      await inProof.addBlock({
        header: Uint8Array.from(own),
        archiveRoot: Uint8Array.from(archiveRoot),
        txs: toProve(gathered, executed[i]),
      });
    }
    inProof.end({ header: Uint8Array.from(header), commitments });
    return { txs: blocks.reduce((sum, { txs }) => sum + txs.length, 0), settled: inProof.blocksSettled() };
  }

  /** Executes the blocks up to the last one with public calls; there is nothing to learn from those after it. */
  async #execute(
    start: Omit<CheckpointToExecute, "blocks">,
    blocks: readonly GatheredBlock[],
    signal: AbortSignal,
  ): Promise<readonly ReexecutedTx[][]> {
    const last = blocks.findLastIndex(({ txs }) => txs.some(({ tx }) => isForPublic(tx.data)));
    if (last < 0) return [];
    const wanted = blocks.slice(0, last + 1).map(({ block, txs }) => ({ header: block.header, txs }));
    return this.#parts.execute({ ...start, blocks: wanted }, signal);
  }
}

/** The transactions of a block; `executed` if they were executed again. */
function toProve({ txs, effects }: GatheredBlock, executed: readonly ReexecutedTx[] | undefined): TxToProve[] {
  return txs.map(({ hash, tx }, i) => {
    if (executed !== undefined) requireSameEffect(hash, executed[i].words, effects[i]);
    const publicPart = executed?.[i].publicPart;
    return { hash, tx, effect: effects[i], ...(publicPart && { publicPart: Promise.resolve(publicPart) }) };
  });
}
