/** A breach of the rules by a validator, for which it can be slashed. */
export interface Offense {
  /** 20 bytes. */
  validator: Uint8Array;
  /** In the staking asset's smallest unit. */
  amount: bigint;
  offenseType: number;
  /** An epoch for offenses of an epoch, a slot for the others. */
  epochOrSlot: bigint;
}
