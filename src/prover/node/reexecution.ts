import { setImmediate } from "node:timers/promises";
import type { Core } from "../../core/core.ts";
import { BlockState } from "../../execution/block-state.ts";
import type { ContractSource } from "../../execution/contract-directory.ts";
import { globalsOfHeader } from "../../execution/globals.ts";
import type { Siloing } from "../../execution/siloing.ts";
import type { Vm } from "../../execution/vm/vm.ts";
import { HEADER_AT, headerBlockNumber } from "../../protocol/block-header.ts";
import { L1_TO_L2_MESSAGE_TREE, L1_TO_L2_MESSAGES_PER_CHECKPOINT } from "../../protocol/constants.ts";
import type { WorldState } from "../../world-state/world-state.ts";
import { GlobalVariables } from "../circuits/layouts/values.ts";
import { decode } from "../codec/codec.ts";
import { executeForProving } from "../public-part/execute-for-proving.ts";
import type { CheckpointExecution, ReexecutedTx } from "./checkpoint-preparation.ts";

export interface ReexecutionServices {
  readonly core: Core;
  readonly world: Pick<WorldState, "fork">;
  readonly contracts: ContractSource;
  readonly siloing: Siloing;
  readonly vm: Vm;
  /** 20 bytes. */
  readonly proverId: Uint8Array;
}

/**
 * Begins to execute a checkpoint on the state after `parentBlock`. `header` is that of its first block. Yields to the
 * event loop between transactions. Throws a WorldStateError if there is no such state.
 */
export function reexecuteCheckpoint(
  { core, world, contracts, siloing, vm, proverId }: ReexecutionServices,
  parentBlock: number,
  messages: readonly Uint8Array[],
  header: Uint8Array,
): CheckpointExecution {
  const fork = world.fork(parentBlock);
  fork.append(L1_TO_L2_MESSAGE_TREE, [...messages], L1_TO_L2_MESSAGES_PER_CHECKPOINT);
  const state = new BlockState({ core, fork, globals: globalsOfHeader(header), contracts, siloing });
  return {
    async executeBlock(block, txs, signal) {
      state.beginBlock(headerBlockNumber(block));
      const globals = decode(
        GlobalVariables,
        "global variables",
        block.subarray(HEADER_AT.chainId, HEADER_AT.totalFees),
      );
      const done: ReexecutedTx[] = [];
      for (const tx of txs) {
        await setImmediate();
        signal.throwIfAborted();
        const { executed, publicPart } = executeForProving(vm, state, tx, { globals, proverId });
        done.push({ effect: executed.effect, publicPart });
      }
      return done;
    },
  };
}
