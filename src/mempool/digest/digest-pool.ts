import { Piscina } from "piscina";
import type { Tx } from "../../protocol/tx/tx.ts";
import { DigestQueueFullError, type DigestTx, type TxDigest } from "./tx-digest.ts";

/** Txs that wait at once: at the RPC's largest request 64 MiB. */
const DEFAULT_MOST_WAITING = 64;

/** Digests on threads of their own, so that the node's thread never hashes what strangers send. */
export class DigestPool {
  readonly #threads: Piscina<Tx, TxDigest>;
  readonly #mostWaiting: number;

  constructor({ threads, mostWaiting = DEFAULT_MOST_WAITING }: { threads: number; mostWaiting?: number }) {
    this.#mostWaiting = mostWaiting;
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#threads = new Piscina({
      filename: new URL(`./digest-worker.${extension}`, import.meta.url).href,
      minThreads: 0,
      maxThreads: threads,
      idleTimeout: 60_000,
    });
  }

  readonly digest: DigestTx = async (tx) => {
    const { queueSize } = this.#threads;
    if (queueSize >= this.#mostWaiting) throw new DigestQueueFullError(queueSize);
    return this.#threads.run(tx);
  };

  close(): Promise<void> {
    return this.#threads.destroy();
  }
}
