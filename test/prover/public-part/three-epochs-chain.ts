import { expect } from "vitest";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { messagesOfCheckpoint } from "../../../src/archiver/message-chain.ts";
import type { Core } from "../../../src/core/core.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { globalsOfHeader } from "../../../src/execution/globals.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { headerBlockNumber } from "../../../src/protocol/block-header.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../../src/protocol/constants.ts";
import type { TxEffect } from "../../../src/protocol/tx-effect.ts";
import { tx as txParameter } from "../../../src/rpc/params/tx.ts";
import { Follower } from "../../conformance/follower.ts";
import { startThreeEpochs } from "../three-epochs.ts";

/** A block of the recorded epochs with its transactions. */
export interface EpochBlock {
  epoch: number;
  header: Uint8Array;
  txs: HashedTx[];
  effects: TxEffect[];
}

/** The network of `three-epochs`, synced into a store, with the transactions of its last epochs. */
export class ThreeEpochsChain {
  readonly #core: Core;
  readonly #follower: Follower;
  readonly #content: ContentStore;
  readonly #siloing: Siloing;
  readonly #txs: Map<string, HashedTx>;

  private constructor(core: Core, follower: Follower, txs: Record<string, unknown>[]) {
    this.#core = core;
    this.#follower = follower;
    this.#siloing = new Siloing(core);
    const { store, chain } = follower.services;
    this.#content = new ContentStore({ store, chain });
    this.#txs = new Map(
      txs.map((json) => {
        const hash = json.txHash as string;
        return [hash, { hash: fromHex(hash), tx: txParameter.read(json, [], []) }];
      }),
    );
  }

  static async open(core: Core): Promise<ThreeEpochsChain> {
    const l1 = await startThreeEpochs();
    try {
      const follower = await Follower.open(core, { l1RpcUrls: [l1.url], bareBlobs: l1.blobs, prefundAddresses: [] });
      // The blob of the last checkpoint, which has no transaction, is not among the recorded ones.
      await expect(follower.sync(0)).rejects.toThrow("ENOENT");
      return new ThreeEpochsChain(core, follower, l1.txs());
    } finally {
      await l1.stop();
    }
  }

  /** The blocks of epochs 23, 24 and 25. */
  blocks(): EpochBlock[] {
    const { chain } = this.#follower.services;
    return [23, 24, 25].flatMap((epoch) =>
      chain.checkpointsOfEpoch(epoch).flatMap(({ startBlock, blockCount }) =>
        Array.from({ length: blockCount }, (_, i) => {
          const { header } = chain.block(startBlock + i)!;
          const effects = chain.txEffects(startBlock + i);
          const txs = effects.map(({ txHash }) => this.#txs.get(toHex(txHash))!);
          return { epoch, header, txs, effects };
        }),
      ),
    );
  }

  /** The state before the block's first transaction. */
  stateBefore({ header }: EpochBlock): BlockState {
    const { chain, world } = this.#follower.services;
    const number = headerBlockNumber(header);
    const { checkpointNumber, indexWithinCheckpoint } = chain.block(number)!;
    const fork = world.fork(number - 1);
    if (indexWithinCheckpoint === 0) {
      const messages = messagesOfCheckpoint(chain.messages, checkpointNumber);
      fork.append(L1_TO_L2_MESSAGE_TREE, messages, L1_TO_L2_MESSAGES_PER_CHECKPOINT);
    }
    const globals = globalsOfHeader(header);
    return new BlockState({ core: this.#core, fork, globals, contracts: this.#content, siloing: this.#siloing });
  }

  remove(): Promise<void> {
    return this.#follower.remove();
  }
}
