import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { CallTarget } from "../../../src/execution/vm/host.ts";
import { type MemoryContract, MemoryHost } from "../../../src/execution/vm/memory-host.ts";
import type { RunRequest, VmGlobals } from "../../../src/execution/vm/run.ts";
import type { Vm } from "../../../src/execution/vm/vm.ts";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { FR_ZERO, type Fr, fr } from "../../../src/protocol/field.ts";

interface VectorGas {
  da: number;
  l2: number;
}
interface VectorContract {
  address: string;
  classId: string;
  originalClassId?: string;
  currentClassId?: string;
  bytecode?: string | { ref: string };
  deployer?: string;
  initHash?: string;
  noNullifier?: boolean;
}
export interface VectorEffects {
  noteHashes?: string[];
  nullifiers?: string[];
  l2ToL1Msgs?: { contract: string; recipient: string; content: string }[];
  publicLogs?: { contract: string; fields: string[] }[];
  publicDataWrites?: { leafSlot: string; value: string }[];
  /** Replaces long logs: their number, and the sum of their fields plus two for each log. */
  publicLogsSummary?: { count: number; payloadFields: number };
}
/** Schema: `about` of the file. */
export interface OpCase {
  group: string;
  name: string;
  code: string | { ref: string };
  contracts?: VectorContract[];
  calldata?: string[];
  sender?: string;
  isStatic?: boolean;
  gas?: VectorGas;
  pre?: {
    nullifiers?: string[];
    noteHashes?: string[];
    l1ToL2Messages?: string[];
    publicData?: { address: string; slot: string; value: string }[];
  };
  callAddress?: string;
  main?: Partial<VectorContract>;
  expect: { reverted: boolean; halt?: string; output: string[]; gasUsed: VectorGas; effects?: VectorEffects };
}
interface AvmVectors {
  defaults: {
    globals: { chainId: number; version: number; blockNumber: number; timestamp: number; gasFees: VectorGas };
    sender: string;
    opCaseGas: VectorGas;
    firstNullifier: string;
  };
  toRadixModulusDigits: Record<string, number> | number[];
  opcodes: { name: string; byte: number; operandBytes: number[]; size: number; baseL2: number; baseDA: number }[];
  bytecodes: Record<string, string>;
  opCases: OpCase[];
}

const file = new URL("../../fixtures/vectors/avm.json.gz", import.meta.url);
export const VECTORS = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as AvmVectors;
export const core = loadCore();

export const field = (text: string): Fr => fr(BigInt(text));
export const short = (word: Uint8Array): string => `0x${BigInt(toHex(word)).toString(16)}`;
export const words = (bytes: Uint8Array): string[] =>
  Array.from({ length: bytes.length / 32 }, (_, i) => short(bytes.subarray(i * 32, i * 32 + 32)));

const { defaults } = VECTORS;
export const GLOBALS: VmGlobals = {
  chainId: fr(defaults.globals.chainId),
  version: fr(defaults.globals.version),
  blockNumber: defaults.globals.blockNumber,
  timestamp: BigInt(defaults.globals.timestamp),
  feePerL2Gas: BigInt(defaults.globals.gasFees.l2),
  feePerDaGas: BigInt(defaults.globals.gasFees.da),
};

const INSTANCE_REGISTRY = fr(2);
const MAIN: VectorContract = { address: "0x1001", classId: "0xc1001", deployer: "0xdead", initHash: "0x1217" };
const LAST_PROTOCOL_ADDRESS = 11n;
const GENESIS_NULLIFIERS = 128;
const INITIAL_GAS_USED: VectorGas = { l2: 540_000, da: 96 };

export const bytecode = (given: string | { ref: string }): Uint8Array =>
  fromHex(typeof given === "string" ? given : VECTORS.bytecodes[given.ref]);

/** A host whose contracts may lack a class; calling such a contract ends the run. */
class VectorHost extends MemoryHost {
  readonly #classless = new Set<string>();

  withoutClass(address: Fr): void {
    this.#classless.add(toHex(address));
  }

  override callTarget(address: Fr): CallTarget {
    if (this.#classless.has(toHex(address))) throw new Error(`the class of ${toHex(address)} is missing`);
    return super.callTarget(address);
  }
}

/** The host with the state before a case. */
export function hostOf(vm: Vm, given: OpCase): MemoryHost {
  const host = new VectorHost(core, field(defaults.firstNullifier));
  for (let i = 0; i < GENESIS_NULLIFIERS; i++) host.addNullifier(fr(i));
  const main: VectorContract = { ...MAIN, bytecode: given.code, ...given.main };
  for (const contract of [main, ...(given.contracts ?? [])]) {
    const address = field(contract.address);
    if (contract.noNullifier && BigInt(contract.address) > LAST_PROTOCOL_ADDRESS) continue;
    host.addNullifier(siloNullifier(core, INSTANCE_REGISTRY, address));
    const code = bytecode(contract.bytecode ?? "");
    if (contract.bytecode === undefined) host.withoutClass(address);
    const classId = contract.currentClassId ?? contract.classId;
    const key = `${classId} ${toHex(code)}`;
    const known: MemoryContract = {
      program: vm.load(key, code),
      classId: field(classId),
      deployer: field(contract.deployer ?? "0x0"),
      initializationHash: field(contract.initHash ?? "0x0"),
    };
    host.setContract(address, known);
  }
  for (const nullifier of given.pre?.nullifiers ?? []) host.addNullifier(field(nullifier));
  for (const hash of given.pre?.noteHashes ?? []) host.addNoteHash(field(hash));
  for (const hash of given.pre?.l1ToL2Messages ?? []) host.addL1ToL2Message(field(hash));
  for (const { address, slot, value } of given.pre?.publicData ?? []) {
    host.setStorage(field(address), field(slot), field(value));
  }
  return host;
}

export function requestOf(given: OpCase): RunRequest {
  return {
    address: field(given.callAddress ?? MAIN.address),
    sender: field(given.sender ?? defaults.sender),
    calldata: concat(...(given.calldata ?? []).map(field)),
    isStatic: given.isStatic ?? false,
    gas: given.gas ?? defaults.opCaseGas,
    gasUsedBefore: INITIAL_GAS_USED,
    transactionFee: FR_ZERO,
    globals: GLOBALS,
  };
}

/** Effects of the transaction in the format of the vectors, without the first nullifier. */
export function effectsOf(host: MemoryHost, summarizesLogs: boolean): VectorEffects {
  const { writes, nullifiers, noteHashes, logs, messages } = host.effects;
  const some = <T>(list: T[]): T[] | undefined => (list.length > 0 ? list : undefined);
  return {
    noteHashes: some(noteHashes.map(short)),
    nullifiers: some(nullifiers.slice(1).map(short)),
    l2ToL1Msgs: some(
      messages.map((message) => ({
        contract: short(message.contract),
        recipient: short(message.recipient),
        content: short(message.content),
      })),
    ),
    ...(summarizesLogs
      ? {
          publicLogsSummary: {
            count: logs.length,
            payloadFields: logs.reduce((sum, { fields }) => sum + 2 + fields.length / 32, 0),
          },
        }
      : {
          publicLogs: some(logs.map(({ contract, fields }) => ({ contract: short(contract), fields: words(fields) }))),
        }),
    publicDataWrites: some(
      [...writes].map(([leafSlot, value]) => ({ leafSlot: short(fromHex(leafSlot)), value: short(value) })),
    ),
  };
}
