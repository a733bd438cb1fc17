import { concat } from "../../protocol/bytes.ts";
import { SEPARATOR } from "../../protocol/constants.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { type Fr, fr } from "../../protocol/field.ts";
import { hashAfter, type Separator } from "../../protocol/generations/hashing.ts";
import type { Core } from "../core.ts";

interface PrivateFunction {
  selector: number;
  vkHash: Fr;
}

/** Levels of the tree of private functions. */
const FUNCTION_TREE_HEIGHT = 7;
const MAX_PRIVATE_FUNCTIONS = 2 ** FUNCTION_TREE_HEIGHT;

/** Leaf of the tree of private functions (docs/protocol/01-fields-and-hashing.md#120-contract-classes). */
export function privateFunctionLeaf(core: Core, { selector, vkHash }: PrivateFunction): Fr {
  return core.hashWithSeparator(SEPARATOR.PRIVATE_FUNCTION_LEAF, concat(fr(selector), vkHash));
}

/**
 * Root over the private functions by ascending selector, with the separator of its nodes; empty leaves are H(0, 0)
 * (docs/protocol/01-fields-and-hashing.md#120-contract-classes). Throws a DecodeError when there are more than 128.
 */
export function privateFunctionsRoot(core: Core, functions: readonly PrivateFunction[], nodes?: Separator): Fr {
  if (functions.length > MAX_PRIVATE_FUNCTIONS) {
    throw new DecodeError(
      "contract class",
      `at most ${MAX_PRIVATE_FUNCTIONS} private functions, got ${functions.length}`,
    );
  }
  let empty = core.hash(new Uint8Array(64));
  let row = functions.toSorted((a, b) => a.selector - b.selector).map((f) => privateFunctionLeaf(core, f));
  for (let level = 0; level < FUNCTION_TREE_HEIGHT; level++) {
    const pairs = Array.from({ length: Math.ceil(row.length / 2) }, (_, i) =>
      concat(row[2 * i], row[2 * i + 1] ?? empty),
    );
    row = pairs.map((pair) => hashAfter(core, nodes, pair));
    empty = hashAfter(core, nodes, concat(empty, empty));
  }
  return row[0] ?? empty;
}

const CHUNK_BYTES = 31;
/** Packed bytecode takes fewer chunks than this. */
const BYTECODE_CHUNKS_LIMIT = 3000;

/**
 * Bytes as words of a zero byte and 31 bytes, the last one padded with zeros on the right
 * (docs/protocol/01-fields-and-hashing.md#120-contract-classes).
 */
export function packedBytecodeFields(bytecode: Uint8Array): Uint8Array {
  const chunks = Math.ceil(bytecode.length / CHUNK_BYTES);
  const words = new Uint8Array(chunks * 32);
  for (let i = 0; i < chunks; i++) {
    words.set(bytecode.subarray(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES), i * 32 + 1);
  }
  return words;
}

/**
 * Commitment to packed public bytecode (docs/protocol/01-fields-and-hashing.md#120-contract-classes). Throws a
 * DecodeError when it takes 3000 chunks or more.
 */
export function publicBytecodeCommitment(core: Core, bytecode: Uint8Array): Fr {
  const fields = packedBytecodeFields(bytecode);
  if (fields.length / 32 >= BYTECODE_CHUNKS_LIMIT) {
    const most = (BYTECODE_CHUNKS_LIMIT - 1) * CHUNK_BYTES;
    throw new DecodeError("public bytecode", `must be at most ${most} bytes, got ${bytecode.length}`);
  }
  const separator = BigInt(SEPARATOR.PUBLIC_BYTECODE) + (BigInt(bytecode.length) << 32n);
  return core.hashWithSeparator(separator, fields);
}

/** Class id; the class version is hashed nowhere (docs/protocol/01-fields-and-hashing.md#120-contract-classes). */
export function contractClassId(
  core: Core,
  artifactHash: Fr,
  privateFunctionsRoot: Fr,
  publicBytecodeCommitment: Fr,
): Fr {
  return core.hashWithSeparator(
    SEPARATOR.CONTRACT_CLASS_ID,
    concat(artifactHash, privateFunctionsRoot, publicBytecodeCommitment),
  );
}
