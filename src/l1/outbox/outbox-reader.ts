import { equal, fromHex, isZero } from "../../protocol/bytes.ts";
import type { L1Rules } from "../../protocol/generations/l1.ts";
import { epochOfSlot, slotAt } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { outboxAbi } from "../abi/outbox.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { EpochRoot, L1Block, OutboxReader, RollupIdentity } from "../types.ts";

interface OutboxReaderOptions {
  rpc: L1Rpc;
  identity: RollupIdentity;
  rules: L1Rules["outbox"];
  finalizedBlock(): Promise<L1Block | undefined>;
  logger: Logger;
  /** Maximum epochs to cache. */
  capacity?: number;
}

interface Remembered {
  /** Hash of the L1 block at which the roots were read; undefined for final roots. */
  hash: Uint8Array | undefined;
  roots: Promise<EpochRoot[]>;
}

/**
 * OutboxReader over JSON-RPC. Roots are cached while the synced L1 block stays the same. Concurrent requests share one
 * read; a failed read is not cached. A root is final once L1 accepts no more proofs of its epoch and the L1 block at
 * which it was read is finalized: only a reorg deeper than finality could replace it. The least recently used epochs
 * are evicted first.
 */
export class JsonRpcOutboxReader implements OutboxReader {
  readonly #rpc: L1Rpc;
  readonly #identity: RollupIdentity;
  readonly #outbox: Contract<typeof outboxAbi>;
  readonly #rules: L1Rules["outbox"];
  readonly #finalizedBlock: () => Promise<L1Block | undefined>;
  readonly #logger: Logger;
  readonly #capacity: number;
  /** In order of use. */
  readonly #roots = new Map<number, Remembered>();

  constructor({ rpc, identity, rules, finalizedBlock, logger, capacity = 4096 }: OutboxReaderOptions) {
    this.#rpc = rpc;
    this.#identity = identity;
    this.#outbox = { name: "Outbox", address: identity.addresses.outboxAddress, abi: outboxAbi };
    this.#rules = rules;
    this.#finalizedBlock = finalizedBlock;
    this.#logger = logger;
    this.#capacity = capacity;
  }

  roots(epoch: number, at: L1Block): Promise<EpochRoot[]> {
    const known = this.#roots.get(epoch);
    if (known !== undefined && (known.hash === undefined || equal(known.hash, at.hash))) {
      this.#roots.delete(epoch);
      this.#roots.set(epoch, known);
      return known.roots;
    }
    const fresh: Remembered = { hash: at.hash, roots: this.#readRoots(epoch, at.number) };
    this.#roots.delete(epoch);
    this.#roots.set(epoch, fresh);
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= this.#capacity) break;
      this.#roots.delete(oldest);
    }
    fresh.roots.then(
      (roots) => (roots.length > 0 ? this.#keepIfFinal(epoch, at, fresh) : undefined),
      () => {
        if (this.#roots.get(epoch) === fresh) this.#roots.delete(epoch);
      },
    );
    return fresh.roots;
  }

  async #readRoots(epoch: number, at: number): Promise<EpochRoot[]> {
    const { rootsByCount } = this.#rules;
    const args = [BigInt(epoch)] as const;
    const told = rootsByCount
      ? await read(this.#rpc, this.#outbox, "getRoots", args, at)
      : [await read(this.#rpc, this.#outbox, "getRootData", args, at)];
    return told
      .map((root, i) => ({ root: fromHex(root), checkpoints: rootsByCount ? i + 1 : undefined }))
      .filter(({ root }) => !isZero(root));
  }

  /**
   * Whether L1 no longer accepts proofs of an epoch at a time: from the start of the epoch after its last submission
   * epoch.
   */
  #sealed(epoch: number, timestamp: number): boolean {
    const { constants } = this.#identity;
    return epochOfSlot(slotAt(timestamp, constants), constants) > epoch + constants.proofSubmissionEpochs;
  }

  async #keepIfFinal(epoch: number, at: L1Block, remembered: Remembered): Promise<void> {
    if (!this.#sealed(epoch, at.timestamp)) return;
    try {
      const finalized = await this.#finalizedBlock();
      // A root read at a block before the finalized one may be from a fork, or from before the last proof.
      if (finalized === undefined || finalized.number > at.number) return;
      if (this.#sealed(epoch, finalized.timestamp)) remembered.hash = undefined;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#logger.debug({ epoch, reason }, "cannot tell yet whether an outbox root is final");
    }
  }
}
