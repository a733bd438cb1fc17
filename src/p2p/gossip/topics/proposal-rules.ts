import { MAX_INDEX_WITHIN_CHECKPOINT } from "../../../mempool/attestations/attestation-pool.ts";
import { equal, toHex, word } from "../../../protocol/bytes.ts";
import { type BlockProposal, blockProposalSlot } from "../../../protocol/consensus/block-proposal.ts";
import { signedTxsSigner } from "../../../protocol/consensus/signed-txs.ts";
import type { GossipOutcome } from "../topic.ts";
import type { ConsensusContext } from "./consensus-context.ts";

/** Txs that the blobs of a checkpoint can hold, at six words each. */
const MAX_TXS_IN_BLOBS = 4096;

export const rejected = (tolerance: GossipOutcome["tolerance"], reason: string): GossipOutcome => ({
  result: "reject",
  tolerance,
  reason,
});

export const ignored = (reason: string): GossipOutcome => ({ result: "ignore", reason });

export const NO_SIGNATURE = rejected("mid", "the proposal has no valid signature");

/** Rules 3 and 4: the sender is the slot's proposer. Rejects with an L1Error if the committee cannot be read. */
export async function checkProposer(
  { committees }: Pick<ConsensusContext, "committees">,
  slot: number,
  sender: Uint8Array,
): Promise<GossipOutcome | undefined> {
  const { kind, proposer } = await committees.at(slot);
  if (kind === "none") return rejected("low", `slot ${slot} has no committee`);
  if (kind === "open" || (proposer !== undefined && equal(sender, proposer))) return undefined;
  return rejected("mid", `${toHex(sender)} is not the proposer of slot ${slot}`);
}

/** No checkpoint can hold such a block; a peer that follows the rules may have forwarded it. */
export function tooManyTxs({ txHashes }: Pick<BlockProposal, "txHashes">): GossipOutcome | undefined {
  const count = txHashes.length / 32;
  return count > MAX_TXS_IN_BLOBS ? ignored(`no block has ${count} transactions`) : undefined;
}

/**
 * Rules 5 to 8: the txs of a block that `sender` signed. Txs that came with it must be signed by the sender too (rule 2);
 * they are not hashed for a block that the pool would not take.
 */
export async function checkBlockTxs(
  { limits, pool, hashTx, recover }: Pick<ConsensusContext, "limits" | "pool" | "hashTx" | "recover">,
  proposal: BlockProposal,
  sender: Uint8Array,
): Promise<GossipOutcome | undefined> {
  const { txHashes, signedTxs } = proposal;
  const count = txHashes.length / 32;
  if (!limits.txsPermitted && count + (signedTxs?.txs.length ?? 0) > 0) {
    return rejected("mid", "transactions are not permitted");
  }
  if (limits.maxTxsPerBlock !== undefined && count > limits.maxTxsPerBlock) {
    return rejected("mid", `a block has at most ${limits.maxTxsPerBlock} transactions, got ${count}`);
  }
  if (signedTxs === undefined || pool.refusesBlock(proposal)) return undefined;
  const signer = signedTxsSigner(signedTxs, recover);
  if (signer === undefined || !equal(signer, sender)) {
    return rejected("mid", "the signed transactions are not the proposer's");
  }
  const listed = new Set(Array.from({ length: count }, (_, i) => toHex(word(txHashes, i))));
  for (const { hash } of signedTxs.txs) {
    if (!listed.has(toHex(hash))) return rejected("mid", `transaction ${toHex(hash)} is not one of the block's`);
  }
  for (const { hash, tx } of signedTxs.txs) {
    if (!equal(await hashTx(tx), hash)) return rejected("low", `transaction ${toHex(hash)} has another hash`);
  }
  return undefined;
}

/** The pool's part of the rules for a block, 9 to 12. */
export function admitBlock(
  { pool, equivocations }: Pick<ConsensusContext, "pool" | "equivocations">,
  proposal: BlockProposal,
  proposer: Uint8Array,
): GossipOutcome & { equivocated: boolean } {
  const slot = blockProposalSlot(proposal);
  const index = proposal.indexWithinCheckpoint;
  if (index > MAX_INDEX_WITHIN_CHECKPOINT) {
    const reason = `index within a checkpoint must be at most ${MAX_INDEX_WITHIN_CHECKPOINT}, got ${index}`;
    return { ...rejected("low", reason), equivocated: false };
  }
  const { result, count } = pool.addBlockProposal(proposal);
  const equivocated = count > 1;
  if (result === "exists") return { ...ignored("the block proposal is known"), equivocated };
  if (result === "crowded") return { ...ignored(`slot ${slot} has too many bytes of proposals`), equivocated };
  if (result === "full") {
    return { ...rejected("high", `too many proposals for slot ${slot}, index ${index}`), equivocated };
  }
  if (count === 2) equivocations.proposals.emit({ slot, proposer, kind: "block" });
  return { result: "accept", equivocated };
}
