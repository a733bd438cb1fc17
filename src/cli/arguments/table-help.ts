import type { Command, Help } from "commander";
import { OPTION_KEYS, OPTIONS } from "../../config/options.ts";
import { helpGroups } from "../../config/reference.ts";

/** Terms longer than this have their note on the next line. */
const TERM_WIDTH = 38;
const MIN_NOTE_WIDTH = 40;

function item(term: string, note: string, helper: Help): string {
  const indent = " ".repeat(TERM_WIDTH + 4);
  const width = Math.max((process.stdout.columns ?? 120) - indent.length, MIN_NOTE_WIDTH);
  const wrapped = helper.boxWrap(note, width).split("\n").join(`\n${indent}`);
  return term.length > TERM_WIDTH ? `  ${term}\n${indent}${wrapped}` : `  ${term.padEnd(TERM_WIDTH)}  ${wrapped}`;
}

/** Makes a command's help show the table of options by group, including variables without a flag. */
export function showTableHelp(command: Command): void {
  const tableFlags = new Set(OPTION_KEYS.flatMap((key): readonly string[] => OPTIONS[key].flags));
  command.configureHelp({
    formatHelp(shown, helper) {
      const own = helper.visibleOptions(shown).filter(({ long }) => !tableFlags.has(long ?? ""));
      const sections = [
        `Usage: ${helper.commandUsage(shown)}`,
        helper.commandDescription(shown),
        ["Options:", ...own.map((option) => item(helper.optionTerm(option), option.description, helper))].join("\n"),
        ...helpGroups().map(({ heading, items }) =>
          [`${heading}:`, ...items.map(({ term, note }) => item(term, note, helper))].join("\n"),
        ),
        "Names in capitals are environment variables. docs/configuration.md has the rules, and all spellings of the flags.",
      ];
      return `${sections.join("\n\n")}\n`;
    },
  });
}
