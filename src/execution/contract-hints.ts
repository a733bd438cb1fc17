import type { Core } from "../core/core.ts";
import { publicBytecodeCommitment } from "../core/derive/contract-class.ts";
import { mapKey } from "../protocol/bytes.ts";
import type { Fr } from "../protocol/field.ts";
import type { ContractDirectory } from "./contract-directory.ts";
import { CheckpointLog } from "./hints/checkpoint-log.ts";
import type {
  CheckpointHint,
  ContractClassHint,
  ContractInstanceHint,
  ExecutionHints,
} from "./hints/execution-hints.ts";
import { HintList } from "./hints/hint-list.ts";

/** Collects what the VM is told about contracts. A hint is keyed by the number of checkpoint actions before it. */
export class ContractHints {
  readonly #core: Core;
  readonly #contracts: ContractDirectory;
  readonly #checkpoints: CheckpointLog;
  readonly #reverted: CheckpointHint[] = [];
  readonly #instances = new HintList<ContractInstanceHint>();
  readonly #classes = new HintList<ContractClassHint>();
  readonly #commitments = new HintList<ExecutionHints["bytecodeCommitments"][number]>();

  constructor(core: Core, contracts: ContractDirectory) {
    this.#core = core;
    this.#contracts = contracts;
    let last = 0;
    this.#checkpoints = new CheckpointLog(() => ++last);
  }

  /** A contract is hinted if it is known, whether or not it is deployed. */
  instance(address: Fr): void {
    const hintKey = this.#checkpoints.actions;
    const instance = this.#contracts.wholeInstance(address);
    if (instance === undefined) return;
    this.#instances.add(`${hintKey} ${mapKey(address)}`, () => ({
      hintKey,
      address: instance.address,
      salt: instance.salt,
      deployer: instance.deployer,
      currentContractClassId: instance.currentContractClassId,
      originalContractClassId: instance.originalContractClassId,
      initializationHash: instance.initializationHash,
      immutablesHash: instance.immutablesHash,
      publicKeys: instance.publicKeys,
    }));
  }

  /** The class that a frame is about to run. */
  loadedClass(address: Fr): void {
    const classId = this.#contracts.instance(address)?.classId;
    const found = classId && this.#contracts.contractClass(classId);
    if (found === undefined) return;
    const hintKey = this.#checkpoints.actions;
    const key = `${hintKey} ${mapKey(found.id)}`;
    const { id, artifactHash, privateFunctionsRoot, packedBytecode } = found;
    this.#classes.add(key, () => ({ hintKey, classId: id, artifactHash, privateFunctionsRoot, packedBytecode }));
    this.#commitments.add(key, () => {
      return { hintKey, classId: id, commitment: publicBytecodeCommitment(this.#core, packedBytecode) };
    });
  }

  create(): void {
    this.#checkpoints.create();
  }

  commit(): void {
    this.#checkpoints.commit();
  }

  revert(): void {
    this.#reverted.push(this.#checkpoints.revert());
  }

  get hints() {
    return {
      contractInstances: this.#instances.hints,
      contractClasses: this.#classes.hints,
      bytecodeCommitments: this.#commitments.hints,
      contractDbCreateCheckpointHints: this.#checkpoints.created,
      contractDbCommitCheckpointHints: this.#checkpoints.committed,
      contractDbRevertCheckpointHints: this.#reverted,
    };
  }
}
