import { GROUPS, type Group, type Option } from "./option.ts";
import { OPTION_KEYS, OPTIONS } from "./options.ts";

function rowsOf(group: Group): Option[] {
  return OPTION_KEYS.map((key) => OPTIONS[key] as Option).filter((option) => option.group === group);
}

function defaultOf(option: Option): string {
  if (option.default === undefined) return "";
  const shown = option.kind.show(option.default);
  return option.kind.placeholder === undefined || shown === "" ? "" : shown;
}

/** Note of the help text behind the meaning: default and variables. */
export function helpNote(option: Option): string {
  const parts = [
    ...(option.unused ? ["not available yet"] : []),
    ...(defaultOf(option) === "" ? [] : [`default ${defaultOf(option)}`]),
    ...(option.env.length === 0 ? [] : [`env ${option.env.join(", ")}`]),
  ];
  return parts.length === 0 ? option.meaning : `${option.meaning} (${parts.join("; ")})`;
}

/** Help text for options that have no flag. */
export function environmentHelp(): string {
  const rows = OPTION_KEYS.map((key) => OPTIONS[key] as Option).filter((option) => option.flags.length === 0);
  const width = Math.max(...rows.map((option) => option.env[0].length));
  return [
    "Environment only:",
    ...rows.map((option) => `  ${option.env[0].padEnd(width)}  ${helpNote({ ...option, env: [] })}`),
  ].join("\n");
}

function code(texts: readonly string[]): string {
  return texts.map((text) => `\`${text}\``).join(", ");
}

/** docs/configuration.md: the table of options as Markdown. */
export function configurationDocument(): string {
  const lines = [
    "# Configuration",
    "",
    "Generated from the table of options in `src/config/options.ts` by `npm run docs`; do not edit by hand.",
    "",
    "A flag wins over its environment variable, which wins over the default. Where several variables are named, a later one is read",
    "only when the earlier ones are empty. An empty variable counts as unset. A value that breaks its rule stops the start with",
    "a message that names the flag or variable and the rule. `svc config` prints the effective values and where each came from;",
    "secrets, and the paths and queries of network URLs, are never shown.",
    "",
  ];
  for (const group of GROUPS) {
    lines.push(`## ${group}`, "", "| Flag | Environment | Default | Meaning | Rule |", "|---|---|---|---|---|");
    for (const option of rowsOf(group)) {
      const value = option.kind.placeholder === undefined ? "takes no value" : option.kind.rule;
      const meaning = option.unused ? `${option.meaning} (not available yet)` : option.meaning;
      const shownDefault = defaultOf(option) === "" ? [] : [defaultOf(option)];
      lines.push(`| ${code(option.flags)} | ${code(option.env)} | ${code(shownDefault)} | ${meaning} | ${value} |`);
    }
    lines.push("");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}
