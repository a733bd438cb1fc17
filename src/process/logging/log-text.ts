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
function spoken(value: unknown): string {
  if (typeof value === "number" && !Number.isInteger(value)) return String(Math.round(value * 1000) / 1000);
  if (typeof value !== "string") return JSON.stringify(value) ?? "undefined";
  const text = oneLine(value);
  const isLongHex = text.length > MAX_HEX && /^0x[0-9a-fA-F]+$/.test(text);
  return isLongHex ? `${text.slice(0, 10)}..${text.slice(-8)}` : text;
}

/** A value as shown after `key=`: text with spaces is quoted. */
function shownScalar(value: unknown): string {
  const text = spoken(value);
  return typeof value !== "string" || /^[^\s"=]+$/.test(text) ? text : JSON.stringify(text);
}

/** `key=value`: object members as `key.member=value`, errors as their text, lists separated by commas. */
function shownFact(name: string, value: unknown): string[] {
  if (value === undefined || (isObject(value) && Object.keys(value).length === 0)) return [];
  if (Array.isArray(value) && !value.some((item) => typeof item === "object" && item !== null)) {
    return [`${name}=${value.length === 0 ? "none" : value.map(shownScalar).join(",")}`];
  }
  if (!isObject(value)) return [`${name}=${shownScalar(value)}`];
  const { type, message } = value;
  if (typeof type === "string" && typeof message === "string") return [`${name}=${shownScalar(`${type}: ${message}`)}`];
  return Object.entries(value).flatMap(([member, item]) => shownFact(`${name}.${member.replaceAll(" ", "-")}`, item));
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

export function spokenLine(line: string): SpokenLine {
  const record: Record<string, unknown> = JSON.parse(line);
  const { text, told } = sentence(String(record.msg ?? ""), record);
  const fields = Object.entries(record)
    .filter(([name]) => !ENVELOPE.includes(name) && !told.has(name))
    .flatMap(([name, value]) => shownFact(name, value));
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
  const { level, module, message, fields, ...spoken } = spokenLine(line);
  const time = new Date(spoken.time);
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((n) => String(n).padStart(2, "0"))
    .join(":");
  const said = `${level.toUpperCase()}: ${module}: ${message}`;
  const shown = fields.length === 0 ? said : `${said.padEnd(FACTS_COLUMN)}  ${fields.join(" ")}`;
  return `[${clock}.${String(time.getMilliseconds()).padStart(3, "0")}] ${shown}\n`;
}
