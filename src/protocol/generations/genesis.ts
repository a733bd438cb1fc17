/**
 * Accounts and a contract that options fund in the genesis of a release; their addresses are hashes of its artifacts.
 */
export interface FundedRelease {
  readonly name: string;
  /** 0x text. */
  readonly testAccounts: readonly string[];
  /** 0x text. */
  readonly sponsoredFpc: string;
}

export interface GenesisRules {
  /**
   * 0x text: hash of block 0 with nothing prefilled, which the chain tips report whatever is prefilled. Undefined: they
   * report the block's own hash.
   */
  readonly blockHash: string | undefined;
  /** 0x text: hash of the all-zero checkpoint header, reported for checkpoint 0. */
  readonly checkpointHash: string;
  /** Oldest first. */
  readonly releases: readonly FundedRelease[];
}
