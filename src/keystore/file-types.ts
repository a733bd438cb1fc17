import type { PrivateKey, SecretText } from "./private-key.ts";

/**
 * The parsed contents of a keystore file (docs/protocol/08-building-and-checkpoints.md#826-keys). Addresses are
 * lower-case 0x text; paths are absolute.
 */
export interface KeystoreFile {
  /** Path of the file. */
  path: string;
  schemaVersion: 1 | 2;
  validators: ValidatorSpec[];
  slasher?: AccountsSpec;
  remoteSigner?: RemoteSigner;
  prover?: ProverSpec;
  /** Accepted but not used. */
  fundingAccount?: AccountSpec;
  publisher?: AccountsSpec;
  coinbase?: string;
  feeRecipient?: string;
}

export interface ValidatorSpec {
  attester: AttesterSpec;
  coinbase?: string;
  publisher?: AccountsSpec;
  feeRecipient?: string;
  remoteSigner?: RemoteSigner;
  /** Accepted but not used. */
  fundingAccount?: AccountSpec;
  /** Position of the entry: file, and field such as `validators[0]`. */
  at: Place;
}

export interface Place {
  file: string;
  field: string;
}

export type AttesterSpec = { kind: "list"; attesters: AttesterItem[] } | MnemonicSpec;

export interface AttesterItem {
  eth: AccountSpec;
  bls?: BlsSpec;
}

/** Read by the commands that manage keys, not by a node. */
export type BlsSpec =
  | { kind: "key"; key: SecretText; at: Place }
  /** A file as of EIP-2335. */
  | { kind: "file"; path: string; password: SecretText; at: Place };

export type AccountSpec =
  | { kind: "key"; key: PrivateKey }
  /** Signed for by the remote signer of its validator, or else of the file. */
  | { kind: "address"; address: string; at: Place }
  | { kind: "remote"; address: string; signer: RemoteSigner }
  /** A JSON V3 file, or a folder of them. */
  | { kind: "file"; path: string; password: SecretText; at: Place };

export type AccountsSpec = { kind: "list"; accounts: AccountSpec[] } | MnemonicSpec;

export interface MnemonicSpec {
  kind: "mnemonic";
  mnemonic: SecretText;
  accountIndex: number;
  accountCount: number;
  addressIndex: number;
  addressCount: number;
}

export interface ProverSpec {
  /** Address that receives the proof rewards; default: the first publisher's. */
  id?: string;
  publisher: AccountsSpec;
}

export interface RemoteSigner {
  url: string;
  /** Client certificate; parsed but not used. */
  certPath?: string;
  certPass?: SecretText;
}
