import { type GasFees, manaFees } from "../../protocol/fees/gas-fees.ts";
import { REASON } from "../../protocol/tx/refusal-reasons.ts";
import type { Tx } from "../../protocol/tx/tx.ts";
import { invalid, joined, type Verdict } from "../../protocol/tx/verdict.ts";
import type { Digests } from "../digest/tx-digest.ts";
import { type CheckedTx, checkedTx, digestedFacts, type TxFacts, txFacts, undigestedTx } from "../digest/tx-facts.ts";
import type { ProofVerifier } from "../proofs/proof-verifier.ts";
import type { CheckContexts } from "./check-contexts.ts";
import { RECEIVED_CHECKS, type RpcCheckOptions, rpcChecks, runChecks } from "./check-groups.ts";
import type { CheckContext } from "./checks/context.ts";
import {
  type GossipOptions,
  type GossipVerdict,
  runCheapGossipChecks,
  runDigestGossipChecks,
} from "./gossip-checks.ts";

interface ValidatedTx {
  facts: TxFacts;
  verdict: Verdict;
}

interface TxValidatorParts {
  digests: Digests;
  /** For txs that peers gossip; `digests` by default. */
  peerDigests?: Digests;
  contexts: Pick<CheckContexts, "rules" | "currentMinFees" | "latestBlockFees" | "next">;
  proofs: ProofVerifier;
}

/**
 * Validates txs by where they come from (docs/protocol/07-transactions-and-fees.md#712-which-checks-run-where). The
 * proof is checked last, and only if every other check passed. Rejects with a DigestQueueFullError, ProofQueueFullError
 * or ProofVerifierMissingError, and for RPC clients with an L1Error.
 */
export class TxValidator {
  readonly #digests: Digests;
  readonly #peerDigests: Digests;
  readonly #contexts: TxValidatorParts["contexts"];
  readonly #proofs: ProofVerifier;

  constructor({ digests, peerDigests = digests, contexts, proofs }: TxValidatorParts) {
    this.#digests = digests;
    this.#peerDigests = peerDigests;
    this.#contexts = contexts;
    this.#proofs = proofs;
  }

  /** For a tx that a client sends. */
  async fromClient(tx: Tx, options: RpcCheckOptions): Promise<ValidatedTx> {
    const [digest, gasFees] = await Promise.all([this.#digests.whole(tx), this.#rpcFees(options)]);
    const facts = txFacts(tx, digest, this.#contracts);
    return { facts, verdict: await this.#rpcVerdict(facts, gasFees, options) };
  }

  /** For a client that only asks about a tx. The tx hash is not computed: no claimed hash was sent. */
  async ofQuestion(tx: Tx, options: RpcCheckOptions): Promise<Verdict> {
    const [content, gasFees] = await Promise.all([this.#digests.content(tx), this.#rpcFees(options)]);
    return this.#rpcVerdict(checkedTx(tx, content, this.#contracts), gasFees, options);
  }

  /**
   * First stage for a gossiped tx, without its proof. `facts` is undefined if the tx was invalid before anything was
   * hashed.
   */
  async fromGossip(
    tx: Tx,
    claimedHash: Uint8Array,
    options: GossipOptions,
  ): Promise<GossipVerdict & { facts: TxFacts | undefined }> {
    const undigested = undigestedTx(tx, this.#contracts);
    const cheap = runCheapGossipChecks(undigested, this.#gossipContext(), options);
    if (cheap.verdict.result === "invalid") return { ...cheap, facts: undefined };
    const facts = digestedFacts(undigested, await this.#peerDigests.whole(tx), claimedHash);
    const { verdict, tolerance } = runDigestGossipChecks(facts, this.#gossipContext());
    return { facts, verdict: joined([cheap.verdict, verdict]), tolerance };
  }

  /** Second stage for a gossiped tx: its proof. */
  proofHolds(tx: Tx): Promise<boolean> {
    return this.#proofs.verify(tx);
  }

  /** For a tx requested by hash or sent with a block proposal. */
  async received(tx: Tx, claimedHash: Uint8Array): Promise<ValidatedTx> {
    const facts = txFacts(tx, await this.#digests.whole(tx), this.#contracts, claimedHash);
    const verdict = runChecks(RECEIVED_CHECKS, facts, this.#gossipContext());
    return { facts, verdict: await this.#withProof(tx, verdict) };
  }

  get #contracts(): CheckContext["rules"]["contracts"] {
    return this.#contexts.rules.contracts;
  }

  #gossipContext(): CheckContext {
    return this.#contexts.next(this.#contexts.latestBlockFees());
  }

  async #rpcFees({ skipFeeEnforcement }: RpcCheckOptions): Promise<GasFees> {
    return skipFeeEnforcement ? manaFees(0n) : this.#contexts.currentMinFees();
  }

  async #rpcVerdict(checked: CheckedTx, gasFees: GasFees, options: RpcCheckOptions): Promise<Verdict> {
    const checks = rpcChecks(this.#contexts.rules.transactions, options);
    const verdict = runChecks(checks, checked, this.#contexts.next(gasFees));
    return options.isSimulation ? verdict : this.#withProof(checked.tx, verdict);
  }

  async #withProof(tx: Tx, verdict: Verdict): Promise<Verdict> {
    if (verdict.result !== "valid") return verdict;
    return (await this.#proofs.verify(tx)) ? verdict : invalid(REASON.proof);
  }
}
