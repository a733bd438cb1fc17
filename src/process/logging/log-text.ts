import { LOG_LEVELS } from "../../config/kinds/log-filter.ts";
import { isObject } from "../../json/json-field.ts";

const LEVEL_NAMES = new Map<number, string>(Object.entries(LOG_LEVELS).map(([name, value]) => [value, name]));
/** Fields of every line that the text format handles separately or omits. */
const ENVELOPE = ["level", "time", "pid", "hostname", "module", "msg"];
/** Column after the time at which fields start, if the sentence is short enough. */
const FACTS_COLUMN = 60;
/** Hex longer than an address is abbreviated to its first and last digits. */
const MAX_HEX = 42;
/** `{field}`, or `{field:noun}` for a count with its noun. */
const PLACEHOLDER = /\{(\w+)(?::([^{}]+))?\}/g;

const oneLine = (text: string): string => text.replace(/\s*\p{Cc}+\s*/gu, " ");

/** A value as shown in a sentence. */
export function spoken(value: unknown): string {
  if (typeof value === "number" && !Number.isInteger(value)) return String(Math.round(value * 1000) / 1000);
  if (typeof value !== "string") return JSON.stringify(value) ?? "undefined";
  const text = oneLine(value);
  const isLongHex = text.length > MAX_HEX && /^0x[0-9a-fA-F]+$/.test(text);
  return isLongHex ? `${text.slice(0, 10)}..${text.slice(-8)}` : text;
}

/** Text as shown after `key=`: in quotes if it has spaces. */
export const quoted = (text: string): string => (/^[^\s"=]+$/.test(text) ? text : JSON.stringify(text));

const shownScalar = (value: unknown): string => (typeof value === "string" ? quoted(spoken(value)) : spoken(value));

/** A name, and a value that is no object. */
export type SpokenFact = readonly [name: string, value: unknown];

/** A value as one text: items of a list as `shown` has them, separated by commas; a list with objects as JSON. */
export function listed(value: unknown, shown: (value: unknown) => string): string {
  const isList = Array.isArray(value) && !value.some((item) => typeof item === "object" && item !== null);
  return isList ? value.map(shown).join(",") || "none" : shown(value);
}

/** A field in the text format. */
export const textField = ([name, value]: SpokenFact): string => `${name}=${listed(value, shownScalar)}`;

/** Object members as `key.member`, errors as their text. */
function spokenFacts(name: string, value: unknown): SpokenFact[] {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return [];
  if (!isObject(value)) return [[name, value]];
  const { type, message } = value;
  if (typeof type === "string" && typeof message === "string") return [[name, `${type}: ${message}`]];
  return Object.entries(value).flatMap(([member, item]) => spokenFacts(`${name}.${member.replaceAll(" ", "-")}`, item));
}

function sentence(template: string, facts: Record<string, unknown>): { text: string; told: Set<string> } {
  const told = new Set<string>();
  const text = template.replace(PLACEHOLDER, (whole, name: string, noun: string | undefined) => {
    if (!Object.hasOwn(facts, name) || isObject(facts[name])) return whole;
    told.add(name);
    const shown = spoken(facts[name]);
    return noun === undefined ? shown : `${shown} ${noun}${facts[name] === 1 ? "" : "s"}`;
  });
  return { text: oneLine(text), told };
}

/** What a JSON log line says. */
interface SpokenLine {
  /** Unix milliseconds. */
  time: number;
  level: string;
  module: string;
  /** With the fields that it names in braces. */
  message: string;
  /** The other fields, as `key=value`. */
  fields: string[];
}

/** Fields have the form of `field`. */
export function spokenLine(line: string, field: (fact: SpokenFact) => string): SpokenLine {
  const record: Record<string, unknown> = JSON.parse(line);
  const { text, told } = sentence(String(record.msg ?? ""), record);
  const fields = Object.entries(record)
    .filter(([name]) => !ENVELOPE.includes(name) && !told.has(name))
    .flatMap(([name, value]) => spokenFacts(name, value))
    .map(field);
  const level = LEVEL_NAMES.get(Number(record.level)) ?? String(record.level);
  return { time: Number(record.time), level, module: String(record.module), message: text, fields };
}

/** What a log record says, with the fields that its message names in braces. */
export function recordText(record: Readonly<Record<string, unknown>>): string {
  return sentence(String(record.msg ?? ""), record).text;
}

/**
 * The text format of a JSON log line: `[HH:MM:ss.SSS] LEVEL: module: sentence  key=value ...`, in local time. Fields
 * that the message names in braces are inserted there; the others follow. Control characters become spaces.
 */
export function textLine(line: string): string {
  const { level, module, message, fields, ...spoken } = spokenLine(line, textField);
  const time = new Date(spoken.time);
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((n) => String(n).padStart(2, "0"))
    .join(":");
  const said = `${level.toUpperCase()}: ${module}: ${message}`;
  const shown = fields.length === 0 ? said : `${said.padEnd(FACTS_COLUMN)}  ${fields.join(" ")}`;
  return `[${clock}.${String(time.getMilliseconds()).padStart(3, "0")}] ${shown}\n`;
}
