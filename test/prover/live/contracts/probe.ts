import type { Core } from "../../../../src/core/core.ts";
import { BlockState } from "../../../../src/execution/block-state.ts";
import { Siloing } from "../../../../src/execution/siloing.ts";
import { Vm } from "../../../../src/execution/vm/vm.ts";
import { concat, readBigUint, toHex } from "../../../../src/protocol/bytes.ts";
import { FR_ZERO, fr } from "../../../../src/protocol/field.ts";
import type { Generation } from "../../../../src/protocol/generations/generation.ts";
import { decodeVmInput } from "../../../../src/prover/jobs/vm-input.ts";
import { executeForProving } from "../../../../src/prover/public-part/execute-for-proving.ts";
import type { HintedVm } from "../../../execution/live/native-hints.ts";
import { outcomeOfExecuted } from "../../../world/execution/tx-outcome.ts";
import { CHAIN_ID, type MadeChain, type MadeTx, madeGenesis, VERSION } from "../../../world/prover/made-chain.ts";
import type { MadeContracts } from "../../../world/prover/made-contracts.ts";

const GLOBALS = {
  ...{ chainId: fr(CHAIN_ID), version: fr(VERSION), blockNumber: 1, timestamp: 1_700_000_072n, slotNumber: 1 },
  ...{ coinbase: new Uint8Array(20).fill(3), feeRecipient: FR_ZERO, gasFees: { feePerDaGas: 3n, feePerL2Gas: 5n } },
};

/** Executes transactions one after the other, here and in the network's simulator, which has only our hints. */
export class Probe {
  readonly #vm: Vm;
  readonly #state: BlockState;
  readonly #generation: Generation;
  readonly #hinted: HintedVm;

  constructor(core: Core, generation: Generation, contracts: MadeContracts, hinted: HintedVm) {
    this.#vm = new Vm(generation);
    this.#generation = generation;
    this.#hinted = hinted;
    this.#state = new BlockState({
      ...{ core, fork: madeGenesis(core, generation, contracts).fork, contracts: contracts.source },
      ...{ globals: { ...GLOBALS, ...GLOBALS.gasFees }, siloing: new Siloing(core, generation) },
    });
  }

  /** First field of the revert data, zero if there is none; undefined if the transaction does not revert. */
  async run(chain: MadeChain, tx: MadeTx): Promise<bigint | undefined> {
    const terms = { globals: GLOBALS, proverId: new Uint8Array(20), generation: this.#generation };
    const { executed, publicPart } = executeForProving(this.#vm, this.#state, chain.transaction(tx), terms);
    if (publicPart === undefined) return undefined;
    const { accumulated, lengths } = publicPart.publicInputs;
    const messages = accumulated.l2ToL1Msgs.slice(0, lengths.l2ToL1Msgs);
    const ours = JSON.stringify({ ...outcomeOfExecuted(executed, messages), calls: [] });
    const theirs = JSON.stringify(await this.#hinted.run(publicPart.vmInput));
    if (ours !== theirs) throw new Error(`the simulator differs: ${theirs}\n  ours ${ours}`);
    if (executed.effect.revertCode === 0) return undefined;
    const { output } = executed.calls.find((call) => call.reverted)!;
    return output.length === 0 ? 0n : readBigUint(output, 0, 32);
  }
}

/** Whether the simulator comes to the public inputs of a PUBLIC_VM job, from its hints. */
export async function agrees(hinted: HintedVm, generation: Generation, vmInput: Uint8Array): Promise<boolean> {
  const { publicInputs } = decodeVmInput(generation, vmInput);
  const { accumulated, lengths, reverted, transactionFee, endGasUsed } = publicInputs;
  const outcome = await hinted.run(vmInput);
  if ("dropped" in outcome) return false;
  const words = (bytes: Uint8Array, count: number) =>
    Array.from({ length: count }, (_, i) => toHex(bytes.subarray(i * 32, i * 32 + 32)));
  const ours = {
    reverted,
    fee: toHex(transactionFee),
    gas: [endGasUsed.l2Gas, endGasUsed.daGas],
    noteHashes: words(accumulated.noteHashes, lengths.noteHashes),
    nullifiers: words(accumulated.nullifiers, lengths.nullifiers),
    messages: accumulated.l2ToL1Msgs
      .slice(0, lengths.l2ToL1Msgs)
      .map(({ contractAddress, recipient, content }) =>
        [contractAddress, concat(new Uint8Array(12), recipient), content].map(toHex),
      ),
    logs: words(accumulated.publicLogs, accumulated.publicLogs.length / 32),
    writes: accumulated.publicDataWrites
      .slice(0, lengths.publicDataWrites)
      .map(({ leafSlot, value }) => [leafSlot, value].map(toHex)),
  };
  const theirs = {
    reverted: outcome.revertCode !== 0,
    fee: outcome.fee,
    gas: outcome.gas[3],
    ...{ noteHashes: outcome.noteHashes, nullifiers: outcome.nullifiers, messages: outcome.messages },
    logs: outcome.logs.flatMap(([contract, ...fields]) => [toHex(fr(fields.length)), contract, ...fields]),
    writes: outcome.writes,
  };
  return JSON.stringify(ours) === JSON.stringify(theirs);
}
