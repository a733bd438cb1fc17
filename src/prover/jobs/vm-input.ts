import { JsonField } from "../../json/json-field.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { type VmInputRules, vmHintsJson } from "../circuits/layouts/vm-hints-json.ts";
import { VmPublicInputs } from "../circuits/layouts/vm-public-inputs.ts";
import { type FromJson, jsonObject } from "../codec/json-codec.ts";

type VmInputForm = ReturnType<typeof formOf>;

/** The input of PUBLIC_VM. */
type VmInput = FromJson<VmInputForm>;

const known = new WeakMap<VmInputRules["circuits"], VmInputForm>();

function formOf(rules: VmInputRules) {
  return jsonObject({ hints: vmHintsJson(rules), publicInputs: VmPublicInputs.json });
}

function vmInputJson(rules: VmInputRules): VmInputForm {
  let form = known.get(rules.circuits);
  if (form === undefined) {
    form = formOf(rules);
    known.set(rules.circuits, form);
  }
  return form;
}

/** JSON without blanks and with members in a fixed order: the job's id is a hash of this text in UTF-8. */
export function encodeVmInput(rules: VmInputRules, input: VmInput): Uint8Array {
  return Buffer.from(JSON.stringify(vmInputJson(rules).toJson(input)));
}

/** Throws a DecodeError that names field and rule. */
export function decodeVmInput(rules: VmInputRules, bytes: Uint8Array): VmInput {
  const json = JsonField.parse(Buffer.from(bytes).toString(), "PUBLIC_VM input", ({ source, field }, rule) => {
    throw new DecodeError(field === "" ? source : `${source}.${field}`, rule);
  });
  return vmInputJson(rules).fromJson(json);
}
