import type { ChainReadsOptions } from "../../../src/archiver/chain-reads.ts";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import { RECORDED_CHAIN } from "../../../src/cli/demo/recorded-chain.ts";
import type { Core } from "../../../src/core/core.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { globalsOfHeader } from "../../../src/execution/globals.ts";
import type { Siloing } from "../../../src/execution/siloing.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../../src/protocol/constants.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import type { TxEffect } from "../../../src/protocol/tx-effect.ts";
import { startChainA } from "../l1/chain-a.ts";
import { Follower } from "../node/follower.ts";
import { recordedTxs } from "../protocol/recorded-txs.ts";

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
  readonly #follower: Follower;
  readonly core: Core;
  readonly content: ContentStore;
  readonly #sent: Map<string, Tx>;

  private constructor(core: Core, follower: Follower) {
    this.core = core;
    this.#follower = follower;
    const { store, chain } = follower.services;
    this.content = new ContentStore({ store, chain });
    this.#sent = new Map(recordedTxs().map(({ hash, tx }) => [toHex(hash), tx]));
  }

  static async open(core: Core): Promise<RecordedChain> {
    const l1 = await startChainA();
    try {
      const follower = await Follower.fresh(core, { l1RpcUrls: [l1.url], blobStore: l1.blobStore });
      return new RecordedChain(core, follower);
    } finally {
      await l1.stop();
    }
  }

  get services() {
    return this.#follower.services;
  }

  /** Lets worker threads read the same store. */
  get workerSetup(): ChainReadsOptions {
    const { constants } = this.#follower.reader.identity;
    return {
      path: this.#follower.path,
      publicData: genesisPublicData(
        this.core,
        {
          testAccounts: true,
          sponsoredFpc: true,
          prefundAddresses: [fromHex(RECORDED_CHAIN.prefundAddresses)],
        },
        V4,
      ),
      epochDuration: constants.epochDuration,
      commits: this.services.store.commits,
    };
  }

  remove(): Promise<void> {
    return this.#follower.remove();
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
