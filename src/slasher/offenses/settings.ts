/**
 * Settings of the slasher and its watchers, read whenever they are needed. Penalties are in the staking
 * asset's smallest unit. Addresses are lower-case 0x text.
 */
export interface SlasherSettings {
  /** Empire: the payload to vote for, whatever was observed. */
  overridePayload: string | undefined;
  /** Empire: the least and the largest penalty of a payload to vote for, as factors of this node's own penalty. */
  minPenaltyPercentage: number;
  maxPenaltyPercentage: number;
  validatorsAlways: readonly string[];
  validatorsNever: readonly string[];
  prunePenalty: bigint;
  dataWithholdingPenalty: bigint;
  broadcastedInvalidBlockPenalty: bigint;
  duplicateProposalPenalty: bigint;
  duplicateAttestationPenalty: bigint;
  proposeInvalidAttestationsPenalty: bigint;
  attestDescendantOfInvalidPenalty: bigint;
  unknownPenalty: bigint;
  offenseExpirationRounds: number;
  /** Most validators in one vote. */
  maxPayloadSize: number;
  /** Slots after the rollup's registration in which no offenses are recorded. */
  gracePeriodL2Slots: number;
  /** Past rounds that are searched for one to execute. */
  executeRoundsLookBack: number;
  /** Whether the node's own validators may be voted on. */
  selfAllowed: boolean;
}
