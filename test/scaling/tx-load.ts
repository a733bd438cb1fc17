import { setTimeout as sleep } from "node:timers/promises";
import { BotNode } from "../../src/bot/bot-node.ts";
import type { BotOptions } from "../../src/bot/bot-options.ts";
import { BotCallError } from "../../src/bot/errors.ts";
import { TransferBot } from "../../src/bot/transfer-bot.ts";
import type { Core } from "../../src/core/core.ts";
import { blockHash } from "../../src/core/derive/block-hash.ts";
import { BLOCK_HEADER_BYTES } from "../../src/protocol/block-header.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import type { Fr } from "../../src/protocol/field.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import type { Tx } from "../../src/protocol/tx/tx.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { call, until } from "../world/live/json-rpc.ts";

const OPTIONS: BotOptions = {
  txIntervalMs: 0,
  privateTransfersPerTx: 0,
  publicTransfersPerTx: 1,
  minFeePadding: 9,
  noStart: false,
  txMinedWaitMs: 60_000,
  followChain: "NONE",
  maxPendingTxs: 0,
  flushSetupTransactions: false,
  maxConsecutiveErrors: 0,
  stopWhenUnhealthy: false,
};
const PAUSE_MS = 250;
const SETTLED_MS = 20_000;
const AT_ONCE = 100;
/** HTTP statuses that say nothing about the tx: too many calls, and no node that can take it. */
const AWAY = new Set([429, 502, 503, 504]);

export interface SentTxs {
  sent: number;
  /** Times that a tx was sent again because the client had no good answer. */
  again: number;
  /** Hashes of txs that are neither in the pool nor on the chain. */
  lost: string[];
  /** Hashes of further ones that no node may keep: their anchor block was taken back, so they are no longer valid. */
  orphaned: string[];
  /** Hashes of further ones that were sent between a snapshot of the network and its return to it. */
  undone: string[];
  /** Hashes of txs that are listed twice. */
  twice: string[];
  /** Why the pool refused a tx, as one whose anchor block a reorg removed. Such a tx is not sent again. */
  refused: string[];
}

interface TakenTx {
  /** Hash of its anchor block. */
  anchor: string;
  undone: boolean;
}

/** Sends the same tx until a node takes or refuses it, as a wallet does. */
class PersistentNode extends BotNode {
  again = 0;
  /** Txs that were taken, by hash. */
  readonly sent = new Map<string, TakenTx>();
  readonly refused: string[] = [];
  /** Whether the network will go back to a snapshot that it has. */
  undone = false;
  readonly #core: Core;
  readonly #stopped: AbortSignal;

  constructor(core: Core, url: string, stopped: AbortSignal) {
    super(url, undefined, stopped);
    this.#core = core;
    this.#stopped = stopped;
  }

  override async send(hash: Fr, tx: Tx): Promise<void> {
    for (;;) {
      const { undone } = this;
      try {
        await super.send(hash, tx);
        const anchor = tx.data.subarray(TX_DATA_AT.anchorHeader, TX_DATA_AT.anchorHeader + BLOCK_HEADER_BYTES);
        this.sent.set(toHex(hash), { anchor: toHex(blockHash(this.#core, anchor)), undone });
        return;
      } catch (error) {
        if (this.#stopped.aborted) throw error;
        if (error instanceof BotCallError && !AWAY.has(error.status)) {
          this.refused.push(error.message);
          throw error;
        }
        this.again += 1;
        await sleep(PAUSE_MS);
      }
    }
  }
}

/** Sends a tx after the other through a load balancer. */
export class TxLoad {
  readonly #url: string;
  readonly #node: PersistentNode;
  readonly #stop: AbortController;
  readonly #bot: TransferBot;
  #mayGoOn: Promise<void> = Promise.resolve();
  #round: Promise<unknown> = Promise.resolve();
  #running: Promise<void> = Promise.resolve();

  static async start(core: Core, url: string): Promise<TxLoad> {
    const load = new TxLoad(core, url);
    await load.#bot.setUp();
    load.#running = load.#send();
    return load;
  }

  private constructor(core: Core, url: string) {
    this.#url = url;
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#node = new PersistentNode(core, url, signal);
    const log = { ...silentLogger, fatal: () => undefined, trace: () => undefined };
    this.#bot = new TransferBot({ core, node: this.#node, options: OPTIONS, log: log as never, signal });
  }

  async #send(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#mayGoOn;
      // Making a tx reads from the network too; what cannot be read now is read a little later.
      this.#round = this.#bot.sendOne().catch(() => undefined);
      await this.#round;
      await sleep(PAUSE_MS);
    }
  }

  /**
   * Runs `snapshot` while no tx is on its way, then `work`, which ends with the network as it was then: txs that were
   * sent in between are not in its pool.
   */
  async undo<T>(snapshot: () => Promise<T>, work: (snapshot: T) => Promise<void>): Promise<void> {
    const held = Promise.withResolvers<void>();
    this.#mayGoOn = held.promise;
    await this.#round;
    const taken = await snapshot();
    this.#node.undone = true;
    held.resolve();
    await work(taken);
    this.#node.undone = false;
  }

  /** What became of the txs that were sent since the last call, once they are all in blocks or will not be. */
  async settled(): Promise<SentTxs> {
    const taken = new Map(this.#node.sent);
    this.#node.sent.clear();
    const hashes = [...taken.keys()];
    const { again } = this.#node;
    this.#node.again = 0;
    const refused = this.#node.refused.splice(0);
    const pooled = (await call(this.#url, "node_getPendingTxs").catch(() => [])) as { txHash?: string }[];
    const pending = pooled.map(({ txHash }) => txHash ?? "");
    const missing: string[] = [];
    const blocks = new Map<string, number>();
    const settle = async (hash: string): Promise<void> => {
      const mined = async () => {
        const receipt = (await call(this.#url, "node_getTxReceipt", hash)) as { blockNumber?: number };
        if (receipt.blockNumber === undefined) return false;
        blocks.set(hash, receipt.blockNumber);
        return true;
      };
      await until(`tx ${hash} is in a block`, SETTLED_MS, mined).catch(() => missing.push(hash));
    };
    for (let at = 0; at < hashes.length; at += AT_ONCE) await Promise.all(hashes.slice(at, at + AT_ONCE).map(settle));
    const twice = pending.filter((hash, i) => hash !== "" && pending.indexOf(hash) !== i);
    for (const [hash, number] of blocks) {
      const block = (await call(this.#url, "node_getBlock", number)) as {
        body: { txEffects: { txHash: string }[] };
      };
      if (block.body.txEffects.filter(({ txHash }) => txHash === hash).length > 1) twice.push(hash);
    }
    const lost: string[] = [];
    const orphaned: string[] = [];
    const undone: string[] = [];
    for (const hash of missing) {
      const tx = taken.get(hash);
      const anchor = await call(this.#url, "node_getBlockByHash", tx?.anchor);
      if (anchor === undefined || anchor === null) orphaned.push(hash);
      else (tx?.undone ? undone : lost).push(hash);
    }
    return { sent: hashes.length, again, lost, orphaned, undone, twice, refused };
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }
}
