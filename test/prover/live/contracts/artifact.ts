import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Core } from "../../../../src/core/core.ts";
import { selector } from "../../../../src/core/derive/selector.ts";
import { type Fr, fr } from "../../../../src/protocol/field.ts";

type AbiType =
  | { readonly kind: "field" | "boolean" }
  | { readonly kind: "integer"; readonly sign: "signed" | "unsigned"; readonly width: number }
  | { readonly kind: "string"; readonly length: number }
  | { readonly kind: "array"; readonly length: number; readonly type: AbiType }
  | { readonly kind: "struct"; readonly fields: readonly { readonly name: string; readonly type: AbiType }[] };

export interface PublicFunction {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: AbiType }[];
  /** Whether it must be called statically. */
  readonly isView: boolean;
  /** Whether only the contract itself may call it. */
  readonly isOnlySelf: boolean;
  readonly isInitializer: boolean;
}

/** A published contract. */
export interface ContractArtifact {
  readonly name: string;
  readonly packedBytecode: Uint8Array;
  /** Without the dispatch function. */
  readonly functions: readonly PublicFunction[];
  /** Texts of failed assertions, by the first field of the revert data in decimal digits. */
  readonly errors: Readonly<Record<string, string>>;
}

const DISPATCH = "public_dispatch";

interface SavedFunction {
  readonly name: string;
  readonly bytecode: string;
  readonly custom_attributes: readonly string[];
  readonly abi: {
    readonly parameters: PublicFunction["parameters"];
    readonly error_types: Readonly<Record<string, { readonly string?: string }>>;
  };
}

/** The contracts of a folder of artifacts, by name. */
export function readArtifacts(folder: string): Map<string, ContractArtifact> {
  const artifacts = new Map<string, ContractArtifact>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const { name, functions } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
      name: string;
      functions: SavedFunction[];
    };
    const dispatch = functions.find((each) => each.name === DISPATCH);
    if (dispatch === undefined) continue;
    artifacts.set(name, {
      name,
      packedBytecode: new Uint8Array(Buffer.from(dispatch.bytecode, "base64")),
      errors: Object.fromEntries(
        Object.entries(dispatch.abi.error_types).map(([code, { string }]) => [code, string ?? "an error with values"]),
      ),
      functions: functions
        .filter((each) => each !== dispatch && each.custom_attributes.includes("abi_public"))
        .map(({ name, abi, custom_attributes: attributes }) => ({
          name,
          parameters: abi.parameters,
          isView: attributes.includes("abi_view"),
          isOnlySelf: attributes.includes("abi_only_self"),
          isInitializer: attributes.includes("abi_initializer"),
        })),
    });
  }
  return artifacts;
}

/** Type in a signature (docs/protocol/01-fields-and-hashing.md#19-hash-of-bytes). */
function typeText(type: AbiType): string {
  switch (type.kind) {
    case "field":
      return "Field";
    case "boolean":
      return "bool";
    case "integer":
      return `${type.sign === "signed" ? "i" : "u"}${type.width}`;
    case "string":
      return `str<${type.length}>`;
    case "array":
      return `[${typeText(type.type)};${type.length}]`;
    case "struct":
      return `(${type.fields.map((field) => typeText(field.type)).join(",")})`;
  }
}

export function selectorOf(core: Core, { name, parameters }: PublicFunction): Fr {
  return fr(selector(core, `${name}(${parameters.map(({ type }) => typeText(type)).join(",")})`));
}

/** A structure's members in order; a structure with one member may be that member. Text for strings. */
export type Argument = bigint | number | boolean | string | Fr | readonly Argument[];

export function encodeArgument(type: AbiType, value: Argument): Fr[] {
  if (type.kind === "struct") {
    const members = Array.isArray(value) ? (value as Argument[]) : [value];
    if (members.length !== type.fields.length) throw new Error(`a structure has ${type.fields.length} members`);
    return type.fields.flatMap((field, i) => encodeArgument(field.type, members[i]));
  }
  if (type.kind === "array") return (value as Argument[]).flatMap((each) => encodeArgument(type.type, each));
  if (type.kind === "string") {
    const text = Buffer.from((value as string).padEnd(type.length, "\0"));
    return [...text].map((letter) => fr(letter));
  }
  if (value instanceof Uint8Array) return [value];
  if (typeof value === "string" || typeof value === "object") throw new Error(`a ${type.kind} is a number`);
  return [fr(BigInt(value))];
}

/** A value of a type: `address` for addresses and other structures of one field, ones, zero for fields. */
export function anyArgument(type: AbiType, address: Fr): Argument {
  switch (type.kind) {
    case "field":
      return 0;
    case "boolean":
      return true;
    case "integer":
      return 1;
    case "string":
      return "text";
    case "array":
      return Array.from({ length: type.length }, () => anyArgument(type.type, address));
    case "struct":
      if (type.fields.length === 1 && type.fields[0].type.kind === "field") return address;
      return type.fields.map((field) => anyArgument(field.type, address));
  }
}
