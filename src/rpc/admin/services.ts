import type { ConfigValues } from "./config-keys.ts";

/** The running configuration that admin calls read and change. */
export interface RuntimeConfig {
  current(): ConfigValues;
  /** Merges; services that heed a changed key are told before the call returns. Throws, and nothing changes, what one cannot work with. */
  change(values: ConfigValues): void;
}

/** Sync of chain and world state, which are one. */
export interface SyncControl {
  /** Resolves once nothing is written any more. Repeating it is harmless. */
  pause(): Promise<void>;
  resume(): void;
  /**
   * Rejects with a RollbackRefusedError. With `force` behind the finalized block too. Sync runs afterwards, also after a failure, when
   * `resumeSync` is true, and stands still when it is false.
   */
  rollBackTo(block: number, options: { force: boolean; resumeSync: boolean }): Promise<void>;
}

export interface SnapshotUploader {
  /** Begins an upload in the background. Throws when none can begin; what fails later is logged. */
  startUpload(location: string): void;
}

export interface KeystoreControl {
  /** Rejects, with the keys in force unchanged, when the files cannot take their place. */
  reload(): Promise<void>;
}

/** Block production. */
export interface SequencerControl {
  /** Stops building blocks; pending txs stay where they are. Repeating it is harmless. */
  pause(): void;
  /** Undoes pause; without one it does nothing. */
  resume(): void;
}

/** A round, `current` for the one that is running, `all` for every stored one. */
export type SlashRound = bigint | "all" | "current";

export interface Offense {
  /** 20 bytes. */
  validator: Uint8Array;
  /** In the staking asset's smallest unit. */
  amount: bigint;
  offenseType: number;
  /** An epoch for offenses of an epoch, a slot for the others. */
  epochOrSlot: bigint;
}

export interface SlashPayloadRound {
  /** 20 bytes. */
  address: Uint8Array;
  slashes: {
    validator: Uint8Array;
    amount: bigint;
    offenses: Pick<Offense, "epochOrSlot" | "offenseType">[];
  }[];
  /** Seconds. */
  timestamp: bigint;
  votes: bigint;
  round: bigint;
}

export interface Slasher {
  offenses(round: SlashRound): Promise<Offense[]>;
  payloads(): Promise<SlashPayloadRound[]>;
}

/** What admin methods act on. Undefined: not part of this node. */
export interface AdminServices {
  config: RuntimeConfig;
  sync: SyncControl;
  keystore: KeystoreControl;
  snapshots: SnapshotUploader | undefined;
  sequencer: SequencerControl | undefined;
  slasher: Slasher | undefined;
}
