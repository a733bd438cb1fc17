import { equal, fromHex, isZero } from "../../protocol/bytes.ts";
import { epochOfSlot, slotAt } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { outboxAbi } from "../abi/outbox.ts";
import { type Contract, read } from "../contracts/contract.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type { L1Block, OutboxReader, RollupIdentity } from "../types.ts";

export interface OutboxReaderOptions {
  rpc: L1Rpc;
  identity: RollupIdentity;
  finalizedBlock(): Promise<L1Block | undefined>;
  logger: Logger;
  /** Maximum epochs to cache. */
  capacity?: number;
}

interface Remembered {
  /** Hash of the L1 block at which the root was read; undefined for a final root. */
  hash: Uint8Array | undefined;
  root: Promise<Uint8Array | undefined>;
}

/**
 * OutboxReader over JSON-RPC. A root is cached while the synced L1 block stays the same. Concurrent requests share one
 * read; a failed read is not cached. A root is final once L1 accepts no more proofs of its epoch and the L1 block at
 * which it was read is finalized: only a reorg deeper than finality could replace it. The least recently used epochs
 * are evicted first.
 */
export class JsonRpcOutboxReader implements OutboxReader {
  readonly #rpc: L1Rpc;
  readonly #identity: RollupIdentity;
  readonly #outbox: Contract<typeof outboxAbi>;
  readonly #finalizedBlock: () => Promise<L1Block | undefined>;
  readonly #logger: Logger;
  readonly #capacity: number;
  /** In order of use. */
  readonly #roots = new Map<number, Remembered>();

  constructor({ rpc, identity, finalizedBlock, logger, capacity = 4096 }: OutboxReaderOptions) {
    this.#rpc = rpc;
    this.#identity = identity;
    this.#outbox = { name: "Outbox", address: identity.addresses.outboxAddress, abi: outboxAbi };
    this.#finalizedBlock = finalizedBlock;
    this.#logger = logger;
    this.#capacity = capacity;
  }

  root(epoch: number, at: L1Block): Promise<Uint8Array | undefined> {
    const known = this.#roots.get(epoch);
    if (known !== undefined && (known.hash === undefined || equal(known.hash, at.hash))) {
      this.#roots.delete(epoch);
      this.#roots.set(epoch, known);
      return known.root;
    }
    const fresh: Remembered = { hash: at.hash, root: this.#readRoot(epoch, at.number) };
    this.#roots.delete(epoch);
    this.#roots.set(epoch, fresh);
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= this.#capacity) break;
      this.#roots.delete(oldest);
    }
    fresh.root.then(
      (root) => root && this.#keepIfFinal(epoch, at, fresh),
      () => {
        if (this.#roots.get(epoch) === fresh) this.#roots.delete(epoch);
      },
    );
    return fresh.root;
  }

  async #readRoot(epoch: number, at: number): Promise<Uint8Array | undefined> {
    const root = fromHex(await read(this.#rpc, this.#outbox, "getRootData", [BigInt(epoch)], at));
    return isZero(root) ? undefined : root;
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
