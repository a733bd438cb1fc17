export interface LocalAccounts {
  /** Accounts that L1 itself signs for; balances in wei. */
  readonly l1: readonly { address: string; balance: bigint }[];
  /** Accounts and contracts of the set-up. The keys are known to everybody. */
  readonly l2: readonly { name: string; address: string; secretKey: string | undefined; feeJuice: bigint }[];
}

/** What its owner needs to claim deposited fee juice on L2; 0x texts. */
export interface FeeJuiceClaim {
  readonly amount: bigint;
  readonly secret: string;
  readonly secretHash: string;
  readonly messageHash: string;
  readonly leafIndex: bigint;
}

/** Controls of a local network. Every operation covers L1 and the node together; one runs at a time. */
export interface LocalNetworkControl {
  /** Writes the whole state to one file, which replaces an earlier one. */
  dumpState(file: string): Promise<void>;
  /** Replaces the whole state by that of a file. Resolves once the node serves it. */
  loadState(file: string): Promise<void>;
  /** Returns the id of the snapshot. */
  snapshot(): Promise<string>;
  /** Ids of the snapshots, oldest first. */
  snapshots(): string[];
  /** Goes back to a snapshot, which is then gone, as are later ones. False if there is none with this id. */
  revert(id: string): Promise<boolean>;
  /** Begins again with a new network of the same configuration. */
  reset(): Promise<void>;
  /** Moves time so that the next block has the first possible timestamp from `timestamp` on, in seconds. */
  setNextBlockTimestamp(timestamp: number): Promise<void>;
  /** As setNextBlockTimestamp, `seconds` after the latest block. */
  advanceNextBlockTimestampBy(seconds: number): Promise<void>;
  /** Mines the pending transactions, or an empty block. Resolves once the block is on L1. */
  mineBlock(): Promise<void>;
  accounts(): Promise<LocalAccounts>;
  /** Sends ETH to an L1 account, 0x text. */
  giveEther(to: string, ether: number): Promise<void>;
  /** Deposits fee juice for an L2 address. */
  depositFeeJuice(to: Uint8Array): Promise<FeeJuiceClaim>;
}
