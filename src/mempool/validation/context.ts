import type { ContractInstance } from "../../archiver/content-types.ts";
import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { Fr } from "../../protocol/field.ts";
import type { TxGas } from "../../protocol/tx/gas-settings.ts";
import type { AllowedSetupCall } from "../../protocol/tx/setup-allow-list.ts";

/** The state that txs are checked against: the committed one, or that of a block that is being built. */
export interface CheckedState {
  hasNullifier(nullifier: Fr): boolean;
  /** Whether a block header's hash is in the archive. */
  hasBlock(hash: Fr): boolean;
  /** Fee asset units. */
  feeJuice(payer: Fr): bigint;
}

/** What never changes while a node follows one rollup. */
export interface Network {
  /** As fields. */
  chainId: Fr;
  rollupVersion: Fr;
  vkTreeRoot: Fr;
  protocolContractsHash: Fr;
}

/** What checks go by beside the tx itself (sheet 06 section 1.2, "Parameters per entry point"). */
export interface CheckContext {
  permitted: boolean;
  network: Network;
  /** Seconds, and the number of the block that the tx could be in. */
  target: { timestamp: bigint; blockNumber: number };
  state: CheckedState;
  /** What a block charges. */
  gasFees: GasFees;
  /** Most gas that a tx may ask for. */
  gasLimits: TxGas;
  setupAllowList: readonly AllowedSetupCall[];
  /** With its class at a time in seconds. */
  contractInstance(address: Fr, timestamp: bigint): Pick<ContractInstance, "currentContractClassId"> | undefined;
}
