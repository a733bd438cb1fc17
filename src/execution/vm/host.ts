import type { Fr } from "../../protocol/field.ts";
import type { Program } from "./program.ts";

/**
 * "limit": a limit of the transaction (docs/protocol/06-public-execution.md#623-limits-of-a-transaction) is reached.
 */
export type LimitOutcome = "ok" | "limit";

/**
 * The program of a frame, or why the call fails like one to an undeployed address
 * (docs/protocol/06-public-execution.md#621-finding-a-contract, docs/protocol/06-public-execution.md#622-class-limit
 * and docs/protocol/06-public-execution.md#632-texts-of-halts).
 */
export type CallTarget = { readonly program: Program } | { readonly unavailable: string };

/** Members of an instance that GETCONTRACTINSTANCE reads. */
export interface ContractInstance {
  readonly deployer: Fr;
  /** Current class id at the block's timestamp. */
  readonly classId: Fr;
  readonly initializationHash: Fr;
  /** Absent in generations whose instances have none. */
  readonly immutablesHash?: Fr;
}

/**
 * The VM's interface to the state and side effects of one transaction, with their limits. Synchronous.
 *
 * Fields are canonical 32-byte big-endian words. Arguments marked "lent" are views of the VM's memory, valid until the
 * method returns: the host must copy what it keeps. It may keep all other arguments, including every `contract`. A
 * result may be a view; the VM copies it at once.
 *
 * An error that a method throws ends the run and passes through `Vm.run` unchanged. This is how a transaction becomes
 * unprocessable, for example by an instance without a class. The VM stays usable.
 */
export interface VmHost {
  /**
   * Returns the program of a frame that is about to start at `address`. It checks that the contract exists, finds its
   * current class, and counts it against the limit of distinct classes; reverts do not undo the count. Called for the
   * run's own frame too.
   */
  callTarget(address: Fr): CallTarget;

  /**
   * Bracket a call: `beginCall` before it, then either `commitCall` or `revertCall`. Only for nested calls that have a
   * program; the run's own frame has no such brackets.
   */
  beginCall(): void;
  commitCall(): void;
  revertCall(): void;

  /** Current value, including pending writes; zero when absent. `contract` and `slot` are lent. */
  storageRead(contract: Fr, slot: Fr): Fr;
  /**
   * Writes a slot; "cold" if it is the slot's first write of this transaction that was not reverted. On "limit" nothing
   * is written. The VM charges for a cold write afterwards; if `canPayCold` is false, that fails and reverts the frame,
   * and the host need not write. `slot` and `value` are lent.
   */
  storageWrite(contract: Fr, slot: Fr, value: Fr, canPayCold: boolean): "cold" | "warm" | "limit";

  /** Whether the leaf at `index` (any u64) equals `hash` (unique; lent). False at and beyond the tree's size, 2^42. */
  noteHashExists(hash: Fr, index: bigint): boolean;
  /** Silos `noteHash` (lent), makes it unique and appends it. */
  emitNoteHash(contract: Fr, noteHash: Fr): LimitOutcome;

  /** `siloed` is lent. */
  nullifierExists(siloed: Fr): boolean;
  /** Silos and inserts `nullifier` (lent). */
  emitNullifier(contract: Fr, nullifier: Fr): LimitOutcome | "duplicate";

  /** As for note hashes, but the tree's size is 2^36. */
  l1ToL2MessageExists(hash: Fr, index: bigint): boolean;

  /**
   * Undefined when the contract does not exist at this point
   * (docs/protocol/06-public-execution.md#621-finding-a-contract). `address` is lent.
   */
  contractInstance(address: Fr): ContractInstance | undefined;

  /** `fields` is n x 32 bytes, lent. */
  emitPublicLog(contract: Fr, fields: Uint8Array): LimitOutcome;
  /** `recipient` is below 2^160; both fields are lent. */
  sendL2ToL1Message(contract: Fr, recipient: Fr, content: Fr): LimitOutcome;

  /**
   * Remaining memory reads of this transaction's debug logs (docs/protocol/06-public-execution.md#620-debug-logs).
   * Called only when debug logs are collected.
   */
  debugLogRoom(): number;
  /**
   * Adds an entry, which counts 2 + message length + number of fields reads. Level 0 to 7. The host may keep message
   * and fields (n x 32). Entries survive reverts.
   */
  debugLog(contract: Fr, level: number, message: Uint8Array, fields: Uint8Array): void;
}
