import { GROUPS, type Group, idleReason, type Option } from "./option.ts";
import { OPTION_KEYS, OPTIONS } from "./options.ts";

export function optionsOf(group: Group): Option[] {
  return OPTION_KEYS.map((key) => OPTIONS[key] as Option).filter((option) => option.group === group);
}

function defaultOf(option: Option): string {
  if (option.default === undefined || option.kind.placeholder === undefined) return "";
  return option.kind.show(option.default);
}

/** How a flag is written, with its value. */
export function flagUsage(option: Option, flag: string): string {
  const { placeholder, bare } = option.kind;
  if (placeholder === undefined) return flag;
  return bare === undefined ? `${flag} <${placeholder}>` : `${flag} [${placeholder}]`;
}

/** Note of the help text behind the meaning: whether the option does anything, default and variables. */
export function helpNote(option: Option): string {
  const idle = idleReason(option);
  const parts = [
    ...(idle === undefined ? [] : [idle]),
    ...(defaultOf(option) === "" ? [] : [`default ${defaultOf(option)}`]),
    ...(option.env.length === 0 ? [] : [`env ${option.env.join(", ")}`]),
  ];
  return parts.length === 0 ? option.meaning : `${option.meaning} (${parts.join("; ")})`;
}

export interface HelpGroup {
  readonly heading: string;
  readonly items: readonly { readonly term: string; readonly note: string }[];
}

/** The table as help text: per group the flags, then the variables that have no flag. */
export function helpGroups(): HelpGroup[] {
  return GROUPS.map((group) => {
    const options = optionsOf(group);
    // Said once where it holds for the whole group.
    const allToCome = options.every((option) => idleReason(option) === "not available yet");
    const note = (option: Option): string => helpNote(allToCome ? { ...option, usedBy: "process" } : option);
    const flags = options.filter((option) => option.flags.length > 0);
    const variables = options.filter((option) => option.flags.length === 0 && option.env.length > 0);
    return {
      heading: allToCome ? `${group} (not available yet)` : group,
      items: [
        ...flags.map((option) => ({ term: flagUsage(option, option.flags[0]), note: note(option) })),
        ...variables.map((option) => ({ term: option.env[0], note: note({ ...option, env: option.env.slice(1) }) })),
      ],
    };
  });
}

function code(texts: readonly string[], marked: readonly string[] = []): string {
  return texts.map((text) => `\`${text}\`${marked.includes(text) ? " (deprecated)" : ""}`).join(", ");
}

/** docs/configuration.md: the table of options as Markdown. */
export function configurationDocument(): string {
  const lines = [
    "# Configuration",
    "",
    "Generated from the table of options in `src/config/options.ts` by `npm run docs`; do not edit by hand.",
    "",
    "A value is taken from the first of these that gives one: flag, environment variable, network file, preset of the network,",
    "default. Where several flags are named, they are spellings of one option. Where several variables are named, a later one is",
    "read only when the earlier ones are empty. An empty variable counts as unset. A value that breaks its rule stops the start with a",
    "message that names where it came from and the rule. `svc config` prints the effective values and where each came from;",
    "secrets, and the paths and queries of network URLs, are never shown.",
    "",
    "The network file and presets are used for networks other than `local`. The file is read from `NETWORK_CONFIG_LOCATION`, or from where the",
    "public networks publish it; a copy below the data directory is used while it lives, and past that when nothing answers. Such a",
    "network's data directory is `~/.aztec/<network>/data` unless another is given.",
    "",
    "`svc start` and `svc config` refuse a flag or variable of a part that is not available yet, unless it gives the default: all of",
    'them are named with their part. What a network\'s file or preset sets for such a part is left aside. Options marked "no effect"',
    "are taken with a warning, so that configurations of former releases and of the reference node go on working.",
    "",
  ];
  for (const group of GROUPS) {
    lines.push(
      `## ${group}`,
      "",
      "| Flag | Environment | Default | Meaning | Rule | Used by |",
      "|---|---|---|---|---|---|",
    );
    for (const option of optionsOf(group)) {
      const value = option.kind.placeholder === undefined ? "takes no value" : option.kind.rule;
      const shownDefault = defaultOf(option) === "" ? [] : [defaultOf(option)];
      const idle = idleReason(option);
      const cells = [
        code(option.flags),
        code(option.env, option.deprecated),
        code(shownDefault),
        option.meaning,
        value,
        idle === undefined ? option.usedBy : `${option.usedBy} (${idle})`,
      ];
      lines.push(`| ${cells.join(" | ")} |`);
    }
    lines.push("");
  }
  return `${lines.join("\n").trimEnd()}\n`;
}
