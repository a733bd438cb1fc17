import { isObject } from "../../../json/json-field.ts";
import { type Codec, type Issue, type Path, rejected, shownValue } from "../json/codec.ts";
import { fieldFromText, isHexText } from "../json/field.ts";
import { archiveRootText, blockHashText, digitCount } from "../json/hex-text.ts";
import { about, type JsonSchema, members, named } from "../json/json-schema.ts";
import { integer, integerSchema } from "../json/number.ts";
import { BLOCK_NUMBER } from "../json/scalars.ts";
import { word } from "../json/text.ts";

/** The requested block: the proposed tip, a number (an integer >= 0 of any size), or a hash of 32 bytes. */
export type BlockParameter = "latest" | number | Uint8Array;

export const TIP_NAMES = ["proposed", "checkpointed", "proven", "finalized"] as const;
export type TipName = (typeof TIP_NAMES)[number];

/**
 * The wider form: also any tip, an archive root after the block, or a word that is a hash or, if no block has that
 * hash, an archive root.
 */
export type BlockSelector = BlockParameter | TipName | { archive: Uint8Array } | { hashOrArchive: Uint8Array };

const NUMBER_SCHEMA = BLOCK_NUMBER;
const RELEASE_HASH_SCHEMA = named(
  "ReleaseBlockHashInput",
  "The hash of a block: 0x and hex digits; text of decimal digits alone is a hash too, read as a decimal number.",
  { type: "string", pattern: "^(0x[0-9a-fA-F]+|[0-9]+)$" },
);
const LATEST_SCHEMA = { const: "latest", description: "The last block that the node knows." };
const TIP_SCHEMA = named(
  "ChainTipName",
  "A tip of the chain. proposed: the last that the node knows; checkpointed: the last on L1; proven: the last that is proven on L1; " +
    "finalized: the last whose proof is in a finalized L1 block.",
  { enum: TIP_NAMES },
);

function wholeNumber(value: unknown): number | undefined {
  if (typeof value !== "number" && typeof value !== "string") return undefined;
  const number = Number(value);
  return Number.isInteger(number) && number >= 0 ? number : undefined;
}

/**
 * Tried in this order: hash text, number, the text "latest" (docs/protocol/05-rpc.md#512-blocks-in-the-release). So
 * text of digits only is a hash, and text that is not hex but parses as a number, such as " 1", is a number.
 */
export const blockParameter: Codec<BlockParameter> = {
  schema: named("BlockParam", "Which block is meant.", { anyOf: [LATEST_SCHEMA, NUMBER_SCHEMA, RELEASE_HASH_SCHEMA] }),
  read(value, path, issues) {
    if (isHexText(value)) return fieldFromText(value);
    return wholeNumber(value) ?? (value === "latest" ? value : rejected(issues, path, "Invalid input"));
  },
};

function isTip(value: unknown): value is TipName {
  return (TIP_NAMES as readonly unknown[]).includes(value);
}

/** A tip by its name. */
export const tip: Codec<TipName> = { ...word(TIP_NAMES), schema: TIP_SCHEMA };

const FORMS = ["number", "hash", "archive", "tag"] as const;

/** The object forms; other keys are ignored. If both number and hash are given, the hash counts. */
function selectorObject(value: Record<string, unknown>, path: Path, issues: Issue[]): BlockSelector {
  const given = FORMS.filter((key) => value[key] !== undefined);
  const named = given.join(", ");
  if (named !== "number, hash" && given.length !== 1) {
    const rule =
      "must name exactly one block, via a single one of number, hash, archive, tag or via number and hash together";
    return rejected(issues, path, `A block parameter object ${rule}, but got [${named}]`);
  }
  const { number, hash, archive, tag } = value;
  if (archive !== undefined) return { archive: archiveRootText.read(archive, [...path, "archive"], issues) };
  if (tag !== undefined) return tip.read(tag, [...path, "tag"], issues);
  const read = number === undefined ? undefined : integer({ least: 0 }).read(number, [...path, "number"], issues);
  return hash === undefined ? read! : blockHashText.read(hash, [...path, "hash"], issues);
}

const BARE_WORD = /^(?:0x)?([0-9a-fA-F]*)$/;
const WORD_DIGITS = 64;
const SELECTOR_FORMS =
  `Expected a block number, a block hash or archive root of ${WORD_DIGITS} hex digits, ` +
  `one of ${["latest", ...TIP_NAMES].join(" | ")}, or an object with one of number, hash, archive and tag`;

/** Text that is not the name of a tip. */
function selectorText(text: string, path: Path, issues: Issue[]): BlockSelector {
  const digits = BARE_WORD.exec(text)?.[1];
  if (digits === undefined || digits.length === 0) {
    return rejected(issues, path, `${SELECTOR_FORMS}, received ${shownValue(text)}`);
  }
  if (digits.length !== WORD_DIGITS) {
    const rule = digitCount("A block hash or archive root", digits.length);
    return rejected(issues, path, `${rule}; a block number is a JSON number`);
  }
  return { hashOrArchive: blockHashText.read(text, path, issues) };
}

const INTEGER = about(integerSchema({ least: 0 }), "The number of a block; 0 is genesis.");
/** Additional members are ignored. */
const only = (required: Record<string, JsonSchema>) => ({ ...members(required), additionalProperties: true });

/** Accepts objects, tip names, words and numbers. */
export const blockSelector: Codec<BlockSelector> = {
  schema: named("BlockSelector", "Which block is meant.", {
    anyOf: [
      NUMBER_SCHEMA,
      about(
        blockHashText.schema!,
        "The block with this hash; where there is none, the one after which the archive has this root.",
      ),
      LATEST_SCHEMA,
      TIP_SCHEMA,
      about(only({ number: INTEGER }), "By number."),
      about(only({ hash: blockHashText.schema! }), "By hash."),
      about(only({ number: INTEGER, hash: blockHashText.schema! }), "By hash; the number is not looked at."),
      about(only({ archive: archiveRootText.schema! }), "By the root of the archive after it."),
      about(only({ tag: TIP_SCHEMA }), "By tip."),
    ],
  }),
  read(value, path, issues) {
    if (isObject(value)) return selectorObject(value, path, issues);
    if (value === "latest" || isTip(value)) return value;
    if (typeof value === "string") return selectorText(value, path, issues);
    return wholeNumber(value) ?? rejected(issues, path, `${SELECTOR_FORMS}, received ${shownValue(value)}`);
  },
};

/** A block hash, or an object with a hash next to the number (docs/protocol/05-rpc.md#527-logs-by-tag). */
export const anchorBlock: Codec<Uint8Array> = {
  schema: named("AnchorBlock", "A block by its hash.", {
    anyOf: [
      blockHashText.schema!,
      about(members({ hash: blockHashText.schema! }, { number: INTEGER }), "The number is not looked at."),
    ],
  }),
  read(value, path, issues) {
    if (!isObject(value)) return blockHashText.read(value, path, issues);
    const { number, hash } = value;
    if (number !== undefined) integer({ least: 0 }).read(number, [...path, "number"], issues);
    return blockHashText.read(hash, [...path, "hash"], issues);
  },
};

export function isArchiveSelector(selector: BlockSelector): selector is { archive: Uint8Array } {
  return typeof selector === "object" && "archive" in selector;
}

export function isWordSelector(selector: BlockSelector): selector is { hashOrArchive: Uint8Array } {
  return typeof selector === "object" && "hashOrArchive" in selector;
}
