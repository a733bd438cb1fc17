import { toHex } from "../../protocol/bytes.ts";
import { type Codec, type Issue, isObject, type Path, rejected } from "./codec.ts";
import { field, fieldFromText, isHexText } from "./field.ts";
import { integer } from "./number.ts";

/** Which block a request means: the proposed tip, a number (an integer >= 0 of any size), or a hash of 32 bytes. */
export type BlockParameter = "latest" | number | Uint8Array;

export const TIP_NAMES = ["proposed", "checkpointed", "proven", "finalized"] as const;
export type TipName = (typeof TIP_NAMES)[number];

/** The wide form: also any tip, and an archive root after the block. */
export type BlockSelector = BlockParameter | TipName | { archive: Uint8Array };

const HASH_SCHEMA = { title: "BlockHash", type: "string", pattern: "^(0x)?[0-9a-fA-F]*$" };
const NUMBER_SCHEMA = { title: "BlockNumber", type: "integer", minimum: 0 };

function wholeNumber(value: unknown): number | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const number = Number(value);
  return Number.isInteger(number) && number >= 0 ? number : undefined;
}

/**
 * Tried in this order: hash text, number, the text "latest" (sheet 02 section 2.2). So text of digits alone is a hash, and text
 * that is no hex but reads as a number, such as " 1", is a number.
 */
export const blockParameter: Codec<BlockParameter> = {
  schema: { title: "BlockParam", anyOf: [{ const: "latest" }, NUMBER_SCHEMA, HASH_SCHEMA] },
  read(value, path, issues) {
    if (isHexText(value)) return fieldFromText(value);
    return wholeNumber(value) ?? (value === "latest" ? value : rejected(issues, path, "Invalid input"));
  },
};

function isTip(value: unknown): value is TipName {
  return (TIP_NAMES as readonly unknown[]).includes(value);
}

const FORMS = ["number", "hash", "archive", "tag"] as const;

/** The object forms; other keys are ignored. With a number and a hash the hash decides. */
function selectorObject(value: Record<string, unknown>, path: Path, issues: Issue[]): BlockSelector {
  const given = FORMS.filter((key) => value[key] !== undefined);
  const named = given.join(", ");
  if (named !== "number, hash" && given.length !== 1) {
    const rule =
      "must name exactly one block, via a single one of number, hash, archive, tag or via number and hash together";
    return rejected(issues, path, `A block parameter object ${rule}, but got [${named}]`);
  }
  const { number, hash, archive, tag } = value;
  if (archive !== undefined) return { archive: field.read(archive, [...path, "archive"], issues) };
  if (tag !== undefined) return isTip(tag) ? tag : rejected(issues, path, "Invalid input");
  const read = number === undefined ? undefined : integer({ least: 0 }).read(number, [...path, "number"], issues);
  return hash === undefined ? read! : field.read(hash, [...path, "hash"], issues);
}

const only = (key: string, schema: object) => ({
  type: "object",
  properties: { [key]: schema },
  required: [key],
});

/** Objects, hash text, tip names, numbers, tried in this order (sheet 03 section 3.1). */
export const blockSelector: Codec<BlockSelector> = {
  schema: {
    title: "BlockSelector",
    anyOf: [
      only("number", NUMBER_SCHEMA),
      only("hash", HASH_SCHEMA),
      only("archive", { title: "Field", type: "string" }),
      only("tag", { enum: TIP_NAMES }),
      HASH_SCHEMA,
      { enum: ["latest", ...TIP_NAMES] },
      NUMBER_SCHEMA,
    ],
  },
  read(value, path, issues) {
    if (isObject(value)) return selectorObject(value, path, issues);
    return isTip(value) ? value : blockParameter.read(value, path, issues);
  },
};

/** A block hash, or an object that names one beside the number (sheet 03 section 9). */
export const anchorBlock: Codec<Uint8Array> = {
  schema: { title: "BlockHash", anyOf: [HASH_SCHEMA, only("hash", HASH_SCHEMA)] },
  read(value, path, issues) {
    if (!isObject(value)) return field.read(value, path, issues);
    const { number, hash } = value;
    if (number !== undefined) integer({ least: 0 }).read(number, [...path, "number"], issues);
    return field.read(hash, [...path, "hash"], issues);
  },
};

export function isArchiveSelector(selector: BlockSelector): selector is { archive: Uint8Array } {
  return typeof selector === "object" && "archive" in selector;
}

/** Selector as messages show it: bare for numbers and tips, `key=value` otherwise (sheet 03 section 7). */
export function shownSelector(selector: Exclude<BlockSelector, Uint8Array>): string {
  return isArchiveSelector(selector) ? `archive=${toHex(selector.archive)}` : `${selector}`;
}
