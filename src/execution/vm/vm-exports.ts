/** An exported global of the module. Values are u32 but JavaScript receives them as signed. */
interface Register {
  readonly value: number;
}

/**
 * Exports of assembly/vm/index.ts. Addresses and counts are u32 but JavaScript receives them as signed. The functions
 * there document the layouts.
 */
export interface VmExports extends Record<string, unknown> {
  readonly memory: WebAssembly.Memory;
  /** Returns how hashes are computed, see assembly/poseidon2/build.ts. */
  initialize(): number;
  setRules(pointCells: number, pointAdditionGas: number, copiedWordGas: number, instanceMembers: number): void;
  setMemoryLimit(pages: number): void;
  seedFarTables(first: number, second: number): void;
  mailAt(): number;
  requestAt(): number;
  allocate(bytes: number): number;
  release(block: number, bytes: number): void;
  newProgram(bytecode: number, length: number): number;
  prepare(calldata: number, count: number, isStatic: number, l2: number, da: number, debugLogs: number): number;
  start(program: number): void;
  execute(fuel: number): number;
  finish(): void;
  calldataToWords(frame: number, count: number, out: number): void;
  memoryToWords(frame: number, address: number, count: number, out: number): void;
  internalCallPc(frame: number, depth: number): number;
  peek(frame: number, address: number, out: number): void;
  readonly current: Register;
  readonly gasL2: Register;
  readonly gasDA: Register;
  readonly programBytes: Register;
  readonly missedL2: Register;
  readonly missedDA: Register;
  readonly endOutcome: Register;
  readonly endSize: Register;
  readonly endBase: Register;
  readonly endPc: Register;
  readonly endFault: Register;
  readonly detailA: Register;
  readonly detailB: Register;
}

/** Imports of assembly/vm/host.ts. */
export interface VmImports extends Record<string, (...args: never[]) => unknown> {
  memoryExhausted(): void;
  enterFrame(frame: number): number;
  leaveFrame(outcome: number): void;
  storageRead(): void;
  storageWrite(canPayCold: number): number;
  noteHashExists(index: bigint): number;
  emitNoteHash(): number;
  nullifierExists(): number;
  emitNullifier(): number;
  l1ToL2MessageExists(index: bigint): number;
  contractInstance(member: number): number;
  emitPublicLog(fields: number, count: number): number;
  sendL2ToL1Message(): number;
  admitDebugLog(levelTag: number, level: number, sizeTag: number, messageSize: number, fieldsSize: number): void;
  debugLog(level: number, message: number, messageSize: number, fields: number, fieldsSize: number): void;
}
