import type { OperatorError } from "../../errors/operator-error.ts";

/** `skip`: there is nothing to look at with this configuration. */
type Verdict = "ok" | "warn" | "fail" | "skip";

export interface Finding {
  /** What was looked at, in one or two words. */
  readonly check: string;
  readonly verdict: Verdict;
  /** One line without secrets. */
  readonly text: string;
  /** What to do about it; always there for `warn` and `fail`. */
  readonly remedy?: string;
}

export const ok = (check: string, text: string): Finding => ({ check, verdict: "ok", text });
export const skip = (check: string, text: string): Finding => ({ check, verdict: "skip", text });
export const warn = (check: string, text: string, remedy: string): Finding => ({
  check,
  verdict: "warn",
  text,
  remedy,
});
export const fail = (check: string, text: string, remedy: string): Finding => ({
  check,
  verdict: "fail",
  text,
  remedy,
});

/** An error of the operator as a finding. Most say in their message what to give. */
export function failOf(check: string, error: OperatorError): Finding {
  if (!("remedy" in error && typeof error.remedy === "string")) {
    return fail(check, error.message, "correct the option that the message names (docs/configuration.md)");
  }
  return fail(check, error.message.replace(`; ${error.remedy}`, ""), error.remedy);
}

const CHECK_WIDTH = 16;

export function findingLines({ check, verdict, text, remedy }: Finding): string[] {
  const indent = " ".repeat(6 + CHECK_WIDTH);
  const line = `${verdict.padEnd(6)}${check.padEnd(CHECK_WIDTH - 1)} ${text}`;
  return remedy === undefined ? [line] : [line, `${indent}-> ${remedy}`];
}
