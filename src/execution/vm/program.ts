/**
 * A loaded bytecode. Made by `Vm.load`, valid in the runs of that `Vm` only; its decoded form lives in the VM's memory and is
 * made again when that was dropped.
 */
export class Program {
  /** What the caller knows the bytecode by, such as its class id in hex. */
  readonly key: string;
  readonly bytecode: Uint8Array;

  constructor(key: string, bytecode: Uint8Array) {
    this.key = key;
    this.bytecode = bytecode;
  }
}
