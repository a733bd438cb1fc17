import { CheckpointBuilder } from "../../../src/checkpoints/checkpoint-builder.ts";
import type { CheckpointTerms } from "../../../src/checkpoints/checkpoint-terms.ts";
import { publicDataLeafSlot } from "../../../src/core/derive/public-storage.ts";
import type { ContractSource } from "../../../src/execution/contract-directory.ts";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { Siloing } from "../../../src/execution/siloing.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { TREE_IDS } from "../../../src/protocol/constants.ts";
import { fr } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import type { Fork } from "../../../src/world-state/fork.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";
import { core } from "../execution/avm-vectors.ts";
import { BALANCE, PAYER, payersTx } from "../execution/funded-state.ts";
import type { TxPlan } from "../execution/tx-builder.ts";

const siloing = new Siloing(core, V4);
const NO_CONTRACTS: ContractSource = { contractClass: () => undefined, contractInstance: () => undefined };
const FEE_JUICE = fr(5);

export const TERMS: CheckpointTerms = {
  checkpointNumber: 1,
  slot: 9,
  timestamp: 1_700_000_648,
  chainId: 31337,
  version: 77,
  coinbase: new Uint8Array(20).fill(3),
  feeRecipient: fr(4),
  gasFees: { feePerDaGas: 0n, feePerL2Gas: 5n },
  limits: { rollupManaLimit: 200_000_000 },
};

export interface Situation {
  terms?: Partial<CheckpointTerms>;
  contracts?: ContractSource;
  messages?: Uint8Array[];
  previousOutHashes?: Uint8Array[];
  /** Changes the state before building. */
  prepare?: (fork: Fork) => void;
}

/** A builder of the first checkpoint on a genesis in which PAYER has a balance, and its fork for inspection. */
export async function fundedBuilder(given: Situation = {}): Promise<{ builder: CheckpointBuilder; fork: Fork }> {
  const slot = publicDataLeafSlot(core, FEE_JUICE, siloing.balanceSlot(PAYER));
  const { fork } = genesisState(core, genesisContent(V4, [{ slot, value: fr(BALANCE) }]));
  given.prepare?.(fork);
  const services = {
    core,
    generation: V4,
    world: { fork: () => fork },
    contracts: given.contracts ?? NO_CONTRACTS,
    siloing,
    vm: new Vm(V4),
    kzg: { commitment: async () => new Uint8Array(48).fill(0xc0) },
  };
  const terms = { ...TERMS, ...given.terms };
  const builder = await CheckpointBuilder.start(services, terms, given.messages ?? [], given.previousOutHashes ?? []);
  return { builder, fork };
}

/** A tx of PAYER with the given nullifier; genesis contains those below 128. Its hash ends with the same byte. */
export function tx(nullifier: number, plan: Partial<TxPlan> = {}): HashedTx {
  return { hash: fr(0x1_0000 + nullifier), tx: payersTx(nullifier, plan) };
}

/** Roots and sizes of all trees. */
export function statesOf(fork: Fork): [string, number][] {
  return TREE_IDS.map((tree) => [toHex(fork.snapshot(tree).root), fork.snapshot(tree).size]);
}
