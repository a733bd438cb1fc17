import type { PublicKeyMember } from "./contracts.ts";

/** A circuit's verification key as it was published. */
interface PublishedKey {
  /** Place in the tree of keys, whose root the rollup contract has. */
  readonly leafIndex: number;
  /** 0x text. */
  readonly hash: string;
  /** Base64: sibling path in the tree of keys, 7 fields. */
  readonly siblingPath: string;
  /** Base64: the key, field by field. */
  readonly fields: string;
}

/** What the circuits of an epoch take from each other beside what they state. */
export interface CircuitRules {
  /** Fields of a proof by the kind of its circuit; of a client's proof see TransactionRules. */
  readonly proofFields: {
    readonly rollup: number;
    /** Of messages, and of the root. */
    readonly honk: number;
    /** Of the public VM. */
    readonly vm: number;
  };
  /** Members of an instance's public keys in the input of the public VM, in the order of their places. */
  readonly vmKeyMembers: readonly PublicKeyMember[];
  /** Whether the circuits of messages to L2 take and return the prover's id. */
  readonly parityNamesProver: boolean;
  /** By the names of proving jobs, and of the two circuits that end a client's proof. */
  readonly verificationKeys: Readonly<Record<string, PublishedKey>>;
}
