import type { TreeId } from "../constants.ts";

/** Poseidon2 on fields of 32 bytes, as the functions of a generation use it; a Core is one. */
export interface FieldHasher {
  /** `H` of n fields. */
  hash(fields: Uint8Array): Uint8Array;
  /** `Hs`: `H` with the separator as first input. */
  hashWithSeparator(separator: number | bigint, fields: Uint8Array): Uint8Array;
}

/** First input of a hash; undefined: the hash has none. */
export type Separator = number | undefined;

export interface HashingRules {
  /** Of the inner nodes of each tree of the state: a node is the hash of its separator, left and right child. */
  readonly treeNodes: Readonly<Record<TreeId, Separator>>;
  /** Of the inner nodes of a contract class's tree of private functions and of the tree of verification keys. */
  readonly functionNodes: Separator;
  /** Of the inner nodes of the tree over a checkpoint's block hashes. */
  readonly blockHeaderNodes: Separator;
  /** Of the hashes that batch the blobs of an epoch (docs/protocol/13-proving.md). */
  readonly blobs: {
    /** Challenge z of one blob. */
    readonly challenge: Separator;
    /** Accumulation of the challenges. */
    readonly challenges: Separator;
    /** The limbs of a blob's value y. */
    readonly value: Separator;
    /** Accumulation of the values' hashes. */
    readonly values: Separator;
    /** gamma, from the accumulated values and z. */
    readonly gamma: Separator;
  };
}

/** The hash of fields after a separator, if there is one. */
export function hashAfter(hasher: FieldHasher, separator: Separator, fields: Uint8Array): Uint8Array {
  return separator === undefined ? hasher.hash(fields) : hasher.hashWithSeparator(separator, fields);
}
