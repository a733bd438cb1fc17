import type { Fr } from "../../protocol/field.ts";
import type { Program } from "./program.ts";

/** A limit of the transaction (sheet 05 section 9.1) leaves room or not. */
export type LimitOutcome = "ok" | "limit";

/** What a frame runs, or why it fails as one on an undeployed address does (sheet 05 sections 7 and 10.5). */
export type CallTarget = { readonly program: Program } | { readonly unavailable: string };

/** Members of an instance that GETCONTRACTINSTANCE reads. */
export interface ContractInstance {
  readonly deployer: Fr;
  /** Current class id at the block's timestamp. */
  readonly classId: Fr;
  readonly initializationHash: Fr;
}

/**
 * The world around one transaction, as the VM sees it: state, side effects and their limits. Synchronous.
 *
 * Fields are canonical 32-byte big-endian words. Arguments marked "lent" are views of the VM's memory that hold until the
 * method returns: copy what is kept. All others, among them every `contract`, are the host's to keep. A result may be any view;
 * the VM copies it at once.
 *
 * Whatever a method throws ends the run and leaves `Vm.run` unchanged: that is how a transaction becomes unprocessable (an
 * instance without its class, for one). The VM stays usable.
 */
export interface VmHost {
  /**
   * The program of a frame that is about to start at `address`: existence, current class, the limit of distinct classes, which
   * counts here and is not undone by reverts. Called for the run's own frame too.
   */
  callTarget(address: Fr): CallTarget;

  /** Brackets of a nested call that has a program: begun before it, then one of the other two. The run's own frame has none. */
  beginCall(): void;
  commitCall(): void;
  revertCall(): void;

  /** Current value, pending writes included; zero when absent. `contract` and `slot` are lent. */
  storageRead(contract: Fr, slot: Fr): Fr;
  /**
   * Writes a slot; "cold" when no surviving write of this transaction had touched it. On "limit" nothing is written. The VM
   * charges for cold afterwards and reverts the frame when that fails. `slot` and `value` are lent.
   */
  storageWrite(contract: Fr, slot: Fr, value: Fr): "cold" | "warm" | "limit";

  /** Whether the leaf at `index` (any u64) equals `hash` (unique; lent). False at and beyond the tree's size, 2^42. */
  noteHashExists(hash: Fr, index: bigint): boolean;
  /** Silos and makes unique `noteHash` (lent). */
  emitNoteHash(contract: Fr, noteHash: Fr): LimitOutcome;

  /** `siloed` is lent. */
  nullifierExists(siloed: Fr): boolean;
  /** Silos and inserts `nullifier` (lent). */
  emitNullifier(contract: Fr, nullifier: Fr): LimitOutcome | "duplicate";

  /** As for note hashes, below 2^36. */
  l1ToL2MessageExists(hash: Fr, index: bigint): boolean;

  /** Undefined when the contract does not exist at this moment (sheet 05 section 7.1). `address` is lent. */
  contractInstance(address: Fr): ContractInstance | undefined;

  /** `fields` is n x 32 bytes, lent. */
  emitPublicLog(contract: Fr, fields: Uint8Array): LimitOutcome;
  /** `recipient` is below 2^160; both fields are lent. */
  sendL2ToL1Message(contract: Fr, recipient: Fr, content: Fr): LimitOutcome;

  /** Memory reads that debug logs of this transaction may still make (sheet 05 section 3.6). Asked only with collection on. */
  debugLogRoom(): number;
  /**
   * An entry of 2 + message length + number of fields reads. Level 0 to 7. Message bytes and fields (n x 32) are the host's to
   * keep. Entries survive reverts.
   */
  debugLog(contract: Fr, level: number, message: Uint8Array, fields: Uint8Array): void;
}
