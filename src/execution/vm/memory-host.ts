import type { Core } from "../../core/core.ts";
import { noteHashNonce, siloNoteHash, uniqueNoteHash } from "../../core/derive/note-hash.ts";
import { siloNullifier } from "../../core/derive/nullifier.ts";
import { publicDataLeafSlot } from "../../core/derive/public-storage.ts";
import { readBigUint, toHex } from "../../protocol/bytes.ts";
import {
  MAX_L2_TO_L1_MSGS_PER_TX,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  MAX_PUBLIC_LOG_FIELDS_PER_TX,
} from "../../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../../protocol/field.ts";
import type { CallTarget, ContractInstance, LimitOutcome, VmHost } from "./host.ts";
import type { Program } from "./program.ts";

const MAX_WRITTEN_SLOTS = 63;
const MAX_CLASSES = 21;
const MAX_DEBUG_LOG_READS = 125_000;
const NOTE_HASH_LEAVES = 1n << 42n;
const MESSAGE_LEAVES = 1n << 36n;
/** Fields that a log's length and address take. */
const LOG_HEADER = 2;

/** A contract of a MemoryHost. */
export interface MemoryContract extends ContractInstance {
  readonly program: Program;
}

interface PublicLog {
  readonly contract: Fr;
  readonly fields: Uint8Array;
}

interface SentMessage {
  readonly contract: Fr;
  readonly recipient: Fr;
  readonly content: Fr;
}

interface DebugLogEntry {
  readonly contract: Fr;
  readonly level: number;
  readonly message: string;
  readonly fields: Uint8Array;
}

/** The effects that reverts undo. */
interface Effects {
  /** By leaf slot in hex, in order of the first write. */
  readonly writes: ReadonlyMap<string, Fr>;
  readonly nullifiers: readonly Fr[];
  readonly noteHashes: readonly Fr[];
  readonly logs: readonly PublicLog[];
  readonly messages: readonly SentMessage[];
}

/**
 * A VmHost over plain maps for one transaction, with the limits of
 * docs/protocol/06-public-execution.md#623-limits-of-a-transaction. For tools and tests. The `set` and `add` methods
 * set the state before the transaction. Each call and write copies all effects, so it is slow with many effects.
 */
export class MemoryHost implements VmHost {
  effects: Effects = { writes: new Map(), nullifiers: [], noteHashes: [], logs: [], messages: [] };
  readonly debugLogs: DebugLogEntry[] = [];
  readonly #core: Core;
  readonly #contracts = new Map<string, MemoryContract>();
  readonly #storage = new Map<string, Fr>();
  readonly #nullifiers = new Set<string>();
  readonly #noteHashes: Fr[] = [];
  readonly #messages: Fr[] = [];
  readonly #classes = new Set<string>();
  readonly #checkpoints: Effects[] = [];
  readonly #firstNullifier: Fr;
  #debugLogReads = 0;

  constructor(core: Core, firstNullifier: Fr) {
    this.#core = core;
    this.#firstNullifier = firstNullifier;
    this.effects = { ...this.effects, nullifiers: [firstNullifier] };
  }

  setContract(address: Fr, contract: MemoryContract): void {
    this.#contracts.set(toHex(address), contract);
  }

  setStorage(contract: Fr, slot: Fr, value: Fr): void {
    this.#storage.set(this.#leafSlot(contract, slot), value);
  }

  addNullifier(siloed: Fr): void {
    this.#nullifiers.add(toHex(siloed));
  }

  addNoteHash(unique: Fr): void {
    this.#noteHashes.push(unique);
  }

  addL1ToL2Message(hash: Fr): void {
    this.#messages.push(hash);
  }

  callTarget(address: Fr): CallTarget {
    const contract = this.#contracts.get(toHex(address));
    if (contract === undefined) return { unavailable: `Contract ${toHex(address)} is not deployed` };
    const classId = toHex(contract.classId);
    if (!this.#classes.has(classId) && this.#classes.size === MAX_CLASSES) {
      return { unavailable: `Can't retrieve more than ${MAX_CLASSES} bytecodes per tx` };
    }
    this.#classes.add(classId);
    return { program: contract.program };
  }

  beginCall(): void {
    const { writes, nullifiers, noteHashes, logs, messages } = this.effects;
    this.#checkpoints.push(this.effects);
    this.effects = { writes: new Map(writes), nullifiers, noteHashes, logs, messages };
  }

  commitCall(): void {
    this.#checkpoints.pop();
  }

  revertCall(): void {
    this.effects = this.#checkpoints.pop() ?? this.effects;
  }

  storageRead(contract: Fr, slot: Fr): Fr {
    const leaf = this.#leafSlot(contract, slot);
    return this.effects.writes.get(leaf) ?? this.#storage.get(leaf) ?? FR_ZERO;
  }

  storageWrite(contract: Fr, slot: Fr, value: Fr): "cold" | "warm" | "limit" {
    const writes = new Map(this.effects.writes);
    const leaf = this.#leafSlot(contract, slot);
    const isWarm = writes.has(leaf);
    if (!isWarm && writes.size === MAX_WRITTEN_SLOTS) return "limit";
    writes.set(leaf, value.slice());
    this.effects = { ...this.effects, writes };
    return isWarm ? "warm" : "cold";
  }

  noteHashExists(hash: Fr, index: bigint): boolean {
    return leafEquals([...this.#noteHashes, ...this.effects.noteHashes], NOTE_HASH_LEAVES, hash, index);
  }

  emitNoteHash(contract: Fr, noteHash: Fr): LimitOutcome {
    const { noteHashes } = this.effects;
    if (noteHashes.length === MAX_NOTE_HASHES_PER_TX) return "limit";
    const nonce = noteHashNonce(this.#core, this.#firstNullifier, noteHashes.length);
    const unique = uniqueNoteHash(this.#core, nonce, siloNoteHash(this.#core, contract, noteHash));
    this.effects = { ...this.effects, noteHashes: [...noteHashes, unique] };
    return "ok";
  }

  nullifierExists(siloed: Fr): boolean {
    const text = toHex(siloed);
    return this.#nullifiers.has(text) || this.effects.nullifiers.some((pending) => toHex(pending) === text);
  }

  emitNullifier(contract: Fr, nullifier: Fr): LimitOutcome | "duplicate" {
    const { nullifiers } = this.effects;
    if (nullifiers.length === MAX_NULLIFIERS_PER_TX) return "limit";
    const siloed = siloNullifier(this.#core, contract, nullifier);
    if (this.nullifierExists(siloed)) return "duplicate";
    this.effects = { ...this.effects, nullifiers: [...nullifiers, siloed] };
    return "ok";
  }

  l1ToL2MessageExists(hash: Fr, index: bigint): boolean {
    return leafEquals(this.#messages, MESSAGE_LEAVES, hash, index);
  }

  contractInstance(address: Fr): ContractInstance | undefined {
    return this.#contracts.get(toHex(address));
  }

  emitPublicLog(contract: Fr, fields: Uint8Array): LimitOutcome {
    const { logs } = this.effects;
    const size = (log: Uint8Array): number => LOG_HEADER + log.length / 32;
    const used = logs.reduce((sum, log) => sum + size(log.fields), 0);
    if (used + size(fields) > MAX_PUBLIC_LOG_FIELDS_PER_TX) return "limit";
    this.effects = { ...this.effects, logs: [...logs, { contract, fields: fields.slice() }] };
    return "ok";
  }

  sendL2ToL1Message(contract: Fr, recipient: Fr, content: Fr): LimitOutcome {
    const { messages } = this.effects;
    if (messages.length === MAX_L2_TO_L1_MSGS_PER_TX) return "limit";
    const message = { contract, recipient: recipient.slice(), content: content.slice() };
    this.effects = { ...this.effects, messages: [...messages, message] };
    return "ok";
  }

  debugLogRoom(): number {
    return MAX_DEBUG_LOG_READS - this.#debugLogReads;
  }

  debugLog(contract: Fr, level: number, message: Uint8Array, fields: Uint8Array): void {
    this.#debugLogReads += 2 + message.length + fields.length / 32;
    this.debugLogs.push({ contract, level, message: Buffer.from(message).toString("latin1"), fields });
  }

  #leafSlot(contract: Fr, slot: Fr): string {
    return toHex(publicDataLeafSlot(this.#core, contract, slot));
  }
}

/** Whether leaf `index` of an append-only tree is `hash`; leaves not yet filled are 0. */
function leafEquals(leaves: readonly Fr[], size: bigint, hash: Fr, index: bigint): boolean {
  if (index >= size) return false;
  const leaf = index < leaves.length ? leaves[Number(index)] : FR_ZERO;
  return readBigUint(leaf) === readBigUint(hash);
}
