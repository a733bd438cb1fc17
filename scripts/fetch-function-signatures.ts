/**
 * Writes src/local-network/data/function-signatures.json from the published contracts: signatures of the public
 * functions and events of the contracts that a local network has from its start. The package is read as data; none of
 * its code runs. Needs npm and tar.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PublishedPackage } from "./published-package.ts";

const PACKAGE = "@aztec/noir-contracts.js@4.1.2";
const INTEGRITY = "sha512-eybN3ehbwRlNr/KYV0kOjoL4ZUeIKPG7Fymu3zL+f+csDlQTkaV6fU0j8pT7QQRJj9Xh3o2U0HUYBTUsXe5HFg==";
/**
 * The protocol contracts, then those of the set-up. Accounts and the sponsored fee contract have no public function.
 */
const FILES = [
  "auth_registry_contract-AuthRegistry",
  "contract_instance_registry_contract-ContractInstanceRegistry",
  "fee_juice_contract-FeeJuice",
  "public_checks_contract-PublicChecks",
  "token_contract-Token",
  "fpc_contract-FPC",
];
/** It calls the others by their selectors. */
const DISPATCH = "public_dispatch";
const OUTPUT = new URL("../src/local-network/data/function-signatures.json", import.meta.url);

type AbiType =
  | { kind: "field" | "boolean" }
  | { kind: "integer"; sign: "signed" | "unsigned"; width: number }
  | { kind: "string"; length: number }
  | { kind: "array"; length: number; type: AbiType }
  | { kind: "struct"; fields: { type: AbiType }[] }
  | { kind: "tuple"; fields: AbiType[] };

interface Artifact {
  name: string;
  functions: { name: string; custom_attributes: string[]; abi: { parameters: { type: AbiType }[] } }[];
  outputs: { structs: { events?: { path: string; fields: { type: AbiType }[] }[] } };
}

/** A type as signatures have it, docs/protocol/01-fields-and-hashing.md#19-hash-of-bytes. */
function typeText(type: AbiType): string {
  switch (type.kind) {
    case "field":
      return "Field";
    case "boolean":
      return "bool";
    case "integer":
      return `${type.sign === "unsigned" ? "u" : "i"}${type.width}`;
    case "string":
      return `str<${type.length}>`;
    case "array":
      return `[${typeText(type.type)};${type.length}]`;
    case "struct":
      return signature("", type.fields);
    case "tuple":
      return `(${type.fields.map(typeText).join(",")})`;
  }
}

function signature(name: string, parameters: readonly { type: AbiType }[]): string {
  return `${name}(${parameters.map(({ type }) => typeText(type)).join(",")})`;
}

function signaturesOf({ functions, outputs }: Artifact): string[] {
  const called = functions.filter(
    ({ name, custom_attributes: attributes }) => attributes.includes("abi_public") && name !== DISPATCH,
  );
  return [
    ...called.map(({ name, abi }) => signature(name, abi.parameters)),
    ...(outputs.structs.events ?? []).map(({ path, fields }) => signature(path.split("::").at(-1)!, fields)),
  ].sort();
}

const folder = mkdtempSync(join(tmpdir(), "function-signatures-"));
try {
  const published = new PublishedPackage(PACKAGE, INTEGRITY, folder);
  const contracts = FILES.map((file) => {
    const artifact: Artifact = JSON.parse(published.text(`artifacts/${file}.json`));
    const signatures = signaturesOf(artifact);
    if (signatures.length === 0) throw published.error(file, "has no public function");
    return [artifact.name, signatures];
  });
  writeFileSync(
    OUTPUT,
    `${JSON.stringify({ source: PACKAGE, contracts: Object.fromEntries(contracts) }, undefined, 2)}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
