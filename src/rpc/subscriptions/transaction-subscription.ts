import type { ContentReader } from "../../archiver/content-types.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { Eventually } from "../ports/eventually.ts";
import type { PoolStatus } from "../ports/mempool.ts";
import type { BlockRef } from "./chain-cursor.ts";
import type { ChainView } from "./chain-view.ts";
import { encodeTransactionEvent, notification, type TxState, type TxStatus } from "./notification.ts";
import type { Outlet, Progress, Subscription } from "./subscription.ts";

export interface TransactionSources {
  view: ChainView;
  content: Pick<ContentReader, "settledTx">;
  poolStatus(hash: Uint8Array): Eventually<PoolStatus | undefined>;
}

function transactionId(txHash: Uint8Array): string {
  return `transaction:${toHex(txHash)}`;
}

/** What becomes of one tx. The first event tells what it is now. */
export class TransactionSubscription implements Subscription {
  readonly id: string;
  readonly filters = 1;
  readonly txHash: Uint8Array;
  readonly #sources: TransactionSources;
  /** Called when there may be something to deliver. */
  readonly #wake: () => void;
  #block: BlockRef | undefined;
  #inPool: TxStatus | undefined;
  #asking = false;
  #askAgain = false;
  #sent = "";

  constructor(txHash: Uint8Array, sources: TransactionSources, wake: () => void) {
    this.id = transactionId(txHash);
    this.txHash = txHash;
    this.#sources = sources;
    this.#wake = wake;
  }

  /** The pool may give another answer than before. */
  poolChanged(): void {
    this.#inPool = undefined;
    this.#askAgain = this.#asking;
  }

  deliver(outlet: Outlet): Progress {
    const state = this.#state();
    if (state === undefined) return "done";
    const { status, block } = state;
    const shown = `${status} ${block === undefined ? "" : toHex(block.hash)}`;
    if (shown === this.#sent) return "done";
    if (outlet.full) return "blocked";
    outlet.send(notification(this.id, undefined, encodeTransactionEvent, state));
    this.#sent = shown;
    return "done";
  }

  /** undefined until the pool has answered. */
  #state(): TxState | undefined {
    const { txHash } = this;
    const block = this.#settledIn();
    // When it is in no block any more, the pool has to be asked again.
    if (block !== undefined) this.#inPool = undefined;
    if (block !== undefined) return { txHash, status: this.#statusIn(block.number), block };
    if (this.#inPool !== undefined) return { txHash, status: this.#inPool, block: undefined };
    if (!this.#asking) void this.#ask();
    return undefined;
  }

  #settledIn(): BlockRef | undefined {
    const { view, content } = this.#sources;
    const known = this.#block && view.hashAt(this.#block.number);
    if (known !== undefined && Buffer.compare(known, this.#block!.hash) === 0) return this.#block;
    const settled = content.settledTx(this.txHash);
    this.#block = settled && { number: settled.blockNumber, hash: settled.blockHash };
    return this.#block;
  }

  #statusIn(block: number): TxStatus {
    const { checkpointed, proven, finalized } = this.#sources.view.tips;
    if (block <= finalized.block.number) return "finalized";
    if (block <= proven.block.number) return "proven";
    return block <= checkpointed.block.number ? "checkpointed" : "proposed";
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    try {
      do {
        this.#askAgain = false;
        const status = await this.#sources.poolStatus(this.txHash);
        this.#inPool = status === "pending" || status === "mined" ? "pending" : "dropped";
      } while (this.#askAgain);
      this.#wake();
    } catch {
      // The node's thread is busy: the next change asks again.
      this.#inPool = undefined;
    } finally {
      this.#asking = false;
    }
  }
}
