import type { ContractInstance } from "../../../archiver/content-types.ts";
import type { GasFees, TxGas } from "../../../protocol/fees/gas-fees.ts";
import type { Fr } from "../../../protocol/field.ts";
import type { Generation } from "../../../protocol/generations/generation.ts";
import type { AllowedSetupCall } from "../../../protocol/generations/transactions.ts";

/** The state that txs are checked against: the committed one, or that of a block being built. */
export interface CheckedState {
  hasNullifier(nullifier: Fr): boolean;
  /** Whether the archive contains a block header's hash. */
  hasBlock(hash: Fr): boolean;
  /** Balance in fee asset units. */
  feeJuice(payer: Fr): bigint;
}

/** Values that are constant while a node follows one rollup. */
export interface Network {
  /** As fields. */
  chainId: Fr;
  rollupVersion: Fr;
  vkTreeRoot: Fr;
  protocolContractsHash: Fr;
}

/**
 * What checks need besides the tx itself (docs/protocol/07-transactions-and-fees.md#714-what-checks-go-by, "Parameters
 * per entry point").
 */
export interface CheckContext {
  /** Rules of the rollup's generation. */
  rules: Pick<Generation, "contracts" | "transactions">;
  permitted: boolean;
  network: Network;
  /** Timestamp in seconds and number of the block that could include the tx. */
  target: { timestamp: bigint; blockNumber: number };
  state: CheckedState;
  /** Fees of the block. */
  gasFees: GasFees;
  /** Most gas that a tx may request. */
  gasLimits: TxGas;
  setupAllowList: readonly AllowedSetupCall[];
  /** The instance and its class at a time in seconds. */
  contractInstance(address: Fr, timestamp: bigint): Pick<ContractInstance, "currentContractClassId"> | undefined;
}
