import { fromHex, toHex } from "../bytes.ts";
import { isCanonicalFr } from "../field.ts";
import type { AllowedSetupCall } from "../generations/transactions.ts";

/** An entry of an allow list breaks a rule. */
export class AllowListError extends Error {
  /** The entry as given. */
  readonly entry: string;
  readonly rule: string;

  constructor(entry: string, rule: string) {
    super(`Invalid allow list entry "${entry}": ${rule}`);
    this.name = "AllowListError";
    this.entry = entry;
    this.rule = rule;
  }
}

const FORMAT = "Expected format: I:address:selector or C:classId:selector";

type Flags = Pick<AllowedSetupCall, "onlySelf" | "rejectNullMsgSender" | "calldataLength">;

function parseFlags(entry: string, text: string): Flags {
  const flags: Flags = {};
  const seen = new Set<string>();
  for (const flag of text.split("+")) {
    const name = flag.split("=")[0];
    if (seen.has(name)) throw new AllowListError(entry, `flag "${name}" is given twice.`);
    seen.add(name);
    if (flag === "os") flags.onlySelf = true;
    else if (flag === "rn") flags.rejectNullMsgSender = true;
    else if (flag.startsWith("cl=")) {
      const length = Number(flag.slice(3));
      if (!/^\d+$/.test(flag.slice(3)) || !Number.isSafeInteger(length)) {
        throw new AllowListError(entry, `invalid calldataLength in flag "${flag}". Expected a non-negative integer.`);
      }
      flags.calldataLength = length;
    } else throw new AllowListError(entry, `unknown flag "${flag}". Supported flags: os, rn, cl=N.`);
  }
  return flags;
}

function parseEntry(entry: string): AllowedSetupCall {
  const [type, target = "", selector, flags, ...rest] = entry.split(":");
  if (selector === undefined || selector === "") throw new AllowListError(entry, `selector is required. ${FORMAT}`);
  if (type !== "I" && type !== "C") {
    throw new AllowListError(entry, `unknown type "${type}". Expected "I" (instance) or "C" (class).`);
  }
  if (rest.length > 0) throw new AllowListError(entry, `more than four parts. ${FORMAT}`);
  if (!/^(?:0x)?[0-9a-fA-F]{64}$/.test(target) || !isCanonicalFr(fromHex(target))) {
    const name = type === "I" ? "address" : "classId";
    throw new AllowListError(entry, `${name} must be 64 hex digits of a field element, with or without 0x.`);
  }
  if (!/^(?:0x)?[0-9a-fA-F]{8}$/.test(selector)) {
    throw new AllowListError(entry, "selector must be 8 hex digits, with or without 0x.");
  }
  const conditions = { selector: fromHex(selector), ...(flags === undefined ? {} : parseFlags(entry, flags)) };
  return type === "I" ? { address: fromHex(target), ...conditions } : { classId: fromHex(target), ...conditions };
}

/**
 * Parses the entries that extend the built-in list: comma-separated `I:<address>:<selector>[:<flags>]` or
 * `C:<classId>:<selector>[:<flags>]`, where flags are os, rn and cl=N joined by `+`
 * (docs/protocol/07-transactions-and-fees.md#715-setup-allow-list). The 0x of hex values is optional. Blank entries are
 * skipped. Throws AllowListError.
 */
export function parseAllowList(text: string): AllowedSetupCall[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map(parseEntry);
}

/** Inverse of parseAllowList. */
export function printAllowList(entries: readonly AllowedSetupCall[]): string {
  return entries
    .map((entry) => {
      const target = "address" in entry ? `I:${toHex(entry.address)}` : `C:${toHex(entry.classId)}`;
      const flags = [
        ...(entry.onlySelf ? ["os"] : []),
        ...(entry.rejectNullMsgSender ? ["rn"] : []),
        ...(entry.calldataLength === undefined ? [] : [`cl=${entry.calldataLength}`]),
      ];
      return [target, toHex(entry.selector), ...(flags.length === 0 ? [] : [flags.join("+")])].join(":");
    })
    .join(",");
}
