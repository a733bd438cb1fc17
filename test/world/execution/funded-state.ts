import { publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import { BlockState } from "../../../src/execution/block-state.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { PUBLIC_DATA_TREE } from "../../../src/protocol/constants.ts";
import { type Fr, fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";
import { core, GLOBALS } from "./avm-vectors.ts";
import { buildTx, type TxPlan } from "./tx-builder.ts";

export const PAYER = fr(0xfee);
export const BALANCE = 10n ** 12n;
const FEE_JUICE = fr(5);

const NO_CONTRACTS: ContractSource = { contractClass: () => undefined, contractInstance: () => undefined };

/** A block's state on a genesis in which PAYER has a balance. */
export function fundedState(contracts: ContractSource = NO_CONTRACTS): BlockState {
  const siloing = new Siloing(core, V4);
  const { fork } = genesisState(core, genesisContent(V4, []));
  const key = publicDataLeafSlot(core, FEE_JUICE, siloing.balanceSlot(PAYER));
  fork.insertOne(PUBLIC_DATA_TREE, { key, value: fr(BALANCE) });
  return new BlockState({ core, fork, globals: GLOBALS, contracts, siloing });
}

/** A tx of PAYER that uses 1,000 L2 gas, private unless the plan has calls. */
export function payersTx(nullifier: number, plan: Partial<TxPlan> = {}): Tx {
  return buildTx({
    nonRevertible: { nullifiers: [fr(nullifier)] },
    gasLimits: { daGas: 100_000, l2Gas: 6_000_000 },
    gasUsed: { daGas: 0, l2Gas: 1000 },
    maxFees: { da: 10n, l2: 10n },
    feePayer: PAYER,
    ...plan,
  });
}

/** Roots and sizes of the trees that transactions change. */
export function treesOf({ fork }: BlockState): [string, number][] {
  return ([0, 1, 2, 3] as const).map((tree) => [toHex(fork.snapshot(tree).root), fork.snapshot(tree).size]);
}

export function balanceOf(state: BlockState, payer: Fr = PAYER): bigint {
  const slot = publicDataLeafSlot(core, FEE_JUICE, state.siloing.balanceSlot(payer));
  const { leaf, present } = state.fork.lowLeaf(PUBLIC_DATA_TREE, slot);
  return present && leaf.value ? BigInt(toHex(leaf.value)) : 0n;
}
