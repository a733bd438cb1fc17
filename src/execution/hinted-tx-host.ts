import { contractUpdateSlots } from "../core/derive/contract-update.ts";
import { publicDataLeafSlot } from "../core/derive/public-storage.ts";
import { equal, isZero } from "../protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE, NOTE_HASH_TREE, NULLIFIER_TREE, PUBLIC_DATA_TREE } from "../protocol/constants.ts";
import { type Fr, fr } from "../protocol/field.ts";
import { isProtocolAddress } from "./contract-directory.ts";
import type { HintCollector } from "./hint-collector.ts";
import type { PendingWrite } from "./side-effects.ts";
import { slotKey } from "./siloing.ts";
import { MESSAGE_TREE_LEAVES, NOTE_HASH_TREE_LEAVES, TxHost, type TxHostOptions, type TxMark } from "./tx-host.ts";
import type { CallTarget, ContractInstance } from "./vm/host.ts";

/** Words of a scheduled update of a contract's class, which the registry stores before their hash. */
const UPDATE_WORDS = 3;

/**
 * A TxHost that does every operation on the trees at once and collects the hints about it
 * (docs/protocol/13-proving.md#138-inputs-of-the-public-vm).
 */
export class HintedTxHost extends TxHost {
  readonly #hints: HintCollector;
  /** Whether the frame that starts next is an enqueued call's own one, which has no checkpoint. */
  #isOutermost = false;

  constructor(options: TxHostOptions, hints: HintCollector) {
    super(options);
    this.#hints = hints;
  }

  override beginRun(): void {
    this.#isOutermost = true;
  }

  override mark(): TxMark {
    this.#hints.trees.create();
    this.#hints.contracts.create();
    return super.mark();
  }

  override keep(mark: TxMark): void {
    super.keep(mark);
    this.#hints.trees.commit();
    this.#hints.contracts.commit();
  }

  override revertTo(mark: TxMark): void {
    super.revertTo(mark);
    this.#hints.trees.revert();
    this.#hints.contracts.revert();
  }

  override callTarget(address: Fr): CallTarget {
    const isOutermost = this.#isOutermost;
    this.#isOutermost = false;
    const target = super.callTarget(address);
    if ("program" in target) this.#hints.contracts.loadedClass(address);
    else if (!isOutermost) {
      // A nested frame without a program has begun and been undone.
      this.#hints.trees.create();
      this.#hints.trees.revert();
    }
    return target;
  }

  override beginCall(): void {
    super.beginCall();
    this.#hints.trees.create();
  }

  override commitCall(): void {
    super.commitCall();
    this.#hints.trees.commit();
  }

  override revertCall(): void {
    super.revertCall();
    this.#hints.trees.revert();
  }

  override storageRead(contract: Fr, slot: Fr): Fr {
    this.#readStorage(contract, slot);
    return super.storageRead(contract, slot);
  }

  #readStorage(contract: Fr, slot: Fr): Fr | undefined {
    const leafSlot = this.state.siloing.leafSlot(slotKey(contract, slot), contract, slot);
    const { leaf, present } = this.#hints.trees.findProven(PUBLIC_DATA_TREE, leafSlot);
    return present ? leaf.value : undefined;
  }

  override write(key: string, write: PendingWrite): void {
    super.write(key, write);
    const { contract, slot, value } = write;
    this.#hints.trees.writePublicData(this.state.siloing.leafSlot(key, contract, slot), value);
  }

  override noteHashExists(hash: Fr, index: bigint): boolean {
    return index < NOTE_HASH_TREE_LEAVES && equal(this.#hints.trees.read(NOTE_HASH_TREE, index), hash);
  }

  override addNoteHash(unique: Fr): void {
    super.addNoteHash(unique);
    this.#hints.trees.appendNoteHash(unique);
  }

  override nullifierExists(siloed: Fr): boolean {
    this.#hints.trees.findProven(NULLIFIER_TREE, siloed);
    return super.nullifierExists(siloed);
  }

  override addNullifier(siloed: Fr): boolean {
    const { trees } = this.#hints;
    const { leaf } = trees.find(NULLIFIER_TREE, siloed);
    const isNew = super.addNullifier(siloed);
    if (isNew) trees.insertNullifier(siloed);
    else trees.prove(NULLIFIER_TREE, leaf);
    return isNew;
  }

  override l1ToL2MessageExists(hash: Fr, index: bigint): boolean {
    return index < MESSAGE_TREE_LEAVES && equal(this.#hints.trees.read(L1_TO_L2_MESSAGE_TREE, index), hash);
  }

  override contractInstance(address: Fr): ContractInstance | undefined {
    this.#hints.contracts.instance(address);
    const instance = super.contractInstance(address);
    if (instance !== undefined && !isProtocolAddress(address)) this.#checkClass(address);
    return instance;
  }

  /** The circuit checks a contract's class against the registry's storage. */
  #checkClass(address: Fr): void {
    const { core, siloing } = this.state;
    const { instanceRegistry } = siloing.generation.contracts;
    const { values, hash } = contractUpdateSlots(core, address);
    const stored = this.#readStorage(instanceRegistry, hash);
    if (stored === undefined || isZero(stored)) return;
    for (let i = 0; i < UPDATE_WORDS; i++) {
      const slot = publicDataLeafSlot(core, instanceRegistry, core.field.add(values, fr(i)));
      const { leaf } = this.#hints.trees.find(PUBLIC_DATA_TREE, slot);
      this.#hints.trees.preimage(PUBLIC_DATA_TREE, leaf);
    }
  }
}
