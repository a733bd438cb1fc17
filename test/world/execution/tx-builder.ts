import { calldataHash } from "../../../src/core/derive/call-hashes.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { bigUintBytes, concat, writeU32 } from "../../../src/protocol/bytes.ts";
import { CONTRACT_CLASS_LOG_FIELDS } from "../../../src/protocol/constants.ts";
import type { TxGas } from "../../../src/protocol/fees/gas-fees.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { L2ToL1Message } from "../../../src/protocol/tx/accumulated-data.ts";
import { PRIVATE_LAYOUT, PUBLIC_LAYOUT, TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { STRIPPED_PROOF } from "../protocol/v4-txs.ts";

const core = loadCore();

/** One accumulated part of the private kernel's output. */
export interface PartPlan {
  noteHashes?: Uint8Array[];
  nullifiers?: Uint8Array[];
  l2ToL1Msgs?: L2ToL1Message[];
  /** Emitted fields. */
  privateLogs?: Uint8Array[];
  /** Emitted fields of a log of the class registry. */
  classLog?: Uint8Array;
}

export interface CallPlan {
  address: Uint8Array;
  sender: Uint8Array;
  calldata: Uint8Array;
  isStatic?: boolean;
}

export interface TxPlan {
  nonRevertible?: PartPlan;
  /** Omitted, together with `setup`, `app` and `teardown`, for a tx in the private form. */
  revertible?: PartPlan;
  setup?: CallPlan[];
  app?: CallPlan[];
  teardown?: CallPlan;
  gasLimits: TxGas;
  teardownGasLimits?: TxGas;
  gasUsed: TxGas;
  maxFees: { da: bigint; l2: bigint };
  maxPriorityFees?: { da: bigint; l2: bigint };
  feePayer: Uint8Array;
  /** Contract that emits class logs; v4's by default. */
  classRegistry?: Uint8Array;
}

/** Builds a tx as a wallet would send it, without a proof. */
export function buildTx(plan: TxPlan): Tx {
  const { nonRevertible = {}, revertible, setup = [], app = [], teardown } = plan;
  const { classRegistry = V4.contracts.classRegistry } = plan;
  const isPublic = revertible !== undefined || setup.length + app.length > 0 || teardown !== undefined;
  const data = new Uint8Array((isPublic ? PUBLIC_LAYOUT : PRIVATE_LAYOUT).bytes);
  data[TX_DATA_AT.forPublic] = isPublic ? 1 : 0;
  putGas(data, TX_DATA_AT.gasLimits, plan.gasLimits);
  putGas(data, TX_DATA_AT.teardownGasLimits, plan.teardownGasLimits ?? { daGas: 0, l2Gas: 0 });
  putFees(data, TX_DATA_AT.maxFeesPerGas, plan.maxFees);
  putFees(data, TX_DATA_AT.maxPriorityFeesPerGas, plan.maxPriorityFees ?? { da: 0n, l2: 0n });
  putGas(data, TX_DATA_AT.gasUsed, plan.gasUsed);
  data.set(plan.feePayer, TX_DATA_AT.feePayer);
  const at = TX_DATA_AT.accumulated;
  putPart(data, at, nonRevertible, classRegistry);
  if (isPublic) {
    putCalls(data, at + 37_860, setup);
    putPart(data, at + 40_964, revertible ?? {}, classRegistry);
    putCalls(data, at + 40_964 + 37_860, app);
    if (teardown !== undefined) putCalls(data, at + 2 * 40_964, [teardown]);
  }
  const calls = [...setup, ...app, ...(teardown === undefined ? [] : [teardown])];
  return {
    data,
    chonkProof: STRIPPED_PROOF,
    contractClassLogFields: [nonRevertible, revertible]
      .flatMap((part) => part?.classLog ?? [])
      .map((fields) => concat(fields, new Uint8Array(CONTRACT_CLASS_LOG_FIELDS * 32 - fields.length))),
    publicFunctionCalldata: calls.map(({ calldata }) => ({ values: calldata, hash: calldataHash(core, calldata) })),
  };
}

function putGas(data: Uint8Array, at: number, { daGas, l2Gas }: TxGas): void {
  writeU32(data, at, daGas);
  writeU32(data, at + 4, l2Gas);
}

function putFees(data: Uint8Array, at: number, { da, l2 }: { da: bigint; l2: bigint }): void {
  data.set(bigUintBytes(da, 16), at);
  data.set(bigUintBytes(l2, 16), at + 16);
}

/** Offsets inside a part are those of docs/protocol/07-transactions-and-fees.md#72-kernel-output. */
function putPart(data: Uint8Array, at: number, part: PartPlan, classRegistry: Uint8Array): void {
  for (const [i, hash] of (part.noteHashes ?? []).entries()) data.set(hash, at + i * 32);
  for (const [i, hash] of (part.nullifiers ?? []).entries()) data.set(hash, at + 2048 + i * 32);
  for (const [i, { recipient, content, contractAddress }] of (part.l2ToL1Msgs ?? []).entries()) {
    data.set(concat(recipient, content, contractAddress), at + 4096 + i * 84);
  }
  for (const [i, fields] of (part.privateLogs ?? []).entries()) {
    data.set(fields, at + 4768 + i * 516);
    writeU32(data, at + 4768 + i * 516 + 512, fields.length / 32);
  }
  if (part.classLog !== undefined) {
    data.set(concat(fr(1), new Uint8Array(4), classRegistry), at + 37_792);
    writeU32(data, at + 37_792 + 32, part.classLog.length / 32);
  }
}

function putCalls(data: Uint8Array, at: number, calls: CallPlan[]): void {
  for (const [i, { sender, address, isStatic, calldata }] of calls.entries()) {
    data.set(concat(sender, address, Uint8Array.of(isStatic ? 1 : 0), calldataHash(core, calldata)), at + i * 97);
  }
}
