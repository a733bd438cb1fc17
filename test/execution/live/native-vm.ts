import { siloNullifier } from "../../../src/core/derive/nullifier.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { contractLogs } from "../../../src/execution/contract-logs.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import {
  CONTRACT_CLASS_LOG_FIELDS,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PRIVATE_LOG_FIELDS,
  PUBLIC_DATA_TREE,
} from "../../../src/protocol/constants.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { publicAccumulatedData } from "../../../src/protocol/tx/accumulated-data.ts";
import { txFeePayer, txGasSettings } from "../../../src/protocol/tx/gas-settings.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { core, field, type GivenTx, GLOBALS } from "../../world/execution/avm-vectors.ts";
import { droppedText, type Outcome } from "../../world/execution/tx-outcome.ts";
import { decode, encode, type Plain, padded, word, words } from "../../world/world-state/native-codec.ts";
import { NativeWorld } from "../../world/world-state/native-world.ts";
import { nativeContracts } from "./native-contracts.ts";
import { type NativeResult, outcomeOf, snapshot } from "./native-result.ts";

const PREFIX = /^AVM simulation failed: (\[\w+\] UNRECOVERABLE ERROR! Nullifier collision: )?/;

const gas = ({ daGas, l2Gas }: { daGas: number; l2Gas: number }) => ({ daGas, l2Gas });

const point = (bytes: Uint8Array, at: number) => ({
  x: word(bytes.subarray(at, at + 32)),
  y: word(bytes.subarray(at + 32, at + 64)),
});

/** Public keys of an instance, in the form of each release. */
const PUBLIC_KEYS: Readonly<Record<Generation["name"], (keys: Uint8Array) => Plain>> = {
  v4: (keys) => ({
    masterNullifierPublicKey: point(keys, 0),
    masterIncomingViewingPublicKey: point(keys, 64),
    masterOutgoingViewingPublicKey: point(keys, 128),
    masterTaggingPublicKey: point(keys, 192),
  }),
  v5: (keys) => ({
    npkMHash: word(keys.subarray(0, 32)),
    ivpkM: point(keys, 32),
    ovpkMHash: word(keys.subarray(96, 128)),
    tpkMHash: word(keys.subarray(128, 160)),
    mspkMHash: word(keys.subarray(160, 192)),
    fbpkMHash: word(keys.subarray(192, 224)),
  }),
};

/** What a simulation collects beside its effects. */
export interface Collected {
  readonly calls: boolean;
  readonly debugLogs: boolean;
}

/** The network's own simulator over its own world state. */
export class NativeVm {
  readonly world: NativeWorld;
  readonly #generation: Generation;
  /** Forks of the genesis by the nullifiers of deployed contracts that were inserted into them. */
  readonly #forks = new Map<string, number>();

  /** `installed` is the folder of a @aztec/bb.js. */
  constructor(installed: string, generation: Generation) {
    this.world = new NativeWorld(installed, generation);
    this.#generation = generation;
  }

  /** Executes a case on the genesis with the contracts of the case. */
  async run(given: GivenTx, tx: Tx, { debugLogs, trees }: { debugLogs: boolean; trees: boolean }): Promise<Outcome> {
    const { world } = this;
    const forkId = await this.#forkWith(given);
    await world.checkpoint(forkId);
    try {
      await this.#prepare(forkId, given);
      let answer: ArrayBuffer;
      try {
        answer = await this.simulation(forkId, given, tx, { calls: true, debugLogs })();
      } catch (error) {
        const message = (error as Error).message.replace(PREFIX, "");
        return { dropped: droppedText(message) };
      }
      const outcome = outcomeOf(decode(answer) as NativeResult);
      if (!trees) return outcome;
      const state = await world.trees(forkId);
      return { ...outcome, trees: ([0, 1, 2, 3] as const).map((tree) => snapshot(state, tree)) };
    } finally {
      await world.revert(forkId);
    }
  }

  /** A simulation that is ready to start; it changes the fork. */
  simulation(forkId: number, given: GivenTx, tx: Tx, collected: Collected): () => Promise<ArrayBuffer> {
    const { world } = this;
    const inputs = encode(this.#inputs(world.revision(forkId), tx, collected));
    const contracts = nativeContracts(given, this.#generation, PUBLIC_KEYS[this.#generation.name]);
    return () => world.module.avmSimulate(inputs, contracts, world.handle, 0, null);
  }

  /** Native hashing of paths is what a case costs, so cases with the same contracts share a fork. */
  async #forkWith({ contracts }: GivenTx): Promise<number> {
    const deployed = contracts.flatMap(({ address, noNullifier }) => (noNullifier ? [] : [address]));
    const known = this.#forks.get(deployed.join());
    if (known !== undefined) return known;
    const forkId = await this.world.fork();
    const { instanceRegistry } = this.#generation.contracts;
    const nullifiers = deployed.map((address) => word(siloNullifier(core, instanceRegistry, field(address))));
    await this.world.insert(
      forkId,
      NULLIFIER_TREE,
      nullifiers.map((nullifier) => ({ nullifier })),
    );
    this.#forks.set(deployed.join(), forkId);
    return forkId;
  }

  async #prepare(forkId: number, { pre, tx }: GivenTx): Promise<void> {
    const { nullifiers = [], noteHashes = [], l1ToL2Messages = [], feePayerBalance } = pre;
    await this.world.insert(
      forkId,
      NULLIFIER_TREE,
      nullifiers.map((nullifier) => ({ nullifier: word(field(nullifier)) })),
    );
    await this.world.append(forkId, NOTE_HASH_TREE, noteHashes.map(field));
    await this.world.append(forkId, L1_TO_L2_MESSAGE_TREE, l1ToL2Messages.map(field));
    if (feePayerBalance === undefined) return;
    const { feeJuice } = this.#generation.contracts;
    const slot = publicDataLeafSlot(core, feeJuice, feePayerBalanceSlot(core, field(tx.feePayer)));
    await this.world.insert(forkId, PUBLIC_DATA_TREE, [{ slot: word(slot), value: word(field(feePayerBalance)) }]);
  }

  #inputs(wsRevision: Plain, tx: Tx, { calls, debugLogs }: Collected): Plain {
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
        collectCallMetadata: calls,
        collectHints: false,
        collectPublicInputs: false,
        collectDebugLogs: debugLogs,
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
    await this.world.close();
  }
}
