import type { TxGas } from "../fees/gas-fees.ts";
import type { NetworkGeometry } from "./gas-limits.ts";

/** A public function that a tx may call during setup, at one address or in all instances of a class. */
export type AllowedSetupCall = ({ address: Uint8Array } | { classId: Uint8Array }) & {
  /** 4 bytes. */
  selector: Uint8Array;
  /** Number of calldata fields, including the selector. */
  calldataLength?: number;
  /** The caller must be the contract itself. */
  onlySelf?: true;
  rejectNullMsgSender?: true;
};

/** How the reasons for refusing a tx are worded (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons). */
interface RefusalWords {
  /** What a gas limit is higher than. */
  readonly maxGas: string;
  /** Whether a reason that compares numbers or hashes ends with them, in parentheses. */
  readonly withValues: boolean;
}

/** A part of a transaction's proof (docs/protocol/07-transactions-and-fees.md#716-proofs). */
interface ProofPart {
  /** Members of the message to bb that lead to it, the outermost first. */
  readonly path: readonly string[];
  /** Its field elements, without the public inputs that stand before those of the first part. */
  readonly fields: number;
}

/** The network's bb that verifies a generation's proofs, in an npm package with its WebAssembly form. */
export interface ProofProgram {
  /** Name of the installed package, an optional dependency. */
  readonly package: string;
  /** Programs of other major versions read other proofs. */
  readonly majorVersion: number;
  /** Of Grumpkin's string: hashes beyond the modulus give a coordinate, reduced by it; otherwise the next hash does. */
  readonly reducesCoordinates: boolean;
  /** Whether the program takes the first point of BN254's string from a file, whatever it is told. */
  readonly readsPoint: boolean;
  /** Systems on which the published program runs. */
  readonly systems: string;
}

export function fieldsOf(parts: readonly ProofPart[]): number {
  return parts.reduce((sum, { fields }) => sum + fields, 0);
}

export interface TransactionRules {
  /** Fields of a transaction's proof. */
  readonly proofFields: number;
  /** Of its proof, in order; verification keys are those of CircuitRules. */
  readonly proofParts: readonly ProofPart[];
  readonly proofProgram: ProofProgram;
  /** Most blob fields of a transaction's effects; undefined: what the limits of their kinds allow. */
  readonly maxBlobFields: number | undefined;
  /** Lengths of the lists in the JSON form; undefined: only the request's size bounds them. */
  readonly maxLists:
    | { readonly classLogs: number; readonly calldata: number; readonly calldataFields: number }
    | undefined;
  /** Most gas that any transaction may ask for. */
  readonly maxGas: TxGas;
  /** Gas limits that wallets are told: every block of the network has room for them. */
  offeredGas(geometry: NetworkGeometry): TxGas;
  /** Most gas that a transaction may ask for at a node whose validators accept blocks of the given limits. */
  admittedGas(geometry: NetworkGeometry, validator: Partial<TxGas>): TxGas;
  /**
   * Whether gas limits are a check of their own over RPC, which is also made where fees are not enforced, and in a
   * simulation goes by `maxGas` alone.
   */
  readonly gasLimitsApart: boolean;
  /** What a transaction is that offers less than the block's fees: to be taken later, or not to be taken. */
  readonly underpriced: "skipped" | "invalid";
  /** What a pending transaction must keep to besides, whichever way it came. */
  readonly pending: {
    /** It offers the current min fees; one that does not leaves the pool with the next block. */
    readonly minFees: boolean;
    /** Its setup calls are allowed. */
    readonly setup: boolean;
  };
  /** Functions that every node allows during setup, in the order of listing and matching. */
  readonly setupCalls: readonly AllowedSetupCall[];
  readonly refusals: RefusalWords;
}
