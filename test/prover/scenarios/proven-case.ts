import { feePayerBalanceSlot } from "../../../src/core/derive/public-storage.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { equal } from "../../../src/protocol/bytes.ts";
import { PUBLIC_DATA_TREE } from "../../../src/protocol/constants.ts";
import { FR_ZERO, fr } from "../../../src/protocol/field.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { type ExecutedForProving, executeForProving } from "../../../src/prover/public-part/execute-for-proving.ts";
import { core, forkOf, GLOBALS, hashed, txOf } from "../../world/execution/avm-vectors.ts";
import { generatedTx } from "../../world/execution/generated-txs.ts";
import { type ProvableCase, provableCase } from "./provable-case.ts";

const PAYERS_SLOT = feePayerBalanceSlot(core, fr(0xfee));
const { chainId, version, blockNumber, timestamp, feePerDaGas, feePerL2Gas } = GLOBALS;
const NOBODY = new Uint8Array(20);
const TERMS = {
  globals: {
    ...{ chainId, version, blockNumber, timestamp },
    ...{ slotNumber: 0, coinbase: NOBODY, feeRecipient: FR_ZERO, gasFees: { feePerDaGas, feePerL2Gas } },
  },
  proverId: NOBODY,
};

export function caseOf(seed: number, generation: Generation = V4): ProvableCase {
  return provableCase(generatedTx(seed, PAYERS_SLOT), generation);
}

/** Executes the generated transaction of a seed for proving. Invalidates the state of the previous one. */
export function provenCase(seed: number, generation: Generation = V4): ExecutedForProving {
  const { given, instances, classes, writes } = caseOf(seed, generation);
  const fork = forkOf(given, generation);
  for (const write of writes) fork.insertOne(PUBLIC_DATA_TREE, write);
  const contracts = {
    contractInstance: (wanted: Uint8Array) => instances.find(({ address }) => equal(address, wanted)),
    contractClass: (wanted: Uint8Array) => classes.find(({ id }) => equal(id, wanted)),
  };
  const state = new BlockState({ core, fork, globals: GLOBALS, contracts, siloing: new Siloing(core, generation) });
  return executeForProving(new Vm(generation), state, hashed(txOf(given)), { ...TERMS, generation });
}
