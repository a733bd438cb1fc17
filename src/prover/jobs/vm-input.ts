import { JsonField } from "../../json/json-field.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { vmHintsJson } from "../circuits/layouts/vm-hints-json.ts";
import { VmPublicInputs } from "../circuits/layouts/vm-public-inputs.ts";
import { type FromJson, jsonObject } from "../codec/json-codec.ts";

const vmInputJson = jsonObject({ hints: vmHintsJson, publicInputs: VmPublicInputs.json });

/** The input of PUBLIC_VM. */
type VmInput = FromJson<typeof vmInputJson>;

/** JSON without blanks and with members in a fixed order: the job's id is a hash of this text in UTF-8. */
export function encodeVmInput(input: VmInput): Uint8Array {
  return Buffer.from(JSON.stringify(vmInputJson.toJson(input)));
}

/** Throws a DecodeError that names field and rule. */
export function decodeVmInput(bytes: Uint8Array): VmInput {
  const json = JsonField.parse(Buffer.from(bytes).toString(), "PUBLIC_VM input", ({ source, field }, rule) => {
    throw new DecodeError(field === "" ? source : `${source}.${field}`, rule);
  });
  return vmInputJson.fromJson(json);
}
