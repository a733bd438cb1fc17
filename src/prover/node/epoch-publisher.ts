import { L1Error, L1RpcError } from "../../l1/errors.ts";
import { revertName } from "../../l1/propose/revert-name.ts";
import { simulateCall } from "../../l1/propose/simulate.ts";
import { type SubmissionFault, submissionFault } from "../../l1/prove/check-submission.ts";
import { type EpochProofForm, type EpochSubmission, submissionCalldata } from "../../l1/prove/epoch-submission.ts";
import { forwardCalldata } from "../../l1/prove/forward-call.ts";
import { PROOF_VERIFIED_TOPIC, type ProofReader } from "../../l1/prove/proof-reader.ts";
import { isRevert, type L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { hasTopic, latestTime } from "../../l1/tx/account-reads.ts";
import { cannotPay } from "../../l1/tx/cannot-pay.ts";
import { L1SignerError, L1TxNotSentError } from "../../l1/tx/errors.ts";
import type { L1Sender } from "../../l1/tx/l1-sender.ts";
import { rankSenders } from "../../l1/tx/rank-senders.ts";
import type { TxOutcome } from "../../l1/tx/tx-watch.ts";
import type { RollupIdentity, RollupReader } from "../../l1/types.ts";
import type { Logger } from "../../telemetry/logger.ts";

interface EpochPublisherParts {
  readonly rpc: L1Rpc;
  readonly reader: Pick<RollupReader, "latestBlock" | "status">;
  readonly proofs: Pick<ProofReader, "publicInputs" | "hasSubmitted">;
  readonly identity: Pick<RollupIdentity, "addresses" | "constants">;
  /** Of the rollup. */
  readonly generation: EpochProofForm;
  readonly senders: readonly L1Sender[];
  /** Whether an account with a transaction in flight may be used when there is no other. */
  readonly allowBusy: boolean;
  /** For tests: the contract that passes the call on, 0x text. */
  readonly forwarder?: string;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

export interface ProvenEpoch {
  readonly epoch: number;
  readonly submission: EpochSubmission;
  /** What was proven: the 111 words that the verifier takes. */
  readonly publicInputs: readonly Uint8Array[];
  /** Unix milliseconds: L1 takes no proof of the epoch from then on. */
  readonly deadline: number;
}

export type SubmissionOutcome =
  | { readonly kind: "submitted"; readonly txHash: string; readonly l1BlockNumber: number }
  /** L1 has this prover's proof of the same checkpoints. */
  | { readonly kind: "already submitted" }
  | SubmissionFault
  /** L1, a signer or the fee market did not allow it: it may work later. */
  | { readonly kind: "not mined"; readonly reason: string };

const purposeOf = (epoch: number) => `prove epoch ${epoch}`;

/** Submits proofs of epochs to L1 (docs/protocol/04-l1-contracts.md#418-epoch-proofs). */
export class EpochPublisher {
  readonly #parts: EpochPublisherParts;

  constructor(parts: EpochPublisherParts) {
    this.#parts = parts;
    for (const sender of parts.senders) sender.resume();
  }

  /** Waits until the proof is on L1, or it is known that it will not be. Throws only when stopped. */
  async publish(proven: ProvenEpoch): Promise<SubmissionOutcome> {
    try {
      return await this.#publish(proven);
    } catch (error) {
      this.#parts.signal.throwIfAborted();
      if (error instanceof L1RpcError && isRevert(error)) return refused(revertName(error.data ?? "0x"));
      if (error instanceof L1Error || error instanceof L1SignerError || error instanceof L1TxNotSentError) {
        return { kind: "not mined", reason: error.message };
      }
      throw error;
    }
  }

  async #publish(proven: ProvenEpoch): Promise<SubmissionOutcome> {
    const { proofs, allowBusy, senders } = this.#parts;
    const { epoch, submission, publicInputs } = proven;
    const { start, end, proverId } = submission;
    const earlier = this.#earlierOutcome(epoch);
    if (earlier !== undefined) await earlier;
    if (await proofs.hasSubmitted(epoch, end - start + 1, proverId)) return { kind: "already submitted" };
    const fault = await submissionFault(this.#parts, submission, publicInputs);
    if (fault !== undefined) return fault;
    const [first, ...rest] = await rankSenders(senders, allowBusy);
    if (first === undefined) return { kind: "not mined", reason: "all publisher accounts are busy" };
    let sender = first;
    for (const next of rest) {
      try {
        return await this.#send(sender, proven);
      } catch (error) {
        if (!cannotPay(error)) throw error;
        const facts = { epoch, address: sender.address, next: next.address, reason: error.message };
        this.#parts.logger.warn(facts, "an L1 publisher cannot pay, taking the next one");
        sender = next;
      }
    }
    return this.#send(sender, proven);
  }

  /** Outcome of a transaction that an earlier run of the process sent for the epoch. */
  #earlierOutcome(epoch: number): Promise<TxOutcome> | undefined {
    for (const sender of this.#parts.senders) {
      const state = sender.unfinished().find(({ purpose }) => purpose === purposeOf(epoch));
      if (state !== undefined) return sender.outcomeOf(state.id);
    }
    return undefined;
  }

  #call(submission: EpochSubmission): { to: string; data: Uint8Array } {
    const { identity, forwarder, generation } = this.#parts;
    const { rollupAddress } = identity.addresses;
    const data = submissionCalldata(generation, submission);
    return forwarder === undefined
      ? { to: rollupAddress, data }
      : { to: forwarder, data: forwardCalldata(rollupAddress, data) };
  }

  async #send(sender: L1Sender, proven: ProvenEpoch): Promise<SubmissionOutcome> {
    const { rpc, identity } = this.#parts;
    const { epoch, submission, deadline } = proven;
    const call = this.#call(submission);
    const timestamp = (await latestTime(rpc)) / 1000 + identity.constants.ethereumSlotDuration;
    const simulated = await simulateCall(rpc, { from: sender.address, ...call, timestamp });
    if (simulated.kind === "reverted") return refused(simulated.reason);
    const sent = await sender.send({ purpose: purposeOf(epoch), ...call, timeoutAt: deadline });
    const outcome = await sent.outcome;
    if (outcome.kind !== "mined") return { kind: "not mined", reason: outcome.reason };
    const { receipt } = outcome;
    const { rollupAddress } = identity.addresses;
    if (receipt.succeeded && receipt.logs.some((log) => hasTopic(log, rollupAddress, PROOF_VERIFIED_TOPIC))) {
      return { kind: "submitted", txHash: receipt.hash, l1BlockNumber: receipt.blockNumber };
    }
    return { kind: "not mined", reason: `the transaction ${receipt.hash} had no effect` };
  }
}

function refused(reason: string): SubmissionOutcome {
  if (reason.startsWith("Rollup__ProverHaveAlreadySubmitted")) return { kind: "already submitted" };
  return { kind: "wrong", reason: `L1 refuses the proof: ${reason}` };
}
