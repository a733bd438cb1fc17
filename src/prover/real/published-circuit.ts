import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { JsonField } from "../../json/json-field.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { Fr } from "../../protocol/field.ts";
import { ProvingError } from "../agent/prover.ts";
import type { BinaryJobType } from "../jobs/job-input.ts";

/** Files of the package @aztec/noir-protocol-circuits-types, in its folder `artifacts`. */
const FILES: Readonly<Record<BinaryJobType, string>> = {
  PUBLIC_CHONK_VERIFIER: "chonk_verifier_public.json",
  PRIVATE_TX_BASE_ROLLUP: "rollup_tx_base_private.json",
  PUBLIC_TX_BASE_ROLLUP: "rollup_tx_base_public.json",
  TX_MERGE_ROLLUP: "rollup_tx_merge.json",
  BLOCK_ROOT_FIRST_ROLLUP: "rollup_block_root_first.json",
  BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP: "rollup_block_root_first_single_tx.json",
  BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP: "rollup_block_root_first_empty_tx.json",
  BLOCK_ROOT_ROLLUP: "rollup_block_root.json",
  BLOCK_ROOT_SINGLE_TX_ROLLUP: "rollup_block_root_single_tx.json",
  BLOCK_MERGE_ROLLUP: "rollup_block_merge.json",
  CHECKPOINT_ROOT_ROLLUP: "rollup_checkpoint_root.json",
  CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP: "rollup_checkpoint_root_single_block.json",
  CHECKPOINT_PADDING_ROLLUP: "rollup_checkpoint_padding.json",
  CHECKPOINT_MERGE_ROLLUP: "rollup_checkpoint_merge.json",
  ROOT_ROLLUP: "rollup_root.json",
  PARITY_BASE: "parity_base.json",
  PARITY_ROOT: "parity_root.json",
};

/** A circuit as it was published. */
interface PublishedCircuit {
  /** Compressed by gzip, as the solver and the proof program read it. */
  readonly bytecode: Uint8Array;
  /** Field elements of its input and of what it returns. */
  readonly inputFields: number;
  readonly outputFields: number;
}

export function circuitFile(folder: string, type: BinaryJobType): string {
  return join(folder, FILES[type]);
}

/** `keyHash` is that of the circuit's key. Rejects with a ProvingError that names the file. */
export async function readCircuit(folder: string, type: BinaryJobType, keyHash: Fr): Promise<PublishedCircuit> {
  const file = circuitFile(folder, type);
  try {
    const artifact = JsonField.parse(await readFile(file, "utf8"), file, ({ field }, rule) => {
      throw new TypeError(`${field || "it"} ${rule}`);
    });
    if (artifact.key("verificationKey").key("hash").text() !== toHex(keyHash).slice(2)) {
      throw new TypeError(`it is of another release: the hash of its verification key must be ${toHex(keyHash)}`);
    }
    const abi = artifact.key("abi");
    return {
      bytecode: Buffer.from(artifact.key("bytecode").text(), "base64"),
      inputFields: widthOfAll(abi.key("parameters")),
      outputFields: widthOf(abi.key("return_type").key("abi_type")),
    };
  } catch (error) {
    throw new ProvingError(`the circuit cannot be read from ${file}: ${(error as Error).message}`, true);
  }
}

/** Field elements of a type of the ABI. */
function widthOf(type: JsonField): number {
  const kind = type.key("kind");
  switch (kind.value) {
    case "field":
    case "integer":
    case "boolean":
      return 1;
    case "array":
      return type.key("length").whole() * widthOf(type.key("type"));
    case "struct":
      return widthOfAll(type.key("fields"));
    default:
      return kind.broken("must be a kind of the ABI");
  }
}

/** Of parameters or members, each with its type. */
function widthOfAll(list: JsonField): number {
  return list.items().reduce((sum, item) => sum + widthOf(item.key("type")), 0);
}
