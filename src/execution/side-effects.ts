import { mapKey } from "../protocol/bytes.ts";
import {
  MAX_L2_TO_L1_MSGS_PER_TX,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  MAX_PUBLIC_DATA_WRITES_PER_TX,
  MAX_PUBLIC_LOG_FIELDS_PER_TX,
} from "../protocol/constants.ts";
import type { Fr } from "../protocol/field.ts";
import type { L2ToL1Message } from "../protocol/tx/accumulated-data.ts";

/**
 * Maximum number of slots that calls may write; one more is reserved for the fee payment
 * (docs/protocol/06-public-execution.md#614-public-storage).
 */
const MAX_USER_SLOTS = MAX_PUBLIC_DATA_WRITES_PER_TX - 1;
/** Fields that each public log takes from the tx's budget besides its own. */
const PUBLIC_LOG_HEADER = 2;

/** The last value written to a contract's slot. */
export interface PendingWrite {
  readonly contract: Fr;
  readonly slot: Fr;
  readonly value: Fr;
}

interface PublicLog {
  contractAddress: Fr;
  fields: Uint8Array;
}

/** A position in the journal to revert to. */
export interface EffectsMark {
  readonly undone: number;
  readonly noteHashes: number;
  readonly nullifiers: number;
  readonly messages: number;
  readonly logs: number;
  readonly logFields: number;
}

/**
 * Journal of the effects of one transaction, in order, with their limits. Reverting to a mark costs as much as the
 * effects after it; keeping them costs nothing.
 */
export class SideEffects {
  /** By slotKey, in order of the first surviving write. */
  readonly #writes = new Map<string, PendingWrite>();
  /** The values that writes replaced, oldest first. */
  readonly #undo: { key: string; before: PendingWrite | undefined }[] = [];
  readonly #noteHashes: Fr[] = [];
  readonly #nullifiers: Fr[] = [];
  readonly #nullifierKeys = new Set<string>();
  readonly #messages: L2ToL1Message[] = [];
  readonly #logs: PublicLog[] = [];
  #logFields = 0;

  get writes(): ReadonlyMap<string, PendingWrite> {
    return this.#writes;
  }
  /** Unique, in order. */
  get noteHashes(): readonly Fr[] {
    return this.#noteHashes;
  }
  /** Siloed, in order. */
  get nullifiers(): readonly Fr[] {
    return this.#nullifiers;
  }
  get messages(): readonly L2ToL1Message[] {
    return this.#messages;
  }
  get logs(): readonly PublicLog[] {
    return this.#logs;
  }

  hasNullifier(siloed: Fr): boolean {
    return this.#nullifierKeys.has(mapKey(siloed));
  }

  get hasNoteHashRoom(): boolean {
    return this.#noteHashes.length < MAX_NOTE_HASHES_PER_TX;
  }
  get hasNullifierRoom(): boolean {
    return this.#nullifiers.length < MAX_NULLIFIERS_PER_TX;
  }
  get hasMessageRoom(): boolean {
    return this.#messages.length < MAX_L2_TO_L1_MSGS_PER_TX;
  }
  hasLogRoom(fields: number): boolean {
    return this.#logFields + PUBLIC_LOG_HEADER + fields <= MAX_PUBLIC_LOG_FIELDS_PER_TX;
  }
  /** Whether one more distinct slot may be written. The fee payment is not subject to this limit. */
  get hasSlotRoom(): boolean {
    return this.#writes.size < MAX_USER_SLOTS;
  }

  write(key: string, write: PendingWrite): void {
    this.#undo.push({ key, before: this.#writes.get(key) });
    this.#writes.set(key, write);
  }

  addNoteHash(unique: Fr): void {
    this.#noteHashes.push(unique);
  }

  /** The caller must have checked that the nullifier is new. */
  addNullifier(siloed: Fr): void {
    this.#nullifiers.push(siloed);
    this.#nullifierKeys.add(mapKey(siloed));
  }

  addMessage(message: L2ToL1Message): void {
    this.#messages.push(message);
  }

  addLog(log: PublicLog): void {
    this.#logs.push(log);
    this.#logFields += PUBLIC_LOG_HEADER + log.fields.length / 32;
  }

  mark(): EffectsMark {
    return {
      undone: this.#undo.length,
      noteHashes: this.#noteHashes.length,
      nullifiers: this.#nullifiers.length,
      messages: this.#messages.length,
      logs: this.#logs.length,
      logFields: this.#logFields,
    };
  }

  /** Undoes everything since the mark; marks taken after it become invalid. */
  revertTo(mark: EffectsMark): void {
    while (this.#undo.length > mark.undone) {
      const { key, before } = this.#undo.pop() as { key: string; before: PendingWrite | undefined };
      // Undoing the first write of a slot removes it from the order; a later write of the slot goes to the end.
      if (before === undefined) this.#writes.delete(key);
      else this.#writes.set(key, before);
    }
    for (const siloed of this.#nullifiers.splice(mark.nullifiers)) this.#nullifierKeys.delete(mapKey(siloed));
    this.#noteHashes.length = mark.noteHashes;
    this.#messages.length = mark.messages;
    this.#logs.length = mark.logs;
    this.#logFields = mark.logFields;
  }
}
