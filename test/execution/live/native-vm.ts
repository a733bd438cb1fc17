import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Encoder } from "msgpackr";
import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { concat, toHex } from "../../../src/protocol/bytes.ts";
import { SEPARATOR, TREE_HEIGHTS, TREE_IDS, type TreeId } from "../../../src/protocol/constants.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { publicAccumulatedData } from "../../../src/protocol/tx/accumulated-data.ts";
import { txFeePayer, txGasSettings } from "../../../src/protocol/tx/gas-settings.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { core, field, type GivenTx, GLOBALS, sourceOf } from "../../world/execution/avm-vectors.ts";
import { droppedText, type Outcome } from "../../world/execution/tx-outcome.ts";
import { type NativeResult, outcomeOf, snapshot } from "./native-result.ts";

/** Messages of the native world state. */
const MESSAGE = { stateReference: 101, append: 110, insert: 112, createFork: 117, deleteFork: 118, close: 999 };
const PREFIX = /^AVM simulation failed: (\[\w+\] UNRECOVERABLE ERROR! Nullifier collision: )?/;
const MAP_SIZE_KB = 1024 * 1024;

type Plain = Record<string, unknown>;

interface NativeModule {
  WorldState: new (...args: unknown[]) => { call(request: Buffer): Promise<ArrayBuffer>; getHandle(): unknown };
  avmSimulate(inputs: Buffer, contracts: unknown, state: unknown, level: number, log: null): Promise<ArrayBuffer>;
}

const codec = new Encoder({ useRecords: false, int64AsType: "bigint", largeBigIntToString: true } as object);
const encode = (value: unknown): Buffer => codec.encode(value);
const decode = (value: ArrayBuffer): unknown => codec.unpack(Buffer.from(value));
const word = (value: Uint8Array): Buffer =>
  Buffer.from(value.length === 32 ? value : concat(new Uint8Array(32 - value.length), value));
const words = (bytes: Uint8Array): Buffer[] =>
  Array.from({ length: bytes.length / 32 }, (_, i) => word(bytes.subarray(i * 32, i * 32 + 32)));
const gas = ({ daGas, l2Gas }: { daGas: number; l2Gas: number }) => ({ daGas, l2Gas });

/** What the modules of two releases ask for in different words. */
interface Release {
  /** Arguments of a world state after the sizes of its trees. */
  readonly genesis: readonly unknown[];
  /** Number that stands for the latest block. */
  readonly latestBlock: number;
  publicKeys(keys: Uint8Array): Plain;
}

const point = (bytes: Uint8Array, at: number) => ({
  x: word(bytes.subarray(at, at + 32)),
  y: word(bytes.subarray(at + 32, at + 64)),
});

const RELEASES: Readonly<Record<Generation["name"], Release>> = {
  v4: {
    latestBlock: 0,
    genesis: [[], SEPARATOR.BLOCK_HEADER_HASH],
    publicKeys: (keys) => ({
      masterNullifierPublicKey: point(keys, 0),
      masterIncomingViewingPublicKey: point(keys, 64),
      masterOutgoingViewingPublicKey: point(keys, 128),
      masterTaggingPublicKey: point(keys, 192),
    }),
  },
  v5: {
    latestBlock: 2 ** 32 - 1,
    genesis: [[], [], SEPARATOR.BLOCK_HEADER_HASH, 0],
    publicKeys: (keys) => ({
      npkMHash: word(keys.subarray(0, 32)),
      ivpkM: point(keys, 32),
      ovpkMHash: word(keys.subarray(96, 128)),
      tpkMHash: word(keys.subarray(128, 160)),
      mspkMHash: word(keys.subarray(160, 192)),
      fbpkMHash: word(keys.subarray(192, 224)),
    }),
  },
};

/** The network's own simulator over its own world state: the module of an installed @aztec/bb.js. */
export class NativeVm {
  readonly #module: NativeModule;
  readonly #generation: Generation;
  readonly #release: Release;
  readonly #folder: string;
  readonly #world: InstanceType<NativeModule["WorldState"]>;
  #messageId = 0;

  constructor(installed: string, generation: Generation) {
    this.#module = createRequire(import.meta.url)(join(installed, "build", "amd64-linux", "nodejs_module.node"));
    this.#generation = generation;
    this.#release = RELEASES[generation.name];
    this.#folder = mkdtempSync(join(tmpdir(), "native-vm-"));
    const byTree = <T>(value: T) => Object.fromEntries(TREE_IDS.map((tree) => [tree, value]));
    this.#world = new this.#module.WorldState(
      this.#folder,
      Object.fromEntries(TREE_IDS.map((tree) => [tree, TREE_HEIGHTS[tree]])),
      { 0: 128, 2: 128 },
      ...this.#release.genesis,
      byTree(MAP_SIZE_KB),
      2,
    );
  }

  async #call(msgType: number, value: unknown): Promise<unknown> {
    const header = { messageId: ++this.#messageId, requestId: 0 };
    return (decode(await this.#world.call(encode({ msgType, header, value }))) as { value: unknown }).value;
  }

  /** Executes a case on a fork of the genesis. */
  async run(given: GivenTx, tx: Tx, options: { debugLogs: boolean; trees: boolean }): Promise<Outcome> {
    const created = await this.#call(MESSAGE.createFork, { latest: true, blockNumber: 0, canonical: true });
    const { forkId } = created as { forkId: number };
    const revision = { forkId, blockNumber: this.#release.latestBlock, includeUncommitted: true };
    try {
      await this.#prepare(forkId, given);
      const inputs = this.#inputs(revision, tx, options.debugLogs);
      let answer: ArrayBuffer;
      try {
        answer = await this.#module.avmSimulate(
          encode(inputs),
          this.#contracts(given),
          this.#world.getHandle(),
          0,
          null,
        );
      } catch (error) {
        const message = (error as Error).message.replace(PREFIX, "");
        return { dropped: droppedText(message) };
      }
      const outcome = outcomeOf(decode(answer) as NativeResult);
      if (!options.trees) return outcome;
      const { state } = (await this.#call(MESSAGE.stateReference, { revision })) as { state: Plain };
      return { ...outcome, trees: ([0, 1, 2, 3] as const).map((tree) => snapshot(state, tree)) };
    } finally {
      await this.#call(MESSAGE.deleteFork, { forkId });
    }
  }

  async #prepare(forkId: number, { contracts, pre, tx }: GivenTx): Promise<void> {
    const { instanceRegistry, feeJuice } = this.#generation.contracts;
    const nullifiers = [
      ...contracts.flatMap(({ address, noNullifier }) =>
        noNullifier ? [] : [siloNullifier(core, instanceRegistry, field(address))],
      ),
      ...(pre.nullifiers ?? []).map(field),
    ];
    const insert = (treeId: TreeId, leaves: unknown[]) => this.#call(MESSAGE.insert, { treeId, forkId, leaves });
    const append = (treeId: TreeId, leaves: unknown[]) => this.#call(MESSAGE.append, { treeId, forkId, leaves });
    if (nullifiers.length > 0)
      await insert(
        0,
        nullifiers.map((nullifier) => ({ nullifier: word(nullifier) })),
      );
    if (pre.noteHashes?.length)
      await append(
        1,
        pre.noteHashes.map((hash) => word(field(hash))),
      );
    if (pre.l1ToL2Messages?.length)
      await append(
        3,
        pre.l1ToL2Messages.map((hash) => word(field(hash))),
      );
    if (pre.feePayerBalance !== undefined) {
      const slot = publicDataLeafSlot(core, feeJuice, feePayerBalanceSlot(core, field(tx.feePayer)));
      await insert(2, [{ slot: word(slot), value: word(field(pre.feePayerBalance)) }]);
    }
  }

  #inputs(wsRevision: Plain, tx: Tx, collectDebugLogs: boolean): Plain {
    const { gasLimits, teardownGasLimits, maxFeesPerGas, maxPriorityFeesPerGas, gasUsed } = txGasSettings(tx.data);
    const data = publicAccumulatedData(tx.data);
    const effective = (fee: bigint, most: bigint, priority: bigint) => {
      const room = most - fee;
      return fee + (priority < room ? priority : room);
    };
    const calldata = new Map(tx.publicFunctionCalldata.map(({ hash, values }) => [toHex(hash), values]));
    const call = (request: (typeof data.appCalls)[number]) => ({
      request: {
        msgSender: word(request.msgSender),
        contractAddress: word(request.contractAddress),
        isStaticCall: request.isStaticCall,
        calldataHash: word(request.calldataHash),
      },
      calldata: words(calldata.get(toHex(request.calldataHash)) ?? new Uint8Array(0)),
    });
    const part = ({ noteHashes, nullifiers, l2ToL1Msgs }: typeof data.revertible) => ({
      noteHashes: noteHashes.map(word),
      nullifiers: nullifiers.map(word),
      l2ToL1Messages: l2ToL1Msgs.map(({ recipient, content, contractAddress }) => ({
        message: { recipient: word(recipient), content: word(content) },
        contractAddress: word(contractAddress),
      })),
    });
    const none = { contractClassLogs: [], privateLogs: [] };
    return {
      wsRevision,
      config: {
        proverId: word(FR_ZERO),
        skipFeeEnforcement: false,
        collectCallMetadata: true,
        collectHints: false,
        collectPublicInputs: false,
        collectDebugLogs,
        collectStatistics: false,
        collectionLimits: {
          maxDebugLogMemoryReads: 125_000,
          maxCalldataSizeInFields: 300,
          maxReturndataSizeInFields: 300,
          maxCallStackDepth: 10_000,
          maxCallStackItems: 10_000,
        },
      },
      tx: {
        hash: "0x01",
        gasSettings: {
          gasLimits: gas(gasLimits),
          teardownGasLimits: gas(teardownGasLimits),
          maxFeesPerGas,
          maxPriorityFeesPerGas,
        },
        effectiveGasFees: {
          feePerDaGas: effective(GLOBALS.feePerDaGas, maxFeesPerGas.feePerDaGas, maxPriorityFeesPerGas.feePerDaGas),
          feePerL2Gas: effective(GLOBALS.feePerL2Gas, maxFeesPerGas.feePerL2Gas, maxPriorityFeesPerGas.feePerL2Gas),
        },
        nonRevertibleContractDeploymentData: none,
        revertibleContractDeploymentData: none,
        nonRevertibleAccumulatedData: part(data.nonRevertible),
        revertibleAccumulatedData: part(data.revertible),
        setupEnqueuedCalls: data.setupCalls.map(call),
        appLogicEnqueuedCalls: data.appCalls.map(call),
        teardownEnqueuedCall: data.teardownCall === undefined ? null : call(data.teardownCall),
        gasUsedByPrivate: gas(gasUsed),
        feePayer: word(txFeePayer(tx.data)),
      },
      globalVariables: {
        chainId: word(GLOBALS.chainId),
        version: word(GLOBALS.version),
        blockNumber: GLOBALS.blockNumber,
        slotNumber: word(FR_ZERO),
        timestamp: GLOBALS.timestamp,
        coinbase: word(FR_ZERO),
        feeRecipient: word(FR_ZERO),
        gasFees: { feePerDaGas: GLOBALS.feePerDaGas, feePerL2Gas: GLOBALS.feePerL2Gas },
      },
      protocolContracts: {
        derivedAddresses: Array.from({ length: 11 }, (_, i) =>
          word(fr(i < this.#generation.contracts.protocolContracts.length ? 0xabc000 + i : 0)),
        ),
      },
    };
  }

  /** Answers questions of the simulator about contracts. */
  #contracts(given: GivenTx): Plain {
    const source = sourceOf(given.contracts);
    const done = async (): Promise<void> => undefined;
    return {
      getContractInstance: async (address: string) => {
        const instance = source.contractInstance(field(address));
        if (instance === undefined) return undefined;
        return encode({
          address: word(field(address)),
          salt: word(instance.salt),
          deployer: word(instance.deployer),
          currentContractClassId: word(instance.currentContractClassId),
          originalContractClassId: word(instance.originalContractClassId),
          initializationHash: word(instance.initializationHash),
          immutablesHash: word(instance.immutablesHash ?? FR_ZERO),
          publicKeys: this.#release.publicKeys(this.#generation.contracts.defaultPublicKeys),
        });
      },
      getContractClass: async (classId: string) => {
        const found = source.contractClass(field(classId));
        if (found === undefined) return undefined;
        return encode({
          id: word(found.id),
          artifactHash: word(found.artifactHash),
          privateFunctionsRoot: word(found.privateFunctionsRoot),
          packedBytecode: Buffer.from(found.packedBytecode),
        });
      },
      getBytecodeCommitment: async () => encode(word(FR_ZERO)),
      getDebugFunctionName: async () => undefined,
      addContracts: done,
      createCheckpoint: done,
      commitCheckpoint: done,
      revertCheckpoint: done,
    };
  }

  async close(): Promise<void> {
    await this.#call(MESSAGE.close, { canonical: true });
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
