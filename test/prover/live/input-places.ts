import { isZero } from "../../../src/protocol/bytes.ts";

/** One field element of a circuit's input. */
export interface InputPlace {
  /** Names of members down to it. Items of long arrays are named by their role: `[last used]`. */
  readonly path: string;
  /** Index among the field elements. */
  readonly at: number;
}

/** A type in the ABI of a published circuit. */
export type AbiType =
  | { readonly kind: "field" | "integer" | "boolean" }
  | { readonly kind: "array"; readonly length: number; readonly type: AbiType }
  | { readonly kind: "struct"; readonly fields: readonly AbiMember[] };
export interface AbiMember {
  readonly name: string;
  readonly type: AbiType;
}

/** Arrays up to this length are taken whole. */
const SHORT_ARRAY = 4;

/**
 * The places of an input (field elements) by its ABI: each member, each item of arrays of up to four, and of longer
 * arrays the first item, the last one in use (not zero), the first one after it, and the last one.
 */
export function inputPlaces(members: readonly AbiMember[], input: Uint8Array): InputPlace[] {
  const found: InputPlace[] = [];
  addMembers(found, "", members, 0, input);
  return found;
}

function addMembers(
  found: InputPlace[],
  path: string,
  members: readonly AbiMember[],
  start: number,
  input: Uint8Array,
): void {
  let at = start;
  for (const { name, type } of members) {
    addPlaces(found, path === "" ? name : `${path}.${name}`, type, at, input);
    at += widthOf(type);
  }
}

function addPlaces(found: InputPlace[], path: string, type: AbiType, at: number, input: Uint8Array): void {
  if (type.kind === "struct") addMembers(found, path, type.fields, at, input);
  else if (type.kind === "array") {
    const width = widthOf(type.type);
    for (const [role, index] of itemsOf(type.length, width, at, input)) {
      addPlaces(found, `${path}[${role}]`, type.type, at + index * width, input);
    }
  } else found.push({ path, at });
}

/** Role and index of the items of an array that are taken. */
function itemsOf(length: number, width: number, at: number, input: Uint8Array): [string, number][] {
  if (length <= SHORT_ARRAY) return Array.from({ length }, (_, i) => [`${i}`, i]);
  let used = length;
  while (used > 0 && isZero(input.subarray((at + (used - 1) * width) * 32, (at + used * width) * 32))) used--;
  const items: [string, number][] = [["first", 0]];
  if (used > 1 && used < length) items.push(["last used", used - 1]);
  if (used > 0 && used < length - 1) items.push(["first unused", used]);
  items.push(["last", length - 1]);
  return items;
}

/** Field elements of a type. */
function widthOf(type: AbiType): number {
  if (type.kind === "array") return type.length * widthOf(type.type);
  return type.kind === "struct" ? widthOfAll(type.fields) : 1;
}

function widthOfAll(members: readonly AbiMember[]): number {
  return members.reduce((sum, { type }) => sum + widthOf(type), 0);
}

/** Where an input has what a child's circuit returned. */
export interface ChildSlot {
  readonly at: number;
  readonly width: number;
}

/** The public inputs of the proofs that a circuit takes. */
export function childSlots(members: readonly AbiMember[], start = 0): ChildSlot[] {
  const slots: ChildSlot[] = [];
  const isProof = members.some(({ name }) => name === "proof");
  let at = start;
  for (const { name, type } of members) {
    if (isProof && name === "public_inputs") slots.push({ at, width: widthOf(type) });
    else slots.push(...slotsIn(type, at));
    at += widthOf(type);
  }
  return slots;
}

function slotsIn(type: AbiType, at: number): ChildSlot[] {
  if (type.kind === "struct") return childSlots(type.fields, at);
  if (type.kind !== "array" || type.type.kind !== "struct") return [];
  const { fields } = type.type;
  const width = widthOf(type.type);
  return Array.from({ length: type.length }, (_, i) => childSlots(fields, at + i * width)).flat();
}
