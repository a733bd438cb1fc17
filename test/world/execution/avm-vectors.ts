import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import type { VmGlobals } from "../../../src/execution/vm/run.ts";
import { concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import {
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
} from "../../../src/protocol/constants.ts";
import type { TxGas } from "../../../src/protocol/fees/gas-fees.ts";
import { FR_ZERO, type Fr, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import type { Fork } from "../../../src/world-state/fork.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";
import { buildTx, type CallPlan, type PartPlan } from "./tx-builder.ts";

/** Schema: `about` of the file. Fields are 0x text without leading zeros, amounts are numbers. */
interface VectorGas {
  da: number;
  l2: number;
}
interface VectorMessage {
  contract: string;
  recipient: string;
  content: string;
}
interface VectorPart {
  noteHashes?: string[];
  nullifiers?: string[];
  l2ToL1Msgs?: VectorMessage[];
}
interface VectorCall {
  address: string;
  calldata?: string[];
  sender?: string;
  isStatic?: boolean;
}
interface VectorContract {
  address: string;
  classId: string;
  /** Another than the current one if the contract was updated. */
  originalClassId?: string;
  bytecode?: string | { ref: string };
  deployer?: string;
  initHash?: string;
  immutablesHash?: string;
  noNullifier?: boolean;
}
type VectorTrees = Record<"l1ToL2" | "noteHash" | "nullifier" | "publicData", { root: string; next: number }>;
export interface TxCase {
  group: string;
  name: string;
  contracts: VectorContract[];
  pre: { feePayerBalance?: string; nullifiers?: string[]; noteHashes?: string[]; l1ToL2Messages?: string[] };
  deploy?: {
    where: "revertible" | "nonRevertible";
    classLogFields: string[];
    instancePrivateLogFields: string[];
    nullifiers: string[];
  };
  tx: {
    setup?: VectorCall[];
    app?: VectorCall[];
    teardown?: VectorCall;
    nonRevertible: VectorPart;
    revertible?: VectorPart;
    gasLimits: VectorGas;
    teardownGasLimits?: VectorGas;
    gasUsedByPrivate: VectorGas;
    feePayer: string;
    maxFeesPerGas: VectorGas;
    maxPriorityFeesPerGas?: VectorGas;
  };
  expect: {
    unprocessable?: boolean;
    reason?: string;
    revertCode: number;
    gas: Record<"total" | "public" | "teardown" | "billed", VectorGas>;
    effect: {
      transactionFee: string;
      noteHashes: string[];
      nullifiers: string[];
      l2ToL1Msgs: VectorMessage[];
      publicLogs: { contract: string; fields: string[] }[];
      publicDataWrites: { leafSlot: string; value: string }[];
    };
    startTrees: VectorTrees;
    endTrees: VectorTrees;
    calls: { phase: string; address: string; isStatic: boolean; reverted: boolean; output: string[] }[];
  };
}
interface AvmVectors {
  defaults: {
    globals: {
      chainId: number;
      version: number;
      blockNumber: number;
      timestamp: number;
      gasFees: VectorGas;
    };
    sender: string;
  };
  genesisTrees: VectorTrees;
  bytecodes: Record<string, string>;
  txCases: TxCase[];
}

const file = new URL("../../fixtures/vectors/avm.json.gz", import.meta.url);
export const VECTORS = JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as AvmVectors;
export const core = loadCore();

export const field = (text: string): Fr => fr(BigInt(text));
export const short = (word: Uint8Array): string => `0x${BigInt(toHex(word)).toString(16)}`;
const fields = (texts: readonly string[]) => concat(...texts.map(field));
const gas = ({ da, l2 }: VectorGas): TxGas => ({ daGas: da, l2Gas: l2 });
const fees = ({ da, l2 }: VectorGas) => ({ da: BigInt(da), l2: BigInt(l2) });

export const GLOBALS: VmGlobals = (({ chainId, version, blockNumber, timestamp, gasFees }) => ({
  chainId: fr(chainId),
  version: fr(version),
  blockNumber,
  timestamp: BigInt(timestamp),
  feePerDaGas: BigInt(gasFees.da),
  feePerL2Gas: BigInt(gasFees.l2),
}))(VECTORS.defaults.globals);

function bytecodeOf(given: string | { ref: string }): Uint8Array {
  return fromHex(typeof given === "string" ? given : VECTORS.bytecodes[given.ref]);
}

/** Contracts of a case; their class ids are labels. */
export function sourceOf(contracts: VectorContract[]): ContractSource {
  const find = (address: Uint8Array) =>
    contracts.find((contract) => BigInt(contract.address) === BigInt(toHex(address)));
  return {
    contractInstance(address) {
      const contract = find(address);
      if (contract === undefined) return undefined;
      return {
        address,
        salt: FR_ZERO,
        deployer: field(contract.deployer ?? "0x0"),
        currentContractClassId: field(contract.classId),
        originalContractClassId: field(contract.originalClassId ?? contract.classId),
        initializationHash: field(contract.initHash ?? "0x0"),
        ...(contract.immutablesHash && { immutablesHash: field(contract.immutablesHash) }),
        publicKeys: new Uint8Array(512),
        blockNumber: 0,
      };
    },
    contractClass(id) {
      const contract = contracts.find(({ classId }) => BigInt(classId) === BigInt(toHex(id)));
      if (contract?.bytecode === undefined) return undefined;
      return {
        id,
        artifactHash: FR_ZERO,
        privateFunctionsRoot: FR_ZERO,
        packedBytecode: bytecodeOf(contract.bytecode),
        blockNumber: 0,
      };
    },
  };
}

/** With a made-up hash, because the real one is slow to compute and only the effect's hash depends on it. */
export function hashed(tx: Tx): HashedTx {
  return { hash: fr(0x7a54), tx };
}

const GENESES = new Map<Generation, Fork>();

/** Genesis for one case at a time: it reverts the changes of the previous case. */
function cleanGenesis(generation: Generation): Fork {
  const genesis = GENESES.get(generation) ?? genesisState(core, genesisContent(generation, [])).fork;
  GENESES.set(generation, genesis);
  if (genesis.depth > 0) genesis.revertFramesTo(0);
  genesis.openFrame();
  return genesis;
}

/** Contracts that a part of a tx publishes; without fields there is no such log. */
export type GivenDeploy = NonNullable<TxCase["deploy"]>;

/** A case without its expected outcome. */
export type GivenTx = Omit<TxCase, "expect"> & { deploys?: readonly GivenDeploy[] };

/** The state before a case's transaction. It invalidates the state of the previous case. */
export function forkOf({ contracts, pre, tx }: GivenTx, generation: Generation = V4): Fork {
  const { instanceRegistry, feeJuice } = generation.contracts;
  const fork = cleanGenesis(generation);
  for (const { address, noNullifier } of contracts) {
    if (noNullifier) continue;
    fork.insertSequentially(NULLIFIER_TREE, [{ key: siloNullifier(core, instanceRegistry, field(address)) }]);
  }
  for (const key of pre.nullifiers ?? []) fork.insertSequentially(NULLIFIER_TREE, [{ key: field(key) }]);
  fork.append(NOTE_HASH_TREE, (pre.noteHashes ?? []).map(field));
  fork.append(L1_TO_L2_MESSAGE_TREE, (pre.l1ToL2Messages ?? []).map(field));
  if (pre.feePayerBalance !== undefined) {
    const key = publicDataLeafSlot(core, feeJuice, feePayerBalanceSlot(core, field(tx.feePayer)));
    fork.insertOne(PUBLIC_DATA_TREE, { key, value: field(pre.feePayerBalance) });
  }
  return fork;
}

export function blockStateOf(given: GivenTx, generation: Generation = V4): BlockState {
  return new BlockState({
    core,
    fork: forkOf(given, generation),
    globals: GLOBALS,
    contracts: sourceOf(given.contracts),
    siloing: new Siloing(core, generation),
  });
}

function call({ address, calldata = [], sender = VECTORS.defaults.sender, isStatic }: VectorCall): CallPlan {
  return { address: field(address), sender: field(sender), calldata: fields(calldata), isStatic };
}

function part(given: VectorPart = {}, deploys: readonly GivenDeploy[]): PartPlan {
  const [classLog] = deploys.filter(({ classLogFields }) => classLogFields.length > 0);

  return {
    noteHashes: (given.noteHashes ?? []).map(field),
    nullifiers: [...(given.nullifiers ?? []), ...deploys.flatMap(({ nullifiers }) => nullifiers)].map(field),
    l2ToL1Msgs: (given.l2ToL1Msgs ?? []).map(({ contract, recipient, content }) => ({
      contractAddress: field(contract),
      recipient: field(recipient).subarray(12),
      content: field(content),
    })),
    privateLogs: deploys.flatMap(({ instancePrivateLogFields: log }) => (log.length > 0 ? [fields(log)] : [])),
    ...(classLog && { classLog: fields(classLog.classLogFields) }),
  };
}

export function txOf(
  { tx, deploy, deploys = deploy ? [deploy] : [] }: GivenTx,
  { contracts }: Pick<Generation, "contracts"> = V4,
): Tx {
  const deployedIn = (part: GivenDeploy["where"]) => deploys.filter(({ where }) => where === part);
  return buildTx({
    classRegistry: contracts.classRegistry,
    nonRevertible: part(tx.nonRevertible, deployedIn("nonRevertible")),
    revertible: part(tx.revertible, deployedIn("revertible")),
    setup: tx.setup?.map(call),
    app: tx.app?.map(call),
    teardown: tx.teardown && call(tx.teardown),
    gasLimits: gas(tx.gasLimits),
    teardownGasLimits: tx.teardownGasLimits && gas(tx.teardownGasLimits),
    gasUsed: gas(tx.gasUsedByPrivate),
    maxFees: fees(tx.maxFeesPerGas),
    maxPriorityFees: tx.maxPriorityFeesPerGas && fees(tx.maxPriorityFeesPerGas),
    feePayer: field(tx.feePayer),
  });
}
