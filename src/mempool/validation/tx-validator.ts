import { manaFees } from "../../protocol/fees/gas-fees.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import type { DigestTx } from "../digest/tx-digest.ts";
import type { ProofVerifier } from "../proofs/proof-verifier.ts";
import { type TxFacts, txFacts } from "../tx-facts.ts";
import type { CheckContexts } from "./check-contexts.ts";
import { RECEIVED_CHECKS, RPC_CHECKS, RPC_CHECKS_WITHOUT_FEES, runChecks } from "./check-groups.ts";
import { type GossipOptions, type GossipVerdict, runGossipChecks } from "./gossip-checks.ts";
import { REASON } from "./reasons.ts";
import { invalid, type Verdict } from "./verdict.ts";

export interface ValidatedTx {
  facts: TxFacts;
  verdict: Verdict;
}

export interface RpcCheckOptions {
  /** The proof is left out. */
  isSimulation: boolean;
  /** All gas rules are left out. */
  skipFeeEnforcement: boolean;
}

export interface TxValidatorParts {
  digest: DigestTx;
  contexts: CheckContexts;
  proofs: ProofVerifier;
}

/**
 * Validates txs by where they come from (sheet 06 section 1.1). Proofs are checked last, and only of txs that nothing else is wrong with.
 * Rejects with a DigestQueueFullError, ProofQueueFullError or ProofVerifierMissingError, and over RPC with an L1Error.
 */
export class TxValidator {
  readonly #digest: DigestTx;
  readonly #contexts: CheckContexts;
  readonly #proofs: ProofVerifier;

  constructor({ digest, contexts, proofs }: TxValidatorParts) {
    this.#digest = digest;
    this.#contexts = contexts;
    this.#proofs = proofs;
  }

  /** Of a client. */
  async fromClient(tx: Tx, { isSimulation, skipFeeEnforcement }: RpcCheckOptions): Promise<ValidatedTx> {
    const fees = skipFeeEnforcement ? manaFees(0n) : this.#contexts.currentMinFees();
    const [digest, gasFees] = await Promise.all([this.#digest(tx), fees]);
    const facts = txFacts(tx, digest);
    const context = this.#contexts.next(gasFees);
    const verdict = runChecks(skipFeeEnforcement ? RPC_CHECKS_WITHOUT_FEES : RPC_CHECKS, facts, context);
    return { facts, verdict: isSimulation ? verdict : await this.#withProof(tx, verdict) };
  }

  /** Of a peer's gossip, without its proof. */
  async fromGossip(
    tx: Tx,
    claimedHash: Uint8Array,
    options: GossipOptions,
  ): Promise<GossipVerdict & { facts: TxFacts }> {
    const facts = txFacts(tx, await this.#digest(tx), claimedHash);
    const context = this.#contexts.next(this.#contexts.latestBlockFees());
    return { facts, ...runGossipChecks(facts, context, options) };
  }

  /** Second stage of gossip. */
  proofHolds(tx: Tx): Promise<boolean> {
    return this.#proofs.verify(tx);
  }

  /** Asked for by hash, or sent along with a block proposal. */
  async received(tx: Tx, claimedHash: Uint8Array): Promise<ValidatedTx> {
    const facts = txFacts(tx, await this.#digest(tx), claimedHash);
    const verdict = runChecks(RECEIVED_CHECKS, facts, this.#contexts.next(this.#contexts.latestBlockFees()));
    return { facts, verdict: await this.#withProof(tx, verdict) };
  }

  async #withProof(tx: Tx, verdict: Verdict): Promise<Verdict> {
    if (verdict.result !== "valid") return verdict;
    return (await this.#proofs.verify(tx)) ? verdict : invalid(REASON.proof);
  }
}
