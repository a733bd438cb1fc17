import { setTimeout as sleep } from "node:timers/promises";
import { toHex } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { L1Error } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { isKnown, type L1Receipt, latestTime, receiptOf, transactionCount } from "./account-reads.ts";
import { L1SignerError } from "./errors.ts";
import { readFeeMarket } from "./fee-market.ts";
import { txFees } from "./fees.ts";
import { sendRaw } from "./send-raw.ts";
import type { L1TxSettings } from "./settings.ts";
import type { L1Signer } from "./signer.ts";
import { type UnsignedTx, withSignature } from "./transaction.ts";
import { isUnfinished, type TxState } from "./tx-state.ts";
import type { TxStates } from "./tx-store.ts";
import { zeroBlobSidecars } from "./zero-blob.ts";

export type TxOutcome =
  | { kind: "mined"; receipt: L1Receipt }
  /** `reason` names the rule. A cancellation may be in progress. */
  | { kind: "timed out"; reason: string }
  /** Its nonce was used by a transaction that this sender does not know. */
  | { kind: "replaced"; reason: string };

interface WatchParts {
  rpc: L1Rpc;
  signer: L1Signer;
  chainId: number;
  settings: L1TxSettings;
  states: TxStates;
  cellProofs: boolean;
  signal: AbortSignal;
  logger: Logger;
}

const RECEIPT_WAIT_MS = 500;
const TRANSFER_GAS = 21_000n;
const CANCEL_BUMP_PERCENTAGE = 150;

/**
 * Watches one transaction until it is mined or abandoned
 * (docs/protocol/08-building-and-checkpoints.md#825-watching-l1-transactions). Times are those of the latest L1 block.
 */
export class TxWatch {
  /** Outcome for the caller. Rejects only if the watch is stopped. */
  readonly outcome: Promise<TxOutcome>;
  /** Resolves once there is nothing left to do, cancellation included. Never rejects. */
  readonly ended: Promise<void>;
  readonly #parts: WatchParts;
  readonly #state: TxState;

  /** `doubtful`: L1 may not have received the transaction. It is resent immediately if L1 does not know it. */
  constructor(parts: WatchParts, state: TxState, { doubtful }: { doubtful: boolean }) {
    this.#parts = parts;
    this.#state = state;
    this.outcome =
      state.status === "cancelled"
        ? Promise.resolve({ kind: "timed out", reason: "it was cancelled by an earlier run" })
        : this.#untilOutcome(doubtful);
    this.ended = this.outcome
      .then((outcome) => (outcome.kind === "timed out" ? this.#giveUp() : undefined))
      .catch((error: unknown) => {
        if (!parts.signal.aborted) parts.logger.error({ ...this.#facts(), err: error }, "watching an L1 tx failed");
      });
  }

  #facts(): object {
    const { purpose, nonce, hashes, cancelHashes } = this.#state;
    return {
      address: this.#parts.signer.address,
      purpose,
      nonce,
      hash: hashes.at(-1),
      cancelHash: cancelHashes.at(-1),
    };
  }

  #save(change: Partial<TxState>): void {
    Object.assign(this.#state, change);
    this.#parts.states.update(this.#parts.signer.address, this.#state);
  }

  /** Polls until `look` returns a value. Tolerates failures of L1 and of signers. */
  async #until<T>(look: () => Promise<T | undefined>): Promise<T> {
    const { settings, signal, logger } = this.#parts;
    for (;;) {
      try {
        const found = await look();
        if (found !== undefined) return found;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof L1Error) && !(error instanceof L1SignerError)) throw error;
        logger.warn({ ...this.#facts(), err: error }, "cannot check an L1 tx, trying again");
      }
      await sleep(settings.checkIntervalMs, undefined, { signal });
    }
  }

  async #untilOutcome(doubtful: boolean): Promise<TxOutcome> {
    let sendNow = doubtful;
    return this.#until(async () => {
      const { rpc, signer, settings } = this.#parts;
      const [time, count] = await Promise.all([latestTime(rpc), transactionCount(rpc, signer.address, "latest")]);
      const state = this.#state;
      if (count > state.nonce) return this.#mined();
      const late = this.#lateness(time);
      if (late !== undefined) return { kind: "timed out", reason: late };
      if (sendNow) {
        sendNow = false;
        const known = await Promise.all(state.hashes.map((hash) => isKnown(rpc, hash)));
        if (!known.includes(true)) await this.#sendAgain(time);
      } else if (
        time - state.lastSentAt >= settings.stallTimeMs &&
        state.hashes.length <= settings.maxSpeedUpAttempts
      ) {
        await this.#sendAgain(time);
      }
      return undefined;
    });
  }

  #lateness(time: number): string | undefined {
    const { timeoutAt, sentAt } = this.#state;
    const { timeoutMs } = this.#parts.settings;
    if (timeoutAt !== undefined && time >= timeoutAt) return `not mined by its deadline ${timeoutAt / 1000}`;
    return timeoutMs > 0 && time - sentAt >= timeoutMs ? `not mined within ${timeoutMs} ms` : undefined;
  }

  async #mined(): Promise<TxOutcome> {
    const { hashes, cancelHashes, nonce } = this.#state;
    const { rpc, signal, logger } = this.#parts;
    for (let round = 0; round < 2; round++) {
      if (round > 0) await sleep(RECEIPT_WAIT_MS, undefined, { signal });
      for (const hash of [...cancelHashes, ...hashes]) {
        const receipt = await receiptOf(rpc, hash);
        if (receipt === undefined) continue;
        this.#save({ status: "mined", minedBlock: receipt.blockNumber });
        const { blockNumber, gasUsed, succeeded } = receipt;
        const facts = { ...this.#facts(), minedHash: hash, blockNumber, gasUsed, succeeded };
        if (cancelHashes.includes(hash)) {
          logger.info(facts, "the cancellation of an L1 tx was mined");
          return { kind: "timed out", reason: "it was cancelled" };
        }
        logger.debug(facts, "an L1 tx was mined");
        return { kind: "mined", receipt };
      }
    }
    this.#save({ status: "mined" });
    logger.warn(this.#facts(), "the nonce of an L1 tx was used by an unknown tx");
    return { kind: "replaced", reason: `nonce ${nonce} was used by another transaction of the account` };
  }

  async #sendAgain(time: number): Promise<void> {
    const { signer, states, logger } = this.#parts;
    const state = this.#state;
    const { to, data, value, gas } = state;
    const sidecars = state.hasBlobs ? states.sidecars(signer.address, state.id) : undefined;
    if (state.hasBlobs && sidecars === undefined) return;
    const sent = await this.#attempt({ to, data, value, gas, sidecars }, this.#parts.settings, time, "speed-up");
    if (sent) logger.info({ ...this.#facts(), ...state.fees }, "sent an L1 tx again with higher fees");
  }

  /** Sends a replacement with the transaction's nonce and higher fees. If L1 refuses it, it does not count as sent. */
  async #attempt(
    tx: Pick<UnsignedTx, "to" | "data" | "value" | "gas" | "sidecars">,
    settings: L1TxSettings,
    time: number,
    status: "speed-up" | "cancelled",
  ): Promise<boolean> {
    const { rpc, signer, chainId, signal, logger } = this.#parts;
    const { nonce, fees: previous, hashes, cancelHashes } = this.#state;
    const market = await readFeeMarket(rpc, tx.sidecars !== undefined);
    const fees = txFees(market, settings, { blobs: tx.sidecars !== undefined, previous });
    const unsigned = { ...tx, chainId, nonce, fees };
    const signed = withSignature(unsigned, await signer.signTransaction(unsigned, signal));
    const list = status === "cancelled" ? "cancelHashes" : "hashes";
    const before = { hashes, cancelHashes, fees: previous };
    this.#save({ status, fees, lastSentAt: time, [list]: [...this.#state[list], toHex(signed.hash)] });
    const verdict = await sendRaw(rpc, signed);
    if (verdict.kind !== "refused" && verdict.kind !== "taken") return true;
    const underpriced = /underpriced/i.test(verdict.reason);
    this.#save({ ...before, fees: underpriced ? fees : previous });
    logger.warn({ ...this.#facts(), reason: verdict.reason }, "L1 refused to replace a tx");
    return false;
  }

  /** Cancels the transaction, unless it was mined meanwhile. */
  async #giveUp(): Promise<void> {
    const { settings, logger, rpc, signer } = this.#parts;
    if (!isUnfinished(this.#state)) return;
    if (this.#state.status !== "cancelled") {
      logger.warn({ ...this.#facts(), cancel: settings.cancelOnTimeout }, "an L1 tx was not mined in time");
      if (!settings.cancelOnTimeout) return this.#save({ status: "not mined" });
      const began = await this.#until(async () => {
        const [time, count, pending] = await Promise.all([
          latestTime(rpc),
          transactionCount(rpc, signer.address, "latest"),
          transactionCount(rpc, signer.address, "pending"),
        ]);
        if (count > this.#state.nonce) return this.#mined().then(() => false);
        if (pending < this.#state.nonce) return false;
        await this.#cancel(time);
        return true;
      });
      if (!began) {
        if (isUnfinished(this.#state)) this.#save({ status: "not mined" });
        return;
      }
    }
    await this.#untilCancelled();
  }

  async #cancel(time: number): Promise<void> {
    const { signer, settings, cellProofs, logger } = this.#parts;
    const sidecars = this.#state.hasBlobs ? zeroBlobSidecars(cellProofs) : undefined;
    const tx = { to: signer.address, data: new Uint8Array(), value: 0n, gas: TRANSFER_GAS, sidecars };
    const bump = { ...settings, priorityFeeRetryBumpPercentage: CANCEL_BUMP_PERCENTAGE };
    this.#save({ status: "cancelled" });
    if (await this.#attempt(tx, bump, time, "cancelled"))
      logger.info(this.#facts(), "sent the cancellation of an L1 tx");
  }

  async #untilCancelled(): Promise<void> {
    const { settings, rpc, signer, logger } = this.#parts;
    await this.#until(async () => {
      const [time, count, pending] = await Promise.all([
        latestTime(rpc),
        transactionCount(rpc, signer.address, "latest"),
        transactionCount(rpc, signer.address, "pending"),
      ]);
      const { nonce, lastSentAt, cancelHashes } = this.#state;
      if (count > nonce) return this.#mined();
      const since = time - lastSentAt;
      const dropped = pending <= nonce && since >= settings.unseenConsideredDroppedMs;
      const tried = cancelHashes.length > settings.maxSpeedUpAttempts;
      if (dropped || (tried && since >= settings.cancellationFinalTimeoutMs)) {
        this.#save({ status: "not mined" });
        logger.warn({ ...this.#facts(), dropped }, "the cancellation of an L1 tx was not mined");
        return true;
      }
      if (since >= settings.stallTimeMs && !tried) await this.#cancel(time);
      return undefined;
    });
  }
}
