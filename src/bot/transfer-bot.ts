import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Core } from "../core/core.ts";
import { mapEntrySlot } from "../core/derive/public-storage.ts";
import { txHash } from "../core/derive/tx-hash.ts";
import type { NodeLogger } from "../process/logging/logging.ts";
import { fromHex, toHex } from "../protocol/bytes.ts";
import { type Fr, fr } from "../protocol/field.ts";
import { REASON } from "../protocol/tx/refusal-reasons.ts";
import type { TxTerms } from "../protocol/tx/template.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { BANANA_TOKEN, deploymentTx } from "../recorded-txs/set-up-txs.ts";
import { mintTx, type TokenTxs, tokenTxs, transferTx } from "../recorded-txs/transfers.ts";
import type { BotNode, NetworkFacts, TxReceipt, TxStatus } from "./bot-node.ts";
import type { BotOptions } from "./bot-options.ts";
import { BotCallError, BotRefusedError, BotTxError } from "./errors.ts";

/**
 * The first test account: admin of the token, sender, fee payer
 * (docs/protocol/08-building-and-checkpoints.md#828-local-network).
 */
const SENDER = fromHex("0x0a60414ee907527880b7a53d4dacdeb9ef768bb98d9d8d1e7200725c13763331");
const TOKEN = fromHex(BANANA_TOKEN);
const PUBLIC_BALANCES_SLOT = fr(5);

/** Tokens per transfer, tokens per mint, and the balance below which the bot mints. */
const TRANSFER_AMOUNT = 1n;
const MINT_AMOUNT = 10n ** 12n;
const MIN_BALANCE = 10n ** 6n;

/** Lifetime of a tx from now, as in wallets. */
const TX_LIFETIME_SECONDS = 86_400n;
const RECEIPT_POLL_MS = 200;
/** Time after sending in which a receipt with status "dropped" is ignored, since the pool may not know the tx yet. */
const DROPPED_GRACE_MS = 5_000;
const REACHED: TxStatus[] = ["pending", "proposed", "checkpointed", "proven", "finalized"];

/** Reasons for which a node refuses a set-up tx that pass by themselves, or with a newer anchor block. */
const PASSING: ReadonlySet<keyof typeof REASON> = new Set([
  "notPermitted",
  "expired",
  "anchorBlock",
  "feePerGas",
  "unexpected",
]);
const LASTING_REASONS = (Object.keys(REASON) as (keyof typeof REASON)[])
  .filter((key) => !PASSING.has(key))
  .map((key) => REASON[key]);

interface TransferBotParts {
  core: Core;
  node: BotNode;
  options: BotOptions;
  log: NodeLogger;
  signal: AbortSignal;
  now?: () => number;
}

/**
 * Sends transfers of the banana token from the first test account. Builds them from recorded transactions, without
 * wallet and prover.
 */
export class TransferBot {
  readonly #parts: TransferBotParts;
  readonly #txs: TokenTxs = tokenTxs();
  /** Random for each bot, so that balances of existing accounts do not change. */
  readonly #recipient = randomFr();
  #network: NetworkFacts | undefined;

  constructor(parts: TransferBotParts) {
    this.#parts = parts;
  }

  /**
   * Ensures that the token is deployed and that the sender has a balance. Throws a BotRefusedError on a network that
   * checks proofs or refuses the set-up for a reason that lasts, a BotTxError, and the errors of BotNode.
   */
  async setUp(): Promise<void> {
    const { node, options, log } = this.#parts;
    const network = await node.network();
    if (network.realProofs) {
      throw new BotRefusedError(
        "the node checks the proofs of transactions, and the bot makes none: it works on networks that run with PROVER_REAL_PROOFS=false",
      );
    }
    this.#network = network;
    const restore = options.flushSetupTransactions ? await this.#buildEmptyBlocks() : undefined;
    try {
      if (!(await node.hasContract(TOKEN))) await this.#deployToken();
      if (options.publicTransfersPerTx > 0 && (await this.#balance()) < MIN_BALANCE) {
        const terms = await this.#terms();
        await this.#settle(
          "mints",
          mintTx(this.#parts.core, this.#txs, { amount: MINT_AMOUNT, terms, next: randomFr }),
        );
      }
    } finally {
      await restore?.();
    }
    log.info({ token: BANANA_TOKEN, sender: toHex(SENDER), recipient: toHex(this.#recipient) }, "the bot is set up");
  }

  /**
   * Sends one tx with transfers and waits for the tip that `followChain` names. Throws a BotTxError and the errors of
   * BotNode.
   */
  async sendOne(): Promise<Fr> {
    const { core, options, log } = this.#parts;
    const { privateTransfersPerTx: privateTransfers, publicTransfersPerTx: publicTransfers, followChain } = options;
    const terms = await this.#terms();
    const tx = transferTx(core, this.#txs, {
      privateTransfers,
      publicTransfers,
      recipient: this.#recipient,
      amount: TRANSFER_AMOUNT,
      terms,
      next: randomFr,
    });
    const hash = await this.#send(tx);
    if (followChain === "NONE") {
      log.info({ txHash: toHex(hash) }, "sent tx {txHash}");
      return hash;
    }
    const { blockNumber } = await this.#mined(hash, followChain.toLowerCase() as TxStatus);
    log.info({ txHash: toHex(hash), block: blockNumber, chain: followChain }, "tx {txHash} is in block {block}");
    return hash;
  }

  /** Makes the sequencer build blocks even without txs. Returns a function that restores the setting. */
  async #buildEmptyBlocks(): Promise<() => Promise<void>> {
    const { node, log } = this.#parts;
    const before = await node.minTxsPerBlock();
    log.warn({ before }, "set minTxsPerBlock to 0 while the bot is set up");
    await node.setMinTxsPerBlock(0);
    return () => node.setMinTxsPerBlock(before);
  }

  #balance(): Promise<bigint> {
    const { core, node } = this.#parts;
    return node.storage(TOKEN, mapEntrySlot(core, PUBLIC_BALANCES_SLOT, SENDER));
  }

  async #deployToken(): Promise<void> {
    const { node } = this.#parts;
    try {
      await this.#settle("deploys the token", deploymentTx(TOKEN, await this.#terms()));
    } catch (error) {
      // Another bot may have been faster.
      if (!(error instanceof BotRefusedError) || !(await node.hasContract(TOKEN))) throw error;
    }
    if (!(await node.hasContract(TOKEN))) {
      throw new BotRefusedError(
        `the tx that deploys the token ${BANANA_TOKEN} is in a block, but the token is not there`,
      );
    }
  }

  async #terms() {
    const { node, options, now = Date.now } = this.#parts;
    const network = this.#network;
    if (network === undefined) throw new BotRefusedError("the bot is not set up");
    const [anchor, fees] = await Promise.all([node.header(), node.minFees()]);
    const times = 1n + BigInt(options.minFeePadding);
    const { l2GasLimit: l2Gas, daGasLimit: daGas } = options;
    return {
      anchor,
      chainId: fr(network.l1ChainId),
      version: fr(network.rollupVersion),
      maxFeesPerGas: { feePerDaGas: fees.feePerDaGas * times, feePerL2Gas: fees.feePerL2Gas * times },
      expirationTimestamp: BigInt(Math.ceil(now() / 1000)) + TX_LIFETIME_SECONDS,
      ...(l2Gas !== undefined && daGas !== undefined && { gasLimits: { l2Gas, daGas } }),
    } satisfies TxTerms;
  }

  async #send(tx: Tx): Promise<Fr> {
    const hash = txHash(this.#parts.core, tx.data);
    await this.#parts.node.send(hash, tx);
    return hash;
  }

  /**
   * Sends a set-up tx and waits until it is in a block. Throws a BotRefusedError if the node would refuse it each time.
   */
  async #settle(what: string, tx: Tx): Promise<void> {
    const { log } = this.#parts;
    const hash = await this.#send(tx).catch((error: unknown) => {
      if (!(error instanceof BotCallError) || !LASTING_REASONS.some((reason) => error.message.includes(reason))) {
        throw error;
      }
      throw new BotRefusedError(`the node refuses the tx that ${what}: ${error.message}`, { cause: error });
    });
    log.info({ txHash: toHex(hash) }, `a tx that ${what} is sent`);
    await this.#mined(hash, "proposed");
  }

  /** Waits until a tx has the wanted status. Returns its receipt. */
  async #mined(hash: Fr, wanted: TxStatus): Promise<TxReceipt> {
    const { node, options, signal, now = Date.now } = this.#parts;
    const sent = now();
    for (;;) {
      const receipt = await node.receipt(hash);
      const { status, executionResult, error } = receipt;
      const waited = now() - sent;
      if (REACHED.indexOf(status) >= REACHED.indexOf(wanted)) {
        if (executionResult === "success") return receipt;
        throw new BotTxError(toHex(hash), `is in block ${receipt.blockNumber}, but ${executionResult}`);
      }
      if (status === "dropped" && waited > DROPPED_GRACE_MS) {
        throw new BotTxError(toHex(hash), `was dropped: ${error ?? "no reason is given"}`);
      }
      if (waited > options.txMinedWaitMs) {
        throw new BotTxError(toHex(hash), `is ${status} after ${waited} ms, ${wanted} was waited for`);
      }
      await sleep(RECEIPT_POLL_MS, undefined, { signal });
    }
  }
}

/** A random field element. 31 random bytes are always below the modulus. */
function randomFr(): Fr {
  const value = new Uint8Array(32);
  value.set(randomBytes(31), 1);
  return value;
}
