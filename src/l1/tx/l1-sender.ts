import { toHex } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { balanceOf, isKnown, type L1Receipt, latestHead, transactionCount } from "./account-reads.ts";
import { L1TxNotSentError } from "./errors.ts";
import { estimateGas } from "./estimate-gas.ts";
import { readFeeMarket } from "./fee-market.ts";
import { txFees } from "./fees.ts";
import { sendRaw } from "./send-raw.ts";
import type { L1TxSettings } from "./settings.ts";
import type { L1Signer } from "./signer.ts";
import { type BlobSidecars, type SignedTx, type UnsignedTx, withSignature } from "./transaction.ts";
import { isUnfinished, type TxState, type TxStatus } from "./tx-state.ts";
import type { TxStates } from "./tx-store.ts";
import { type TxOutcome, TxWatch } from "./tx-watch.ts";

interface L1SenderOptions {
  /** Should be created with the same `signal`. */
  rpc: L1Rpc;
  signer: L1Signer;
  chainId: number;
  settings: L1TxSettings;
  states: TxStates;
  /** Whether cancellations of blob transactions use cell proofs (EIP-7594). */
  cellProofs: boolean;
  /** Unix milliseconds. */
  now(): number;
  /** Stops the sender. Sent transactions stay in the store, and the next run continues to watch them. */
  signal: AbortSignal;
  /** Called with each transaction once nothing more becomes of it. */
  finished?(tx: FinishedL1Tx): void;
  logger: Logger;
}

/** What became of a transaction. */
export interface FinishedL1Tx {
  readonly fate: "mined" | "reverted" | "cancelled" | "not mined";
  readonly state: Readonly<TxState>;
  /** Of the transaction itself, not of its cancellation. */
  readonly receipt: L1Receipt | undefined;
  /** When it was sent; undefined if an earlier run of the process sent it. */
  readonly sent: SentMark | undefined;
}

interface SentMark {
  /** By performance.now(). */
  readonly at: number;
  /** Latest L1 block at that time. */
  readonly l1Block: number;
}

interface L1TxRequest {
  /** Shown in the log and stored with the transaction. */
  purpose: string;
  /** 0x text. */
  to: string;
  data: Uint8Array;
  value?: bigint;
  /** If absent, the gas is estimated and a buffer is added. */
  gas?: bigint;
  sidecars?: BlobSidecars;
  /** Unix milliseconds, compared with the time of the latest L1 block. */
  timeoutAt?: number;
}

/** A sent transaction and its outcome. */
interface SentTx {
  nonce: number;
  /** Hash of the first attempt. */
  hash: string;
  /** Rejects only if the sender is stopped. */
  outcome: Promise<TxOutcome>;
}

/** Attempts to choose a nonce. One fails if the account is also used elsewhere and that transaction is mined first. */
const NONCE_ATTEMPTS = 3;

/**
 * Sends the L1 transactions of one account (docs/protocol/08-building-and-checkpoints.md#825-watching-l1-transactions).
 * Chooses nonce and fees, stores every transaction before it is sent, and watches it until it is mined or abandoned.
 * Resends it with higher fees and cancels it when needed. Sends one transaction at a time.
 */
export class L1Sender {
  readonly #options: L1SenderOptions;
  readonly #transactions: TxState[];
  readonly #watches = new Map<number, TxWatch>();
  #sending: Promise<unknown> = Promise.resolve();

  constructor(options: L1SenderOptions) {
    this.#options = options;
    this.#transactions = options.states.load(options.signer.address);
  }

  /** Lower-case 0x text. */
  get address(): string {
    return this.#options.signer.address;
  }

  get signer(): L1Signer {
    return this.#options.signer;
  }

  /** Status of the last transaction. */
  get status(): TxStatus {
    return this.#transactions.at(-1)?.status ?? "idle";
  }

  /** L1 block of the account's last mined transaction, 0 when none is known. */
  get lastMinedBlock(): number {
    return this.#transactions.reduce((last, { minedBlock = 0 }) => Math.max(last, minedBlock), 0);
  }

  /** Transactions without a final outcome, in the order in which they were sent. */
  unfinished(): TxState[] {
    return this.#transactions.filter(isUnfinished).map((state) => ({ ...state }));
  }

  /** Wei. */
  balance(): Promise<bigint> {
    return balanceOf(this.#options.rpc, this.address);
  }

  /** Continues to watch the transactions of an earlier run. Resends those that L1 does not know. */
  resume(): void {
    const { logger } = this.#options;
    for (const state of this.#transactions.filter(isUnfinished)) {
      const { purpose, nonce, hashes, status } = state;
      logger.info({ address: this.address, purpose, nonce, hash: hashes.at(-1), status }, "watching an earlier L1 tx");
      this.#watch(state, true, undefined);
    }
  }

  /** Outcome of an unfinished transaction that is being watched. */
  outcomeOf(id: number): Promise<TxOutcome> | undefined {
    return this.#watches.get(id)?.outcome;
  }

  /** Resolves once L1 has the transaction. Throws L1TxNotSentError, L1SignerError or an L1Error. */
  send(request: L1TxRequest): Promise<SentTx> {
    const sent = this.#sending.then(() => this.#send(request));
    this.#sending = sent.catch(() => {});
    return sent;
  }

  async #send(request: L1TxRequest): Promise<SentTx> {
    const { rpc, settings, signal, signer } = this.#options;
    signal.throwIfAborted();
    const { purpose, to, data, value = 0n, sidecars, timeoutAt } = request;
    const [head, market] = await Promise.all([latestHead(rpc), readFeeMarket(rpc, sidecars !== undefined)]);
    const sentAt = head.time;
    const sent = { at: performance.now(), l1Block: head.number };
    this.#checkTime(timeoutAt, sentAt);
    const fees = txFees(market, settings, { blobs: sidecars !== undefined });
    const call = { from: signer.address, to, data, value, sidecars, maxFeePerBlobGas: fees.maxFeePerBlobGas };
    const gas = request.gas ?? (await estimateGas(rpc, call, settings.gasLimitBufferPercentage));
    for (let attempt = 1; ; attempt++) {
      const nonce = await this.#nextNonce();
      const draft = { purpose, nonce, to, data, value, gas, fees, sentAt, lastSentAt: sentAt, timeoutAt };
      const tx = await this.#sign(draft, sidecars);
      this.#checkTime(timeoutAt, sentAt);
      const state = this.#keep({ ...draft, hashes: [toHex(tx.hash)] }, sidecars);
      const verdict = await sendRaw(rpc, tx);
      if (verdict.kind === "accepted" || verdict.kind === "unsure") {
        this.#logSent(state, verdict.kind === "unsure" ? verdict.reason : undefined);
        return { nonce, hash: state.hashes[0], outcome: this.#watch(state, verdict.kind === "unsure", sent).outcome };
      }
      this.#forget(state);
      if (verdict.kind === "refused" || attempt === NONCE_ATTEMPTS)
        throw new L1TxNotSentError(this.address, verdict.reason, { cause: verdict.cause });
      this.#options.logger.warn(
        { address: this.address, purpose, nonce, reason: verdict.reason },
        "the nonce of an L1 tx was taken by another tx of the account, taking the next one",
      );
    }
  }

  #checkTime(timeoutAt: number | undefined, l1Time: number): void {
    if (timeoutAt === undefined || (l1Time <= timeoutAt && this.#options.now() <= timeoutAt)) return;
    throw new L1TxNotSentError(this.address, "Transaction timed out before sending", { late: true });
  }

  /**
   * The account's transaction count on L1, or the nonce after an own transaction that the count does not include yet.
   * An own transaction that L1 has lost, for example in a reorg, does not occupy its nonce.
   */
  async #nextNonce(): Promise<number> {
    const { rpc } = this.#options;
    const count = await transactionCount(rpc, this.address, "pending");
    for (const { nonce, hashes, cancelHashes, status } of this.#transactions.toReversed()) {
      if (nonce < count || status === "not mined") continue;
      if (status !== "mined") return nonce + 1;
      const known = await Promise.all([...hashes, ...cancelHashes].map((hash) => isKnown(rpc, hash)));
      if (known.includes(true)) return nonce + 1;
    }
    return count;
  }

  async #sign(
    { nonce, gas, to, value, data, fees }: Pick<UnsignedTx, "nonce" | "gas" | "to" | "value" | "data" | "fees">,
    sidecars: BlobSidecars | undefined,
  ): Promise<SignedTx> {
    const { signer, chainId, signal } = this.#options;
    const unsigned = { chainId, nonce, gas, to, value, data, fees, sidecars };
    return withSignature(unsigned, await signer.signTransaction(unsigned, signal));
  }

  #keep(
    draft: Omit<TxState, "id" | "status" | "cancelHashes" | "hasBlobs" | "minedBlock">,
    sidecars: BlobSidecars | undefined,
  ): TxState {
    const rest = { cancelHashes: [], hasBlobs: sidecars !== undefined, minedBlock: undefined };
    const state = this.#options.states.add(this.address, { ...draft, ...rest, status: "sent" }, sidecars);
    this.#transactions.push(state);
    return state;
  }

  #forget(state: TxState): void {
    this.#options.states.remove(this.address, state);
    this.#transactions.splice(this.#transactions.indexOf(state), 1);
  }

  #logSent(state: TxState, doubt: string | undefined): void {
    const { purpose, nonce, hashes, gas, fees } = state;
    const facts = { address: this.address, purpose, nonce, hash: hashes.at(-1), gas, ...fees };
    if (doubt === undefined) this.#options.logger.debug(facts, "sent an L1 tx");
    else this.#options.logger.warn({ ...facts, reason: doubt }, "L1 may not have received a tx, watching for it");
  }

  #watch(state: TxState, doubtful: boolean, sent: SentMark | undefined): TxWatch {
    const watch = new TxWatch(this.#options, state, { doubtful });
    this.#watches.set(state.id, watch);
    // A caller that does not await the outcome finds it in the log.
    const outcome = watch.outcome.catch(() => undefined);
    void watch.ended.then(async () => {
      this.#watches.delete(state.id);
      this.#finished(state, await outcome, sent);
    });
    return watch;
  }

  #finished(state: TxState, outcome: TxOutcome | undefined, sent: SentMark | undefined): void {
    const { finished } = this.#options;
    // The next run goes on with it.
    if (finished === undefined || isUnfinished(state)) return;
    if (outcome?.kind === "mined") {
      const { receipt } = outcome;
      finished({ fate: receipt.succeeded ? "mined" : "reverted", state, receipt, sent });
    } else {
      const cancelled = state.status === "mined" && state.cancelHashes.length > 0;
      finished({ fate: cancelled ? "cancelled" : "not mined", state, receipt: undefined, sent });
    }
  }

  /** Resolves once no transaction is watched, which is soon after the sender is stopped. */
  async settled(): Promise<void> {
    await this.#sending;
    await Promise.all([...this.#watches.values()].map(({ ended }) => ended));
  }
}
