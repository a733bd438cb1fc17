import type { Fr } from "../field.ts";
import type { FieldHasher } from "./hashing.ts";

/** A contract that every network has from genesis on, and the parts of its class. */
interface ProtocolContract {
  readonly name: string;
  readonly address: Fr;
  readonly classId: Fr;
  readonly artifactHash: Fr;
  readonly privateFunctionsRoot: Fr;
  readonly packedBytecode: Uint8Array;
}

/** What a contract's address commits to. */
export interface InstanceParts {
  readonly salt: Fr;
  /** Zero: anyone could deploy it. */
  readonly deployer: Fr;
  /** Class at deployment. */
  readonly classId: Fr;
  readonly initializationHash: Fr;
  /** Absent in generations whose instances have none. */
  readonly immutablesHash?: Fr;
  /** In the form of the generation's instances. */
  readonly publicKeys: Uint8Array;
}

/** A member of an instance's public keys in JSON. */
export interface PublicKeyMember {
  readonly name: string;
  /** Offset in the instance's public keys. Of several members of a place the last is read. */
  readonly at: number;
  /** A point of 64 bytes, its hash (in answers only), or a hash that stands there itself. */
  readonly form: "point" | "hash of point" | "hash";
}

/** Content of the event by which a contract is published. */
export interface InstancePublished extends InstanceParts {
  readonly address: Fr;
}

export interface ContractRules {
  /** 0x text: root of the tree of the circuits' verification keys. */
  readonly vkTreeRoot: `0x${string}`;
  /** 0x text: hash of the protocol contracts' derived addresses. */
  readonly protocolContractsHash: `0x${string}`;
  /** By ascending address, from 1 on. */
  readonly protocolContracts: readonly ProtocolContract[];
  /** Version of the compiler (nargo) that built the release's own contracts. */
  readonly compilerVersion: string;
  readonly classRegistry: Fr;
  readonly instanceRegistry: Fr;
  readonly feeJuice: Fr;
  /** The contract that public authorizations are kept in. */
  readonly authRegistry: Fr;
  /** The contract that makes several calls for one without an account. */
  readonly multiCallEntrypoint: Fr;
  /** Version of instances, in events and in JSON. */
  readonly instanceVersion: number;
  /** Whether addresses bind a hash of values that never change. */
  readonly bindsImmutables: boolean;
  /** Members of an instance's public keys in the development API, in order. */
  readonly publicKeyMembers: readonly PublicKeyMember[];
  /** Keys of a contract without keys of its own, in the form of the generation's instances. */
  readonly defaultPublicKeys: Uint8Array;
  /**
   * Reads the emitted fields of a private log that publishes a contract; fields that were not emitted count as zero.
   * The
   * caller checks the tag and the address. Throws a DecodeError.
   */
  readInstancePublished(emitted: Uint8Array): InstancePublished;
  /** Hash of one key, from x and y. */
  publicKeyHash(hasher: FieldHasher, point: Uint8Array): Fr;
  /** Zero if all keys are. */
  publicKeysHash(hasher: FieldHasher, publicKeys: Uint8Array): Fr;
  /** Throws a DecodeError if the incoming viewing key is not on the curve. */
  instanceAddress(hasher: FieldHasher, parts: InstanceParts): Fr;
}
