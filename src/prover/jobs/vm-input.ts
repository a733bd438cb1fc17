import { DecodeError } from "../../protocol/errors.ts";
import { vmHintsJson } from "../circuits/layouts/vm-hints-json.ts";
import { vmPublicInputsJson } from "../circuits/layouts/vm-public-inputs-json.ts";
import { type FromJson, jsonObject } from "../codec/json-codec.ts";

const vmInputJson = jsonObject({ hints: vmHintsJson, publicInputs: vmPublicInputsJson });

/** The input of PUBLIC_VM. */
export type VmInput = FromJson<typeof vmInputJson>;

/** JSON without blanks and with members in a fixed order: the job's id is a hash of this text in UTF-8. */
export function encodeVmInput(input: VmInput): Uint8Array {
  return Buffer.from(JSON.stringify(vmInputJson.toJson(input)));
}

/** Throws a DecodeError that names field and rule. */
export function decodeVmInput(bytes: Uint8Array): VmInput {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(bytes).toString());
  } catch (error) {
    throw new DecodeError("PUBLIC_VM input", `must be JSON (${bytes.length} bytes)`, { cause: error });
  }
  return vmInputJson.fromJson(value, "PUBLIC_VM input");
}
