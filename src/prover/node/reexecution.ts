import type { Core } from "../../core/core.ts";
import { BlockState } from "../../execution/block-state.ts";
import type { ContractSource } from "../../execution/contract-directory.ts";
import { ContractsAsOf } from "../../execution/contracts-as-of.ts";
import type { HashedTx } from "../../execution/executed-tx.ts";
import { globalsOfHeader } from "../../execution/globals.ts";
import type { Siloing } from "../../execution/siloing.ts";
import { VmInterruptedError } from "../../execution/vm/errors.ts";
import type { Vm } from "../../execution/vm/vm.ts";
import { HEADER_AT, headerBlockNumber } from "../../protocol/block-header.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../protocol/constants.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import type { WorldState } from "../../world-state/world-state.ts";
import { GlobalVariables } from "../circuits/layouts/values.ts";
import { decode } from "../codec/codec.ts";
import { type ExecutedForProving, executeForProving } from "../public-part/execute-for-proving.ts";

interface ReexecutionServices {
  readonly core: Core;
  /** Of the rollup. */
  readonly generation: Generation;
  readonly world: Pick<WorldState, "fork">;
  readonly contracts: ContractSource;
  readonly siloing: Siloing;
  readonly vm: Vm;
  /** 20 bytes. */
  readonly proverId: Uint8Array;
}

/** A checkpoint whose transactions are executed again. Plain data: it crosses threads. */
export interface CheckpointToExecute {
  /** Block before the checkpoint. */
  readonly parentBlock: number;
  /** Messages to L2, without padding. */
  readonly messages: readonly Uint8Array[];
  /** The checkpoint's first blocks, each with all of its transactions. */
  readonly blocks: readonly { readonly header: Uint8Array; readonly txs: readonly HashedTx[] }[];
}

/**
 * Executes the transactions of a checkpoint on the state and the contracts of the block before it. Returns them by
 * block. Throws a WorldStateError if there is no such state, and what executeTx throws. `interrupted` ends it early
 * with
 * a VmInterruptedError.
 */
export function reexecuteCheckpoint(
  { core, generation, world, contracts, siloing, vm, proverId }: ReexecutionServices,
  { parentBlock, messages, blocks }: CheckpointToExecute,
  interrupted?: () => boolean,
): ExecutedForProving[][] {
  const fork = world.fork(parentBlock);
  fork.append(L1_TO_L2_MESSAGE_TREE, [...messages], L1_TO_L2_MESSAGES_PER_CHECKPOINT);
  const state = new BlockState({
    ...{ core, fork, siloing },
    globals: globalsOfHeader(blocks[0].header),
    contracts: new ContractsAsOf(contracts, parentBlock),
  });
  return blocks.map(({ header, txs }) => {
    state.beginBlock(headerBlockNumber(header));
    const range = header.subarray(HEADER_AT.chainId, HEADER_AT.totalFees);
    const globals = decode(GlobalVariables, "global variables", range);
    return txs.map((tx) => {
      if (interrupted?.() === true) throw new VmInterruptedError();
      return executeForProving(vm, state, tx, { globals, proverId, generation }, { interrupted });
    });
  });
}
