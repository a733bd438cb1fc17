/**
 * A loaded bytecode. Created by `Vm.load` and valid only in the runs of that `Vm`. Its decoded form is kept in the VM's
 * memory and is created again after that memory was dropped.
 */
export class Program {
  /** The caller's key for the bytecode, such as its class id in hex. */
  readonly key: string;
  readonly bytecode: Uint8Array;

  constructor(key: string, bytecode: Uint8Array) {
    this.key = key;
    this.bytecode = bytecode;
  }
}
