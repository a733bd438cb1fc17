import { CheckpointBuilder } from "../../../src/checkpoints/checkpoint-builder.ts";
import type { BuildServices, CheckpointTerms } from "../../../src/checkpoints/checkpoint-terms.ts";
import type { Core } from "../../../src/core/core.ts";
import { feePayerBalanceSlot, publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { globalsOfHeader } from "../../../src/execution/globals.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { type BlockHeader, HEADER_AT } from "../../../src/protocol/block-header.ts";
import { bigUintBytes, concat, fromHex, u32Bytes } from "../../../src/protocol/bytes.ts";
import { ARCHIVE, L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../../src/protocol/constants.ts";
import { type Fr, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { TX_DATA_AT } from "../../../src/protocol/tx/kernel-output.ts";
import { GlobalVariables } from "../../../src/prover/circuits/layouts/values.ts";
import { decode } from "../../../src/prover/codec/codec.ts";
import type { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import type { EpochTerms, TxToProve } from "../../../src/prover/epoch/epoch-types.ts";
import { executeForProving } from "../../../src/prover/public-part/execute-for-proving.ts";
import type { Fork } from "../../../src/world-state/fork.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";
import { buildTx, type CallPlan, type TxPlan } from "../execution/tx-builder.ts";
import { type MadeContracts, writerAndReverter } from "./made-contracts.ts";

export const CHAIN_ID = 31337;
export const VERSION = 77;
const PRIVATE_GAS = { daGas: 1000, l2Gas: 2000 };
const TEARDOWN_GAS = { daGas: 10_000, l2Gas: 900_000 };
const PROVER_ID = new Uint8Array(20).fill(9);
const PAYER = fr(0xfee);
const BALANCE = 10n ** 24n;
const GENESIS_TIME = 1_700_000_000;
const SLOT_SECONDS = 72;
/** Where the hash of a transaction's class log stands in its data. */
const CLASS_LOG_AT = TX_DATA_AT.accumulated + 37_792;

/** A call of one of the chain's contracts, by name. */
export interface MadeCall {
  to: string;
  /** Calldata. */
  words: readonly Fr[];
  /** Without it, any other one. */
  sender?: Fr;
  isStatic?: boolean;
}

/** A transaction, as far as chains differ in it. */
export interface MadeTx extends Pick<TxPlan, "nonRevertible" | "revertible" | "classRegistry"> {
  setup?: readonly MadeCall[];
  app?: readonly MadeCall[];
  teardown?: MadeCall;
}

export interface MadeCheckpoint {
  /** Messages to L2. */
  messages: readonly Fr[];
  /** Transactions of each block; only the first one may have none. */
  blocks: readonly (readonly MadeTx[])[];
}

/**
 * A chain of a generation that the checkpoint builder makes from nothing, in memory. Each checkpoint is given to the
 * prover of its epoch, which has a state of its own.
 */
export class MadeChain {
  readonly generation: Generation;
  readonly #core: Core;
  readonly #services: BuildServices;
  readonly #kzg = new Kzg();
  /** State of the builder, of executions for proving, and of provers: equal after each checkpoint. */
  readonly #built: Fork;
  readonly #executed: Fork;
  readonly #proven: Fork;
  readonly #contracts: MadeContracts;
  /** Header of the latest block. */
  #header: BlockHeader;
  #checkpoint = 0;
  #outHashes: { epoch: number; hashes: Fr[] } = { epoch: 0, hashes: [] };

  constructor(core: Core, generation: Generation, contracts: MadeContracts = writerAndReverter(core, generation)) {
    this.#contracts = contracts;
    const { source } = contracts;
    const genesis = () => madeGenesis(core, generation, contracts);
    const { fork, header } = genesis();
    this.generation = generation;
    this.#core = core;
    this.#built = fork;
    this.#executed = genesis().fork;
    this.#proven = genesis().fork;
    this.#header = header;
    this.#services = {
      ...{ core, generation, kzg: this.#kzg, vm: new Vm(generation), siloing: new Siloing(core, generation) },
      world: { fork: () => this.#built },
      contracts: source,
    };
  }

  get kzg(): Kzg {
    return this.#kzg;
  }

  /** Of the epoch to prove. */
  terms(epoch: number): EpochTerms {
    const { vkTreeRoot, protocolContractsHash } = this.generation.contracts;
    return {
      ...{ epoch, chainId: CHAIN_ID, version: VERSION, proverId: PROVER_ID },
      vkTreeRoot: fromHex(vkTreeRoot),
      protocolContractsHash: fromHex(protocolContractsHash),
    };
  }

  /** Builds the next checkpoint and gives it to the prover of its epoch. */
  async add(prover: Pick<EpochProver, "startCheckpoint">, epoch: number, plan: MadeCheckpoint): Promise<void> {
    const number = ++this.#checkpoint;
    if (this.#outHashes.epoch !== epoch) this.#outHashes = { epoch, hashes: [] };
    const { hashes } = this.#outHashes;
    const previousHeader = this.#header;
    const messages = [...plan.messages];
    const builder = await CheckpointBuilder.start(this.#services, termsOf(number), messages, hashes);
    const proving = prover.startCheckpoint({ number, previousHeader, messages, fork: this.#proven });
    let executing: BlockState | undefined;
    for (const planned of plan.blocks) {
      const txs = planned.map((tx) => this.transaction(tx));
      const { block, processed, unprocessable, failed, skipped } = await builder.buildBlock(txs, {
        minValidTxs: txs.length,
      });
      if (block === undefined) {
        const [refused] = [...unprocessable, ...failed, ...skipped];
        throw new Error(`${processed.length} of ${txs.length} transactions were executed: ${refused?.reason}`);
      }
      const { header, archiveRoot, hash } = block.record;
      this.#header = header;
      executing ??= this.#execution(header, messages);
      const parts = this.#execute(executing, header, txs);
      this.#executed.append(ARCHIVE, [hash]);
      const proven = txs.map((tx, i) => ({ ...tx, effect: block.txs[i], ...parts[i] }));
      await proving.addBlock({ header, archiveRoot, txs: proven });
    }
    const { header, commitments, outHash } = await builder.complete();
    hashes.push(outHash);
    proving.end({ header, commitments });
  }

  /** The state that a checkpoint's transactions are executed on for proving. */
  #execution(first: BlockHeader, messages: readonly Fr[]): BlockState {
    const { core, contracts, siloing } = this.#services;
    this.#executed.append(L1_TO_L2_MESSAGE_TREE, [...messages], L1_TO_L2_MESSAGES_PER_CHECKPOINT);
    return new BlockState({ core, fork: this.#executed, globals: globalsOfHeader(first), contracts, siloing });
  }

  #execute(state: BlockState, header: BlockHeader, txs: readonly HashedTx[]): Pick<TxToProve, "publicPart">[] {
    const globals = decode(GlobalVariables, "globals", header.subarray(HEADER_AT.chainId, HEADER_AT.totalFees));
    const terms = { globals, proverId: PROVER_ID, generation: this.generation };
    state.beginBlock(globals.blockNumber);
    return txs.map((tx) => {
      const { publicPart } = executeForProving(this.#services.vm, state, tx, terms);
      return publicPart === undefined ? {} : { publicPart: Promise.resolve(publicPart) };
    });
  }

  /** Anchored to the latest block. Its proof is zero. */
  transaction({ nonRevertible, revertible, classRegistry, setup = [], app = [], teardown }: MadeTx): HashedTx {
    const { contracts, transactions } = this.generation;
    const call = ({ to, words, sender = fr(7), isStatic = false }: MadeCall): CallPlan => ({
      ...{ address: this.#contracts.addresses[to], sender, isStatic, calldata: concat(...words) },
    });
    const tx = buildTx({
      ...{ nonRevertible, ...(classRegistry && { classRegistry }) },
      ...(revertible === undefined ? {} : { revertible }),
      ...{ setup: setup.map(call), app: app.map(call) },
      ...(teardown === undefined ? {} : { teardown: call(teardown), teardownGasLimits: TEARDOWN_GAS }),
      gasLimits: { daGas: 40_000, l2Gas: 6_000_000 },
      gasUsed: teardown === undefined ? PRIVATE_GAS : { daGas: 11_000, l2Gas: 902_000 },
      maxFees: { da: 100n, l2: 100n },
      maxPriorityFees: { da: 1n, l2: 2n },
      feePayer: PAYER,
    });
    const { data } = tx;
    data.set(this.#header, TX_DATA_AT.anchorHeader);
    data.set(fr(CHAIN_ID), TX_DATA_AT.chainId);
    data.set(fr(VERSION), TX_DATA_AT.version);
    data.set(fromHex(contracts.vkTreeRoot), TX_DATA_AT.vkTreeRoot);
    data.set(fromHex(contracts.protocolContractsHash), TX_DATA_AT.protocolContractsHash);
    data.set(bigUintBytes(BigInt(GENESIS_TIME + 10 ** 6), 8), TX_DATA_AT.expirationTimestamp);
    const [classLog] = tx.contractClassLogFields;
    if (classLog !== undefined) data.set(this.#core.hash(classLog), CLASS_LOG_AT);
    const proof = new Uint8Array(transactions.proofFields * 32);
    return {
      hash: txHash(this.#core, data),
      tx: { ...tx, data, chonkProof: concat(u32Bytes(transactions.proofFields), proof) },
    };
  }

  async close(): Promise<void> {
    await this.#kzg.close();
  }
}

/** The state before the first block: the contracts are deployed, and the fee payer has a balance. */
export function madeGenesis(core: Core, generation: Generation, { nullifiers }: MadeContracts) {
  const { feeJuice } = generation.contracts;
  const slot = publicDataLeafSlot(core, feeJuice, feePayerBalanceSlot(core, PAYER));
  return genesisState(core, { ...genesisContent(generation, [{ slot, value: fr(BALANCE) }]), nullifiers });
}

function termsOf(checkpointNumber: number): CheckpointTerms {
  return {
    checkpointNumber,
    slot: checkpointNumber,
    timestamp: GENESIS_TIME + checkpointNumber * SLOT_SECONDS,
    chainId: CHAIN_ID,
    version: VERSION,
    coinbase: new Uint8Array(20).fill(3),
    feeRecipient: fr(4),
    gasFees: { feePerDaGas: 3n, feePerL2Gas: 5n },
    limits: { rollupManaLimit: 200_000_000 },
  };
}
