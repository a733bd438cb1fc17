import { JSON_NUMBER, type Kind } from "./kinds.ts";

/** Maximum delay of a Node.js timer; a timer with a longer delay fires immediately. */
export const MAX_MILLISECONDS = 2 ** 31 - 1;
export const MAX_TIMER_SECONDS = Math.floor(MAX_MILLISECONDS / 1000);
export const MAX_MINUTES = Math.floor(MAX_TIMER_SECONDS / 60);
/** Ten years; limit of durations that are not used as a timer's delay. */
export const MAX_SECONDS = 10 * 365 * 86_400;
export const MAX_HOURS = MAX_SECONDS / 3600;
/** 64 TiB: half of a process's address space. */
export const MAX_KIBIBYTES = 2 ** 36;
/** Limit of concurrency settings, such as threads, processes and connections. */
export const MAX_CONCURRENCY = 1024;
/** Limit of all other counts. */
export const MAX_COUNT = 1_000_000_000;
export const MAX_GAS = 10 ** 15;

/**
 * A whole decimal number. Stricter than the reference, which reads "1.7" as 1, "0x10" as 0 and "abc" as the default.
 */
export function integer(min: number, max: number): Kind<number> {
  return {
    name: "integer",
    placeholder: "n",
    rule: `must be a whole decimal number from ${min} to ${max}`,
    parse(given) {
      const trimmed = given.trim();
      const value = Number(trimmed);
      return /^-?\d+$/.test(trimmed) && value >= min && value <= max ? value : undefined;
    },
    show: String,
    json: JSON_NUMBER,
  };
}

/** Like `integer`, but also accepts 0x hex. Stricter than the reference, which reads "1.9" as 1 and "abc" as unset. */
export function integerAnyBase(min: number, max: number): Kind<number> {
  const decimalOnly = integer(min, max);
  return {
    ...decimalOnly,
    rule: decimalOnly.rule.replace("whole decimal number", "whole number (decimal or 0x hex)"),
    parse(given) {
      const trimmed = given.trim();
      return decimalOnly.parse(/^0x[0-9a-f]+$/i.test(trimmed) ? String(Number(trimmed)) : trimmed);
    },
  };
}

/** A decimal number such as 1.2, -20 or 5e-1 within a range. `exclusiveMin` excludes `min` itself. */
export function decimal(min = -Number.MAX_VALUE, max = Number.MAX_VALUE, exclusiveMin = false): Kind<number> {
  const least = min === -Number.MAX_VALUE ? undefined : exclusiveMin ? `above ${min}` : `of at least ${min}`;
  const most = max === Number.MAX_VALUE ? undefined : `at most ${max}`;
  const range = [least, most].filter((part) => part !== undefined).join(" and ");
  return {
    name: "decimal",
    placeholder: "x",
    rule: `must be a decimal number${range === "" ? "" : ` ${range}`}`,
    parse(given) {
      const trimmed = given.trim();
      const value = Number(trimmed);
      const inRange = value >= min && value <= max && !(exclusiveMin && value === min);
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) && inRange ? value : undefined;
    },
    show: String,
    json: JSON_NUMBER,
  };
}

export const fraction = decimal(0, 1);
export const positiveFraction = decimal(0, 1, true);

/** Longer numbers are rejected: amounts are below 2^256, which has 78 digits. */
const MAX_DIGITS = 100;

function readBigInteger(given: string): bigint | undefined {
  const trimmed = given.trim();
  if (trimmed.length > MAX_DIGITS) return undefined;
  if (/^(\d+|0x[0-9a-f]+)$/i.test(trimmed)) return BigInt(trimmed);
  const match = /^(\d+)(?:\.(\d+))?e([+-]?\d+)$/i.exec(trimmed);
  if (match === null) return undefined;
  const [, whole, decimals = "", exponent] = match;
  const shift = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals);
  if (digits === 0n) return 0n;
  if (Math.abs(shift) > MAX_DIGITS) return undefined;
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

/**
 * A whole number from 0 to `max`: decimal, 0x hex, or scientific notation with a whole value, such as 1e+23 or 1.5e3.
 * Parsed without loss of precision.
 */
export function bigIntegerUpTo(max: bigint, shownMax = String(max)): Kind<bigint> {
  return {
    name: "big integer",
    placeholder: "n",
    rule: `must be a whole number from 0 to ${shownMax}: decimal, 0x hex, or scientific such as 1e23`,
    parse(given) {
      const value = readBigInteger(given);
      return value !== undefined && value <= max ? value : undefined;
    },
    show: String,
    json: "amount",
  };
}

/** A Solidity uint256. */
export const bigInteger = bigIntegerUpTo(2n ** 256n - 1n, "2^256 - 1");

/** A rollup version; "canonical" means the newest one in the registry. */
export const rollupVersion: Kind<number | "canonical"> = {
  name: "integer or canonical",
  placeholder: "n",
  rule: "must be a whole number from 0 to 4294967295 (decimal or 0x hex), or canonical for the newest",
  parse(given) {
    const trimmed = given.trim();
    if (trimmed.toLowerCase() === "canonical") return "canonical";
    const value = Number(trimmed);
    return /^(\d+|0x[0-9a-f]+)$/i.test(trimmed) && value <= 0xffffffff ? value : undefined;
  },
  show: String,
};

const BYTE_UNITS: Record<string, number> = { "": 1, b: 1, kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

function shownBytes(value: number): string {
  const unit = ["gb", "mb", "kb"].find((name) => value % BYTE_UNITS[name] === 0) ?? "b";
  return `${value / BYTE_UNITS[unit]}${unit}`;
}

/** A size in bytes, such as 1mb; units are powers of 1024. */
export function byteSize(max: number): Kind<number> {
  return {
    name: "size",
    placeholder: "size",
    rule: `must be a size of at least 1 byte and at most ${shownBytes(max)}, such as 512kb or 1mb`,
    parse(given) {
      const match = /^(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?$/.exec(given.trim().toLowerCase());
      if (match === null) return undefined;
      const bytes = Math.floor(Number(match[1]) * BYTE_UNITS[match[2] ?? ""]);
      return bytes >= 1 && bytes <= max ? bytes : undefined;
    },
    show: shownBytes,
  };
}

/** 1 TiB. */
export const MAX_MEMORY = 2 ** 40;
/** 512 MiB, the maximum length of a string in Node.js. */
export const MAX_BODY = 2 ** 29;

/** TCP or UDP port; 0 means any free one. */
export const port = integer(0, 65535);
