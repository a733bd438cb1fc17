import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { contractLogs } from "../../../src/execution/contract-logs.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import {
  CONTRACT_CLASS_LOG_FIELDS,
  PRIVATE_LOG_FIELDS,
  SEPARATOR,
  TREE_HEIGHTS,
  TREE_IDS,
  type TreeId,
} from "../../../src/protocol/constants.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { publicAccumulatedData } from "../../../src/protocol/tx/accumulated-data.ts";
import { txFeePayer, txGasSettings } from "../../../src/protocol/tx/gas-settings.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { core, field, type GivenTx, GLOBALS } from "../../world/execution/avm-vectors.ts";
import { droppedText, type Outcome } from "../../world/execution/tx-outcome.ts";
import { decode, encode, type Plain, word, words } from "./native-codec.ts";
import { nativeContracts } from "./native-contracts.ts";
import { type NativeResult, outcomeOf, snapshot } from "./native-result.ts";

/** Messages of the native world state. */
const MESSAGE = {
  stateReference: 101,
  append: 110,
  insert: 112,
  createFork: 117,
  createCheckpoint: 123,
  revertCheckpoints: 127,
  close: 999,
};
const PREFIX = /^AVM simulation failed: (\[\w+\] UNRECOVERABLE ERROR! Nullifier collision: )?/;
const MAP_SIZE_KB = 1024 * 1024;

interface NativeModule {
  WorldState: new (...args: unknown[]) => { call(request: Buffer): Promise<ArrayBuffer>; getHandle(): unknown };
  avmSimulate(inputs: Buffer, contracts: unknown, state: unknown, level: number, log: null): Promise<ArrayBuffer>;
}

const padded = (fields: Buffer[], size: number): Buffer[] => [
  ...fields,
  ...Array.from({ length: size - fields.length }, () => word(FR_ZERO)),
];
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
  /** Forks of the genesis by the nullifiers of deployed contracts that were inserted into them. */
  readonly #forks = new Map<string, number>();
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

  /** Executes a case on the genesis with the contracts of the case. */
  async run(given: GivenTx, tx: Tx, options: { debugLogs: boolean; trees: boolean }): Promise<Outcome> {
    const forkId = await this.#forkWith(given);
    const revision = { forkId, blockNumber: this.#release.latestBlock, includeUncommitted: true };
    await this.#call(MESSAGE.createCheckpoint, { forkId });
    try {
      await this.#prepare(forkId, given);
      const inputs = this.#inputs(revision, tx, options.debugLogs);
      let answer: ArrayBuffer;
      try {
        answer = await this.#module.avmSimulate(
          encode(inputs),
          nativeContracts(given, this.#generation, this.#release.publicKeys),
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
      await this.#call(MESSAGE.revertCheckpoints, { forkId, depth: 0 });
    }
  }

  #insert(forkId: number, treeId: TreeId, leaves: Plain[]): Promise<unknown> {
    return this.#call(MESSAGE.insert, { treeId, forkId, leaves });
  }

  /** Native hashing of paths is what a case costs, so cases with the same contracts share a fork. */
  async #forkWith({ contracts }: GivenTx): Promise<number> {
    const deployed = contracts.flatMap(({ address, noNullifier }) => (noNullifier ? [] : [address]));
    const known = this.#forks.get(deployed.join());
    if (known !== undefined) return known;
    const created = await this.#call(MESSAGE.createFork, { latest: true, blockNumber: 0, canonical: true });
    const { forkId } = created as { forkId: number };
    const { instanceRegistry } = this.#generation.contracts;
    await this.#insert(
      forkId,
      0,
      deployed.map((address) => ({ nullifier: word(siloNullifier(core, instanceRegistry, field(address))) })),
    );
    this.#forks.set(deployed.join(), forkId);
    return forkId;
  }

  async #prepare(forkId: number, { pre, tx }: GivenTx): Promise<void> {
    const append = (treeId: TreeId, leaves: string[] = []) =>
      leaves.length > 0
        ? this.#call(MESSAGE.append, { treeId, forkId, leaves: leaves.map((leaf) => word(field(leaf))) })
        : undefined;
    if (pre.nullifiers?.length)
      await this.#insert(
        forkId,
        0,
        pre.nullifiers.map((nullifier) => ({ nullifier: word(field(nullifier)) })),
      );
    await append(1, pre.noteHashes);
    await append(3, pre.l1ToL2Messages);
    if (pre.feePayerBalance !== undefined) {
      const { feeJuice } = this.#generation.contracts;
      const slot = publicDataLeafSlot(core, feeJuice, feePayerBalanceSlot(core, field(tx.feePayer)));
      await this.#insert(forkId, 2, [{ slot: word(slot), value: word(field(pre.feePayerBalance)) }]);
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
    const parts = contractLogs([data.nonRevertible, data.revertible], tx.contractClassLogFields);
    const [first, second] = parts.map(({ contractClassLogs, privateLogs }) => ({
      contractClassLogs: contractClassLogs.map(({ contractAddress, fields }) => ({
        contractAddress: word(contractAddress),
        fields: { fields: padded(words(fields), CONTRACT_CLASS_LOG_FIELDS) },
        emittedLength: fields.length / 32,
      })),
      privateLogs: privateLogs.map((fields) => ({
        fields: padded(words(fields), PRIVATE_LOG_FIELDS),
        emittedLength: fields.length / 32,
      })),
    }));
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
        nonRevertibleContractDeploymentData: first,
        revertibleContractDeploymentData: second,
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

  async close(): Promise<void> {
    await this.#call(MESSAGE.close, { canonical: true });
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
