import type { ChainReadsOptions } from "../../../src/archiver/chain-reads.ts";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import type { Core } from "../../../src/core/core.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { globalsOfHeader } from "../../../src/execution/globals.ts";
import type { Siloing } from "../../../src/execution/siloing.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../../src/protocol/constants.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import type { TxEffect } from "../../../src/protocol/tx-effect.ts";
import { CHAIN_A, type RecordedNetwork, recordedPublicData, V5_CHAIN } from "../l1/recorded-networks.ts";
import { recordedTxs, recordedV5Txs } from "../protocol/recorded-txs.ts";
import { type SyncedChain, syncRecordedChain } from "../snapshots/synced-chain.ts";

/** A recorded block whose transactions were all recorded as clients sent them. */
export interface RecordedBlock {
  number: number;
  header: Uint8Array;
  hash: Uint8Array;
  archiveRoot: Uint8Array;
  txs: HashedTx[];
  effects: TxEffect[];
}

/** The recorded chain in a store, with all its blocks. */
export class RecordedChain {
  readonly #synced: SyncedChain;
  readonly #network: RecordedNetwork;
  readonly core: Core;
  readonly content: ContentStore;
  readonly #sent: Map<string, Tx>;

  private constructor(core: Core, synced: SyncedChain, network: RecordedNetwork) {
    this.core = core;
    this.#synced = synced;
    this.#network = network;
    const { store, chain } = synced.services;
    this.content = new ContentStore({ store, chain });
    const sent = network === V5_CHAIN ? recordedV5Txs() : recordedTxs();
    this.#sent = new Map(sent.map(({ hash, tx }) => [toHex(hash), tx]));
  }

  static async open(core: Core, network: RecordedNetwork = CHAIN_A): Promise<RecordedChain> {
    return new RecordedChain(core, await syncRecordedChain(network, { checkpointHistory: network.blocks }), network);
  }

  get services() {
    return this.#synced.services;
  }

  /** Lets worker threads read the same store. */
  get workerSetup(): ChainReadsOptions {
    const { path, reader } = this.#synced;
    return {
      path,
      publicData: recordedPublicData(this.core, this.#network),
      epochDuration: reader.identity.constants.epochDuration,
      commits: this.services.store.commits,
    };
  }

  remove(): Promise<void> {
    return this.#synced.close();
  }

  /** Blocks that have transactions, if all of these were recorded as clients sent them. */
  blocks(): RecordedBlock[] {
    const { chain } = this.services;
    const numbers = Array.from({ length: chain.latestBlockNumber() }, (_, i) => i + 1);
    return numbers.flatMap((number) => {
      const { header, hash, archiveRoot } = chain.block(number)!;
      const effects = chain.txEffects(number);
      const txs = effects.flatMap(({ txHash: hash }) => {
        const tx = this.#sent.get(toHex(hash));
        return tx === undefined ? [] : [{ hash, tx }];
      });
      if (effects.length === 0 || txs.length < effects.length) return [];
      return [{ number, header, hash, archiveRoot, txs, effects }];
    });
  }

  /** Messages that the block inserts into the tree: those of its checkpoint, if it is the checkpoint's first block. */
  messages(number: number): Uint8Array[] | undefined {
    const { chain } = this.services;
    const { checkpointNumber, indexWithinCheckpoint } = chain.block(number)!;
    return indexWithinCheckpoint === 0 ? messagesOfCheckpoint(chain.messages, checkpointNumber) : undefined;
  }

  /** The state before a block's first transaction. */
  stateBefore({ number, header }: RecordedBlock, siloing: Siloing): BlockState {
    const fork = this.services.world.fork(number - 1);
    const messages = this.messages(number);
    if (messages !== undefined) fork.append(L1_TO_L2_MESSAGE_TREE, messages, L1_TO_L2_MESSAGES_PER_CHECKPOINT);
    return new BlockState({
      core: this.core,
      fork,
      globals: globalsOfHeader(header),
      contracts: this.content,
      siloing,
    });
  }
}
