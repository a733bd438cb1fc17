import type { SlotCommittee } from "../../../l1/committee/slot-committees.ts";
import { MAX_INDEX_WITHIN_CHECKPOINT } from "../../../mempool/attestations/attestation-pool.ts";
import { equal, toHex } from "../../../protocol/bytes.ts";
import { type BlockProposal, blockProposalSlot } from "../../../protocol/consensus/block-proposal.ts";
import { items } from "../../../protocol/tx-effect.ts";
import type { GossipOutcome } from "../topic.ts";
import type { ConsensusContext } from "./consensus-context.ts";
import { signedTxsSignerInTurns } from "./signed-txs-signer.ts";

/** Txs that the blobs of a checkpoint can hold, at six words each. */
const MAX_TXS_IN_BLOBS = 4096;

export const rejected = (tolerance: GossipOutcome["tolerance"], reason: string): GossipOutcome => ({
  result: "reject",
  tolerance,
  reason,
});

export const ignored = (reason: string): GossipOutcome => ({ result: "ignore", reason });

export const NO_SIGNATURE = rejected("mid", "the proposal has no valid signature");

/** The committee of a slot cannot be read from L1. SlotCommittees logs why, once for each read. */
export class CommitteeUnknownError extends Error {
  readonly slot: number;

  constructor(slot: number, cause: unknown) {
    super(`the committee of slot ${slot} cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
    this.name = "CommitteeUnknownError";
    this.slot = slot;
  }
}

/** Rejects with a CommitteeUnknownError. */
export async function committeeOfSlot(
  { committees }: Pick<ConsensusContext, "committees">,
  slot: number,
): Promise<SlotCommittee> {
  try {
    return await committees.at(slot);
  } catch (error) {
    throw new CommitteeUnknownError(slot, error);
  }
}

/** Rules 3 and 4: the sender is the slot's proposer. Rejects with a CommitteeUnknownError. */
export async function checkProposer(
  context: Pick<ConsensusContext, "committees">,
  slot: number,
  sender: Uint8Array,
): Promise<GossipOutcome | undefined> {
  const { kind, proposer } = await committeeOfSlot(context, slot);
  if (kind === "none") return rejected("low", `slot ${slot} has no committee`);
  if (kind === "open" || (proposer !== undefined && equal(sender, proposer))) return undefined;
  return rejected("mid", `${toHex(sender)} is not the proposer of slot ${slot}`);
}

/**
 * Rules 5 and 6: the number of a block's txs. Checked first, because all hashes are hashed for the signature. A number
 * that no checkpoint can hold is ignored: a peer that follows the rules may have forwarded it.
 */
export function checkTxCount(
  { limits }: Pick<ConsensusContext, "limits">,
  { txHashes, signedTxs }: Pick<BlockProposal, "txHashes" | "signedTxs">,
): GossipOutcome | undefined {
  const count = txHashes.length / 32;
  if (!limits.txsPermitted && count + (signedTxs?.txs.length ?? 0) > 0) {
    return rejected("mid", "transactions are not permitted");
  }
  if (limits.maxTxsPerBlock !== undefined && count > limits.maxTxsPerBlock) {
    return rejected("mid", `a block has at most ${limits.maxTxsPerBlock} transactions, got ${count}`);
  }
  return count > MAX_TXS_IN_BLOBS ? ignored(`no block has ${count} transactions`) : undefined;
}

/**
 * Rules 7 and 8: the txs that came with a block. Its `sender` must have signed them too (rule 2). They are not hashed
 * for a block that the pool would not take.
 */
export async function checkSignedTxs(
  { pool, hashTx, recover, rollup }: Pick<ConsensusContext, "pool" | "hashTx" | "recover" | "rollup">,
  proposal: BlockProposal,
  sender: Uint8Array,
): Promise<GossipOutcome | undefined> {
  const { txHashes, signedTxs } = proposal;
  if (signedTxs === undefined || pool.refusesBlock(proposal)) return undefined;
  const signer = await signedTxsSignerInTurns(signedTxs, { recover, rollup });
  if (signer === undefined || !equal(signer, sender)) {
    return rejected("mid", "the signed transactions are not the proposer's");
  }
  const listed = new Set(items(txHashes).map(toHex));
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
