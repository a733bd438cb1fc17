import { GROUPS, type Group, idleReason, type Option, type OptionTable } from "./kinds/option.ts";
import { OPTIONS } from "./options.ts";

function optionsOf(group: Group, table: OptionTable): Option[] {
  return Object.values(table).filter((option) => option.group === group);
}

function defaultOf(option: Option): string {
  if (option.default === undefined || option.kind.placeholder === undefined) return "";
  return option.kind.show(option.default);
}

/** The flag with its value's placeholder. */
export function flagUsage(option: Option, flag: string): string {
  const { placeholder, bare } = option.kind;
  if (placeholder === undefined) return flag;
  return bare === undefined ? `${flag} <${placeholder}>` : `${flag} [${placeholder}]`;
}

/** Meaning of the option, then in parentheses: whether it has no effect, its default and its variables. */
export function helpNote(option: Option): string {
  const idle = idleReason(option);
  const parts = [
    ...(idle === undefined ? [] : [idle]),
    ...(defaultOf(option) === "" ? [] : [`default ${defaultOf(option)}`]),
    ...(option.env.length === 0 ? [] : [`env ${option.env.join(", ")}`]),
  ];
  return parts.length === 0 ? option.meaning : `${option.meaning} (${parts.join("; ")})`;
}

interface HelpGroup {
  readonly heading: string;
  readonly items: readonly { readonly term: string; readonly note: string }[];
}

/** The table as help text: per group the flags, then the variables that have no flag. */
export function helpGroups(table: OptionTable = OPTIONS as OptionTable): HelpGroup[] {
  return GROUPS.map((group) => {
    const options = optionsOf(group, table);
    // Shown in the heading instead if it applies to the whole group.
    const allUnavailable = options.every((option) => idleReason(option) === "not available yet");
    const note = (option: Option): string => helpNote(allUnavailable ? { ...option, usedBy: "process" } : option);
    const flags = options.filter((option) => option.flags.length > 0);
    const variables = options.filter((option) => option.flags.length === 0 && option.env.length > 0);
    return {
      heading: allUnavailable ? `${group} (not available yet)` : group,
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

/** Content of docs/configuration.md: the table of options as Markdown. */
export function configurationDocument(table: OptionTable = OPTIONS as OptionTable): string {
  const lines = [
    "# Configuration",
    "",
    "Generated from the table of options in `src/config/options.ts` by `npm run docs`; do not edit by hand.",
    "",
    "Sources of a value, in order of precedence: flag, environment variable, configuration file, network file, preset of the",
    "network, default.",
    "If a row lists several flags, they are aliases. If it lists several variables, a later one is read only if the earlier",
    "ones are empty. An empty variable counts as unset. A value that breaks its rule stops the node at start, with a message",
    "that names the source of the value and the rule. `svc config` prints the effective values and their sources. It never",
    "prints secrets, nor the paths and queries of network URLs.",
    "",
    "The configuration file is the one that `--config` or `SVC_CONFIG` names: a YAML mapping. Its keys are the variables of",
    "this document; an option without a variable is its flag without dashes (`node: true`). Values are as in variables, and",
    "lists may be YAML lists. Scalars are taken as written, so addresses need no quotes. An unknown key stops the node with",
    "the line and the nearest known key. Close the file to other users (`chmod 600`) when it has secrets.",
    "",
    "```yaml",
    "node: true",
    "NETWORK: mainnet",
    "ETHEREUM_HOSTS:",
    "  - https://l1-a.example",
    "  - https://l1-b.example",
    "DATA_DIRECTORY: /var/lib/svc",
    "P2P_ENABLED: true",
    "```",
    "",
    "`svc config --check` takes what `svc start` takes, the mode among it. It prints all errors with their origins instead",
    "of the first one, also those of a start: a mode that lacks an option, options that exclude each other, key files that",
    "cannot be read. It fetches the network file and asks nothing else of others, and ends with 1 if there is an error.",
    "",
    "The network file and presets apply to networks other than `local`. The file is read from `NETWORK_CONFIG_LOCATION`, or,",
    "if that is unset, from where the public networks publish it. A copy in the data directory is used until it expires, and",
    "longer if the file cannot be read. The default data directory of such a network is `~/.aztec/<network>/data`.",
    "",
    "`svc start` and `svc config` refuse a flag or variable of a part that is not available yet, unless its value is the",
    "default. The message lists all refused names with their part. Values for such parts from the network file or a preset",
    'are ignored. Options marked "no effect" are accepted with a warning, so that configurations of earlier releases and of',
    "the reference node still work.",
    "",
  ];
  for (const group of GROUPS) {
    lines.push(
      `## ${group}`,
      "",
      "| Flag | Environment | Default | Meaning | Rule | Used by |",
      "|---|---|---|---|---|---|",
    );
    for (const option of optionsOf(group, table)) {
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
