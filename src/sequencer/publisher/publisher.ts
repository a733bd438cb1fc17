import { setTimeout as sleep } from "node:timers/promises";
import type { InvalidProposal } from "../../archiver/tables/invalid-proposal.ts";
import { MULTICALL3_ADDRESS } from "../../l1/abi/multicall3.ts";
import type { BackgroundUploads } from "../../l1/blobs/background-uploads.ts";
import type { Kzg } from "../../l1/blobs/kzg.ts";
import { L1Error } from "../../l1/errors.ts";
import { proposedIn } from "../../l1/propose/proposed-in.ts";
import { blobSidecars, kzgPart, wantsCellProofs } from "../../l1/propose/sidecars.ts";
import type { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { cannotPay } from "../../l1/tx/cannot-pay.ts";
import { L1SignerError, L1TxNotSentError } from "../../l1/tx/errors.ts";
import type { L1Sender } from "../../l1/tx/l1-sender.ts";
import { rankSenders } from "../../l1/tx/rank-senders.ts";
import type { L1TxSettings } from "../../l1/tx/settings.ts";
import type { BlobSidecars } from "../../l1/tx/transaction.ts";
import type { TxOutcome } from "../../l1/tx/tx-watch.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { slotAt } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type Invalidation, invalidateRequest } from "./invalidate-request.ts";
import { proposeRequest, revertReason } from "./propose-request.ts";
import { sendBundle } from "./send-bundle.ts";
import type { CheckpointToPublish, PublishOutcome, PublishRequest, RequestsToPublish } from "./types.ts";

interface PublisherParts {
  rpc: L1Rpc;
  identity: Pick<RollupIdentity, "l1ChainId" | "addresses" | "constants">;
  generation: Pick<Generation, "consensus" | "l1">;
  /** One for each publisher account. */
  senders: readonly L1Sender[];
  /** Accounts (lower-case 0x text) that may publish for an attester. */
  publishersOf(attester: string): readonly string[];
  settings: L1TxSettings;
  /** Whether an account with a transaction in flight may be used when there is no other. */
  allowBusy: boolean;
  /** For tests: the contract that transactions call instead of Multicall3, 0x text. */
  forwarder?: string;
  kzg: Pick<Kzg, "load" | "prove">;
  /** Stores the blobs of each checkpoint that is sent; closed by its owner, like senders and KZG. */
  uploads?: Pick<BackgroundUploads, "add">;
  /** Unix milliseconds. */
  now(): number;
  signal: AbortSignal;
  logger: Logger;
}

const proposalPurpose = (slot: number) => `propose for slot ${slot}`;

/**
 * Publishes checkpoints and votes to L1 (docs/protocol/08-building-and-checkpoints.md#816-requests-to-l1). Every
 * outcome is also logged.
 */
export class Publisher {
  readonly #parts: PublisherParts;
  readonly #slots = new Set<number>();

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    parts.kzg.load(kzgPart(parts.identity.l1ChainId));
    for (const sender of parts.senders) sender.resume();
  }

  /**
   * Proposes a checkpoint, once per slot, and waits until it is on L1 or has timed out. A refusal by L1, a signer or
   * the KZG library is returned as an outcome; it throws only when stopped. A transaction in flight at the stop is
   * watched by the next run of the process.
   */
  async publishCheckpoint(publication: CheckpointToPublish): Promise<PublishOutcome> {
    const { slot, checkpoint, signal } = publication;
    const { logger } = this.#parts;
    const facts = { slot, checkpointNumber: checkpoint.checkpointNumber };
    let outcome: PublishOutcome;
    if (this.#slots.has(slot)) {
      outcome = { kind: "rejected", reason: `a checkpoint for slot ${slot} is being published` };
    } else {
      this.#slots.add(slot);
      const work = this.#publish(publication)
        .catch((error: unknown) => this.#refused(error))
        .finally(() => this.#slots.delete(slot));
      outcome = await this.#inTime(work, publication);
    }
    signal?.throwIfAborted();
    if (outcome.kind === "published") {
      const { txHash, l1BlockNumber } = outcome;
      logger.info(
        { ...facts, txHash, l1BlockNumber },
        "published checkpoint {checkpointNumber} of slot {slot} in L1 block {l1BlockNumber}",
      );
    } else logger.warn({ ...facts, ...outcome }, "checkpoint {checkpointNumber} of slot {slot} was not published");
    return outcome;
  }

  /** Whether a checkpoint of the slot is being published, be it in a transaction that an earlier run sent. */
  isPublishing(slot: number): boolean {
    const purpose = proposalPurpose(slot);
    const isSent = this.#parts.senders.some((sender) => sender.unfinished().some((tx) => tx.purpose === purpose));
    return isSent || this.#slots.has(slot);
  }

  /**
   * The call that removes a checkpoint with bad attestations from L1; undefined if it is gone. Throws an
   * InvalidationRefusedError or L1Error.
   */
  invalidation(invalid: InvalidProposal, slot: number): Promise<Invalidation | undefined> {
    return invalidateRequest(this.#parts, invalid, slot);
  }

  /**
   * Sends requests without a checkpoint and logs the outcome. Throws L1TxNotSentError, L1SignerError or an L1Error.
   */
  async publishRequests({ slot, attester, requests }: RequestsToPublish): Promise<void> {
    const [sender] = await this.#rankedSenders(attester);
    if (sender === undefined) this.#parts.logger.warn({ slot }, "no publisher is available to send votes");
    else await this.#sendRequests(sender, requests);
  }

  /** Ends the wait by the local clock, because an L1 that does not answer gives no time either. */
  async #inTime(work: Promise<PublishOutcome>, { timeoutAt, signal }: CheckpointToPublish): Promise<PublishOutcome> {
    const { now, identity } = this.#parts;
    const ended = new AbortController();
    const stops = [ended.signal, this.#parts.signal, ...(signal ? [signal] : [])];
    const grace = identity.constants.ethereumSlotDuration * 1000;
    const wait = Math.max(0, timeoutAt - now()) + grace;
    const late = sleep(wait, undefined, { signal: AbortSignal.any(stops) }).then(
      (): PublishOutcome => ({ kind: "timed out", reason: "L1 did not answer in time" }),
    );
    try {
      return await Promise.race([work, late]);
    } finally {
      ended.abort();
      late.catch(() => {});
      work.catch(() => {});
    }
  }

  #refused(error: unknown): PublishOutcome {
    this.#parts.signal.throwIfAborted();
    if (error instanceof L1TxNotSentError)
      return { kind: error.late ? "timed out" : "rejected", reason: error.message };
    if (error instanceof L1Error || error instanceof L1SignerError) return { kind: "rejected", reason: error.message };
    this.#parts.logger.error({ err: error }, "publishing failed");
    return { kind: "rejected", reason: error instanceof Error ? error.message : String(error) };
  }

  async #publish(publication: CheckpointToPublish): Promise<PublishOutcome> {
    const { slot, checkpoint, attester } = publication;
    const earlier = await this.#earlierProposal(slot, checkpoint.archiveRoot);
    if (earlier) return earlier;
    if (this.#currentSlot() > slot) return { kind: "expired", reason: `slot ${slot} is over` };
    const [first, ...rest] = await this.#rankedSenders(attester);
    if (first === undefined) return { kind: "no publisher", reason: "Failed to find an available publisher." };
    const { kzg, identity, logger } = this.#parts;
    const sidecars = await blobSidecars(kzg, checkpoint.blobs, wantsCellProofs(identity.l1ChainId));
    let sender = first;
    for (const next of rest) {
      try {
        return await this.#publishWith(sender, publication, sidecars);
      } catch (error) {
        if (!cannotPay(error)) throw error;
        const facts = { slot, address: sender.address, next: next.address, reason: error.message };
        logger.warn(facts, "an L1 publisher cannot pay, taking the next one");
        sender = next;
      }
    }
    return this.#publishWith(sender, publication, sidecars);
  }

  async #publishWith(
    sender: L1Sender,
    publication: CheckpointToPublish,
    sidecars: BlobSidecars,
  ): Promise<PublishOutcome> {
    const { slot, checkpoint, others = [], signal } = publication;
    const proposal = await proposeRequest(this.#parts, sender, publication, sidecars);
    if ("kind" in proposal) {
      if (others.length > 0) await this.#sendRequests(sender, others);
      return proposal;
    }
    signal?.throwIfAborted();
    const { blobs, commitments, versionedHashes } = sidecars;
    this.#parts.uploads?.add(
      blobs.map((data, i) => ({ data, commitment: commitments[i], versionedHash: versionedHashes[i] })),
    );
    const requests = [proposal, ...others];
    const bundle = { purpose: proposalPurpose(slot), requests, sidecars, slot: this.#currentSlot() };
    const { logger } = this.#parts;
    const outcome = await sendBundle(sender, this.#target, bundle, logger);
    void this.#logBalance(sender);
    if (outcome.kind === "expired") return { kind: "expired", reason: `slot ${slot} is over` };
    if (outcome.kind !== "mined") return this.#proposed(outcome, checkpoint.archiveRoot);
    for (const request of outcome.failed) await this.#explain(request, slot);
    const invalidated = outcome.successful.find((action) => action.startsWith("invalidate-"));
    if (invalidated !== undefined) logger.info({ slot, action: invalidated }, "removed a bad checkpoint from L1");
    const failed = outcome.failed.includes(proposal);
    const reason = failed ? await revertReason(this.#parts, proposal, slot) : undefined;
    return this.#proposed({ kind: "mined", receipt: outcome.receipt }, checkpoint.archiveRoot, reason);
  }

  get #target(): string {
    return this.#parts.forwarder ?? MULTICALL3_ADDRESS;
  }

  #currentSlot(): number {
    return slotAt(Math.floor(this.#parts.now() / 1000), this.#parts.identity.constants);
  }

  #rankedSenders(attester: string | undefined): Promise<L1Sender[]> {
    const { senders, publishersOf, allowBusy } = this.#parts;
    const allowed = attester === undefined ? undefined : publishersOf(attester);
    const own = allowed === undefined ? senders : senders.filter(({ address }) => allowed.includes(address));
    return rankSenders(own, allowBusy);
  }

  /** The outcome of a proposal that an earlier run of the process sent for the slot: a slot gets no second one. */
  async #earlierProposal(slot: number, archiveRoot: Uint8Array): Promise<PublishOutcome | undefined> {
    for (const sender of this.#parts.senders) {
      const state = sender.unfinished().find(({ purpose }) => purpose === proposalPurpose(slot));
      const outcome = state && sender.outcomeOf(state.id);
      if (outcome) return this.#proposed(await outcome, archiveRoot, `slot ${slot} was proposed by an earlier run`);
    }
    return undefined;
  }

  #proposed(outcome: TxOutcome, archiveRoot: Uint8Array, reason?: string): PublishOutcome {
    if (outcome.kind === "timed out") return { kind: "timed out", reason: outcome.reason };
    if (outcome.kind === "replaced") return { kind: "rejected", reason: outcome.reason };
    const { receipt } = outcome;
    if (proposedIn(receipt, this.#parts.identity.addresses.rollupAddress, archiveRoot))
      return { kind: "published", txHash: receipt.hash, l1BlockNumber: receipt.blockNumber };
    return { kind: "rejected", reason: `${reason ?? "L1 did not take the proposal"} (${receipt.hash})` };
  }

  async #sendRequests(sender: L1Sender, requests: readonly PublishRequest[]): Promise<void> {
    const slot = this.#currentSlot();
    const outcome = await sendBundle(sender, this.#target, { purpose: "votes", requests, slot }, this.#parts.logger);
    const actions = requests.map(({ action }) => action);
    if (outcome.kind !== "mined")
      return this.#parts.logger.warn({ actions, slot, ...outcome }, "requests to L1 were not mined");
    for (const request of outcome.failed) await this.#explain(request, slot);
    const { successful } = outcome;
    if (successful.length > 0)
      this.#parts.logger.info({ successful, slot }, "requests without a checkpoint took effect on L1");
  }

  async #explain(request: PublishRequest, slot: number): Promise<void> {
    const reason = await revertReason(this.#parts, request, slot);
    this.#parts.logger.error({ action: request.action, slot, reason }, "a request to L1 had no effect");
  }

  async #logBalance(sender: L1Sender): Promise<void> {
    const { logger } = this.#parts;
    try {
      logger.debug({ address: sender.address, balance: await sender.balance() }, "balance of an L1 publisher");
    } catch (error) {
      logger.debug({ address: sender.address, err: error }, "the balance of an L1 publisher cannot be read");
    }
  }
}
