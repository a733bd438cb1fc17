import type { SlotCommittees } from "../../../l1/committee/slot-committees.ts";
import type { AttestationPool } from "../../../mempool/attestations/attestation-pool.ts";
import type { Equivocations } from "../../../mempool/attestations/equivocations.ts";
import type { BlockProposal } from "../../../protocol/consensus/block-proposal.ts";
import type { CheckpointProposal } from "../../../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../../../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../../../protocol/consensus/recover.ts";
import type { Tx } from "../../../protocol/tx/tx.ts";
import type { SlotTimes } from "./slot-window.ts";

interface ProposalLimits {
  /** Whether blocks may have txs. */
  txsPermitted: boolean;
  /** Most txs of a block; undefined: the protocol's limit. */
  maxTxsPerBlock: number | undefined;
}

/** What the rules for proposals and attestations need. */
export interface ConsensusContext {
  pool: Pick<
    AttestationPool,
    "addBlockProposal" | "addCheckpointProposal" | "addAttestation" | "refusesBlock" | "checkpointProposal"
  >;
  committees: Pick<SlotCommittees, "at">;
  equivocations: Equivocations;
  times: SlotTimes;
  /** Unix milliseconds. */
  now(): number;
  limits: ProposalLimits;
  rollup: MessageRollup;
  /** signerRecovery. */
  recover: RecoverSigner;
  /** Computes the hash of a tx. */
  hashTx(tx: Tx): Uint8Array | Promise<Uint8Array>;
  /** Refuses attestations that contradict the known checkpoint proposal. */
  observer: boolean;
  /** Called with each first valid proposal of a position, after it was forwarded. `from` is a peer id as text. */
  processBlock(proposal: BlockProposal, from: string): void | Promise<void>;
  /**
   * Called with each first valid proposal of a slot, once its last block was processed. `arrived` is the time of its
   * arrival by performance.now().
   */
  processCheckpoint(proposal: CheckpointProposal, from: string, arrived: number): void | Promise<void>;
}
