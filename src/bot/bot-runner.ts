import { setTimeout as sleep } from "node:timers/promises";
import type { NodeLogger } from "../process/logging/logging.ts";
import type { BotNode } from "./bot-node.ts";
import type { BotOptions } from "./bot-options.ts";
import { BotRefusedError } from "./errors.ts";
import type { TransferBot } from "./transfer-bot.ts";

/** Delay between two attempts to set up the bot. */
const SET_UP_RETRY_MS = 2_000;

interface BotRunnerParts {
  bot: Pick<TransferBot, "setUp" | "sendOne">;
  node: Pick<BotNode, "pendingCount">;
  options: BotOptions;
  log: NodeLogger;
  /** Called if the bot is unhealthy and must not keep running. Ends the process with code 1. */
  giveUp: () => void;
}

/** Sets up a bot and sends one tx after the other, until it is stopped. */
export class BotRunner {
  readonly #parts: BotRunnerParts;
  readonly #stop: AbortController;
  #running: Promise<void> | undefined;
  #consecutiveErrors = 0;

  /** `stop` aborts waits and calls in progress. */
  constructor(parts: BotRunnerParts, stop: AbortController) {
    this.#parts = parts;
    this.#stop = stop;
  }

  get healthy(): boolean {
    const { maxConsecutiveErrors } = this.#parts.options;
    return maxConsecutiveErrors === 0 || this.#consecutiveErrors < maxConsecutiveErrors;
  }

  /**
   * Rejects with a BotRefusedError if the bot cannot work with the network. Retries the set-up after other failures.
   */
  async start(): Promise<void> {
    const { options, log } = this.#parts;
    await this.#setUp();
    if (options.noStart) {
      log.info({}, "the bot sends nothing: BOT_NO_START");
      return;
    }
    log.info({ intervalMs: options.txIntervalMs }, "sending transfers every {intervalMs} ms");
    this.#running = this.#run();
  }

  /** Stops sending and waits for the current tx to end. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #setUp(): Promise<void> {
    const { bot, log } = this.#parts;
    const { signal } = this.#stop;
    for (;;) {
      try {
        return await bot.setUp();
      } catch (error) {
        if (error instanceof BotRefusedError || signal.aborted) throw error;
        log.warn({ reason: reasonOf(error) }, "cannot set up the bot, trying again");
        await sleep(SET_UP_RETRY_MS, undefined, { signal });
      }
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#turn();
      await sleep(this.#parts.options.txIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #turn(): Promise<void> {
    const { bot, node, options, log, giveUp } = this.#parts;
    try {
      if (options.maxPendingTxs > 0) {
        const pending = await node.pendingCount();
        if (pending >= options.maxPendingTxs) {
          log.verbose({ pending, most: options.maxPendingTxs }, "the bot waits: the node has too many pending txs");
          return;
        }
      }
      await bot.sendOne();
      this.#consecutiveErrors = 0;
    } catch (error) {
      if (this.#stop.signal.aborted) return;
      this.#consecutiveErrors++;
      log.error({ reason: reasonOf(error), consecutive: this.#consecutiveErrors }, "a tx of the bot failed");
      if (this.healthy) return;
      log.error({ most: options.maxConsecutiveErrors }, "too many errors: the bot is unhealthy");
      if (options.stopWhenUnhealthy) giveUp();
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
