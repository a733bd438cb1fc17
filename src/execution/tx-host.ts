import { equal, readBigUint, toHex } from "../protocol/bytes.ts";
import type { Fr } from "../protocol/field.ts";
import type { BlockState } from "./block-state.ts";
import { isProtocolAddress } from "./contract-directory.ts";
import { UnprocessableTxError } from "./errors.ts";
import { DEBUG_LOG_LEVELS, type DebugLog } from "./executed-tx.ts";
import { type EffectsMark, type PendingWrite, SideEffects } from "./side-effects.ts";
import { slotKey } from "./siloing.ts";
import type { CallTarget, ContractInstance, LimitOutcome, VmHost } from "./vm/host.ts";
import type { Vm } from "./vm/vm.ts";

export const NOTE_HASH_TREE_LEAVES = 1n << 42n;
export const MESSAGE_TREE_LEAVES = 1n << 36n;
/** Maximum number of distinct classes that one tx may load (docs/protocol/06-public-execution.md#622-class-limit). */
const MAX_CLASSES_PER_TX = 21;

export interface TxHostOptions {
  vm: Vm;
  state: BlockState;
  /** Used to make note hashes unique. */
  firstNullifier: Fr;
  /** Maximum number of memory reads of debug logs in one tx. */
  maxDebugLogReads: number;
}

/** A position to revert effects and published contracts to. */
export interface TxMark {
  effects: EffectsMark;
  contracts: number;
}

/**
 * One transaction's view of the state: the block's state overlaid with its own effects
 * (docs/protocol/06-public-execution.md#614-public-storage,
 * docs/protocol/06-public-execution.md#615-nullifiers-and-note-hashes,
 * docs/protocol/06-public-execution.md#616-messages-and-logs,
 * docs/protocol/06-public-execution.md#621-finding-a-contract and
 * docs/protocol/06-public-execution.md#622-class-limit).
 */
export class TxHost implements VmHost {
  readonly effects = new SideEffects();
  readonly debugLogs: DebugLog[] = [];
  readonly #vm: Vm;
  protected readonly state: BlockState;
  readonly #firstNullifier: Fr;
  /** Classes loaded so far. Reverts of calls or phases do not remove any. */
  readonly #classes = new Set<string>();
  readonly #calls: EffectsMark[] = [];
  #debugLogRoom: number;

  constructor({ vm, state, firstNullifier, maxDebugLogReads }: TxHostOptions) {
    this.#vm = vm;
    this.state = state;
    this.#firstNullifier = firstNullifier;
    this.#debugLogRoom = maxDebugLogReads;
  }

  /** Called before each enqueued call. */
  beginRun(): void {}

  /** Begins what may be reverted as a whole: app logic and teardown. */
  mark(): TxMark {
    return { effects: this.effects.mark(), contracts: this.state.contracts.mark() };
  }

  revertTo({ effects, contracts }: TxMark): void {
    this.effects.revertTo(effects);
    this.state.contracts.revertTo(contracts);
    this.#calls.length = 0;
  }

  /** Nothing will be reverted to the mark. */
  keep(_mark: TxMark): void {}

  callTarget(address: Fr): CallTarget {
    const instance = this.contractInstance(address);
    if (instance === undefined) return { unavailable: `Contract ${shortHex(address)} is not deployed` };
    const key = toHex(instance.classId);
    if (!this.#classes.has(key)) {
      if (this.#classes.size >= MAX_CLASSES_PER_TX) {
        return { unavailable: `Can't retrieve more than ${MAX_CLASSES_PER_TX} bytecodes per tx` };
      }
      this.#classes.add(key);
    }
    const program = this.#vm.program(key);
    if (program !== undefined) return { program };
    const bytecode = this.state.contracts.contractClass(instance.classId)?.packedBytecode;
    if (bytecode === undefined) {
      throw new UnprocessableTxError(`Contract class ${key} of contract ${toHex(address)} is not known`);
    }
    return { program: this.#vm.load(key, bytecode) };
  }

  beginCall(): void {
    this.#calls.push(this.effects.mark());
  }

  commitCall(): void {
    this.#calls.pop();
  }

  revertCall(): void {
    const mark = this.#calls.pop();
    if (mark !== undefined) this.effects.revertTo(mark);
  }

  storageRead(contract: Fr, slot: Fr): Fr {
    const key = slotKey(contract, slot);
    return this.effects.writes.get(key)?.value ?? this.state.storage(key, contract, slot);
  }

  storageWrite(contract: Fr, slot: Fr, value: Fr, canPayCold: boolean): "cold" | "warm" | "limit" {
    const key = slotKey(contract, slot);
    const before = this.effects.writes.get(key);
    if (before === undefined && !this.effects.hasSlotRoom) return "limit";
    if (before === undefined && !canPayCold) return "cold";
    this.write(key, {
      contract,
      slot: before?.slot ?? slot.slice(),
      value: value.slice(),
    });
    return before === undefined ? "cold" : "warm";
  }

  /** Writes a slot without any limit. `key` is slotKey(contract, slot). */
  write(key: string, write: PendingWrite): void {
    this.effects.write(key, write);
  }

  noteHashExists(hash: Fr, index: bigint): boolean {
    if (index >= NOTE_HASH_TREE_LEAVES) return false;
    const position = Number(index);
    const pending = position - this.state.noteHashCount;
    const leaf = pending >= 0 ? this.effects.noteHashes[pending] : undefined;
    return equal(leaf ?? this.state.noteHashAt(position), hash);
  }

  emitNoteHash(contract: Fr, noteHash: Fr): LimitOutcome {
    if (!this.effects.hasNoteHashRoom) return "limit";
    this.addSiloedNoteHash(this.state.siloing.noteHash(contract, noteHash));
    return "ok";
  }

  /** Makes a siloed note hash unique and adds it. The caller must have checked the limit. */
  addSiloedNoteHash(siloed: Fr): void {
    const { noteHashes } = this.effects;
    this.addNoteHash(this.state.siloing.uniqueNoteHash(this.#firstNullifier, noteHashes.length, siloed));
  }

  /** Adds a unique note hash. The caller must have checked the limit. */
  addNoteHash(unique: Fr): void {
    this.effects.addNoteHash(unique);
  }

  nullifierExists(siloed: Fr): boolean {
    return this.hasNullifier(siloed);
  }

  protected hasNullifier(siloed: Fr): boolean {
    return this.effects.hasNullifier(siloed) || this.state.hasNullifier(siloed);
  }

  emitNullifier(contract: Fr, nullifier: Fr): LimitOutcome | "duplicate" {
    if (!this.effects.hasNullifierRoom) return "limit";
    return this.addNullifier(this.state.siloing.nullifier(contract, nullifier)) ? "ok" : "duplicate";
  }

  /** Adds a siloed nullifier; false if it exists. The caller must have checked the limit. */
  addNullifier(siloed: Fr): boolean {
    if (this.hasNullifier(siloed)) return false;
    this.effects.addNullifier(siloed);
    return true;
  }

  l1ToL2MessageExists(hash: Fr, index: bigint): boolean {
    return index < MESSAGE_TREE_LEAVES && equal(this.state.l1ToL2MessageAt(Number(index)), hash);
  }

  contractInstance(address: Fr): ContractInstance | undefined {
    const { contracts, siloing } = this.state;
    if (isProtocolAddress(address)) return contracts.storedInstance(address);
    if (!this.nullifierExists(siloing.deploymentNullifier(address))) return undefined;
    const instance = contracts.instance(address);
    if (instance === undefined) {
      throw new UnprocessableTxError(`Contract instance of ${toHex(address)} should be found if its nullifier exists`);
    }
    return instance;
  }

  emitPublicLog(contract: Fr, fields: Uint8Array): LimitOutcome {
    if (!this.effects.hasLogRoom(fields.length / 32)) return "limit";
    this.effects.addLog({ contractAddress: contract, fields: fields.slice() });
    return "ok";
  }

  sendL2ToL1Message(contract: Fr, recipient: Fr, content: Fr): LimitOutcome {
    if (!this.effects.hasMessageRoom) return "limit";
    this.effects.addMessage({ contractAddress: contract, recipient: recipient.slice(12), content: content.slice() });
    return "ok";
  }

  debugLogRoom(): number {
    return this.#debugLogRoom;
  }

  debugLog(contract: Fr, level: number, message: Uint8Array, fields: Uint8Array): void {
    this.#debugLogRoom -= 2 + message.length + fields.length / 32;
    this.debugLogs.push({
      contractAddress: contract,
      level: DEBUG_LOG_LEVELS[level],
      message: Buffer.from(message).toString("utf8"),
      fields,
    });
  }
}

/** Hex without leading zeros, as the reference node writes it in this message. */
function shortHex(word: Fr): string {
  return `0x${readBigUint(word).toString(16)}`;
}
