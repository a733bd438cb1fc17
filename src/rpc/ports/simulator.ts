import type { Tx } from "../../protocol/tx/tx.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";

/** A contract as if it were deployed, in place of what the chain has at its address. */
export interface ContractOverride {
  address: Uint8Array;
  instance: {
    version: number;
    salt: Uint8Array;
    deployer: Uint8Array;
    currentContractClassId: Uint8Array;
    originalContractClassId: Uint8Array;
    initializationHash: Uint8Array;
    /** Absent in generations whose instances have none. */
    immutablesHash?: Uint8Array;
    /** In the form of the generation's instances. */
    publicKeys: Uint8Array;
    address: Uint8Array;
  };
}

/** What a simulation takes for given instead of what the chain has. */
export interface SimulationOverrides {
  publicStorage: { contract: Uint8Array; slot: Uint8Array; value: Uint8Array }[];
  contracts: ContractOverride[];
}

export interface Gas {
  daGas: number;
  l2Gas: number;
}

/** What a public call returned and what the calls inside it did. */
export interface CallResult {
  /** n x 32 bytes; undefined when it returned nothing. */
  values: Uint8Array | undefined;
  nested: CallResult[];
}

export interface SimulationRevert {
  originalMessage: string;
  functionErrorStack: {
    contractAddress: Uint8Array;
    contractName?: string;
    /** 4 bytes. */
    functionSelector?: Uint8Array;
    functionName?: string;
  }[];
  /** Opcode locations, innermost last. */
  noirErrorStack?: string[];
  /** n x 32 bytes. */
  revertData: Uint8Array;
}

export interface DebugLog {
  contractAddress: Uint8Array;
  level: "silent" | "fatal" | "error" | "warn" | "info" | "verbose" | "debug" | "trace";
  message: string;
  /** n x 32 bytes. */
  fields: Uint8Array;
}

/** Outcome of a tx's public part (docs/protocol/05-rpc.md#525-simulation-output). */
export interface SimulationOutput {
  revert?: SimulationRevert;
  /** Header of the block that the tx was run in; its global variables are shown. */
  header: Uint8Array;
  effect: TxEffect;
  returned: CallResult[];
  gasUsed: { totalGas: Gas; teardownGas: Gas; publicGas: Gas; billedGas: Gas };
  debugLogs: DebugLog[];
}

interface SimulationRequest {
  skipFeeEnforcement: boolean;
  overrides: SimulationOverrides | undefined;
  /** Whose rules are followed where the release's differ from those of the development namespace. */
  api: "release" | "development";
  /** Address of the client, by which simulations are shared out; "" when it is not known. */
  client: string;
}

/** Runs the public part of a tx on a throw-away fork of the latest state. */
export interface Simulator {
  /**
   * Rejects with an ExecutionError when the tx fails rather than reverts, and when `signal` is aborted before it is
   * simulated.
   */
  simulate(tx: Tx, options: SimulationRequest, signal?: AbortSignal): Promise<SimulationOutput>;
}
