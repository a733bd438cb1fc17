import type { CommandWords } from "./command-words.ts";

/** Shells that a completion script can be printed for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** A script for the shell that completes commands and flags; other words complete as names of files. */
export function completionScript(shell: Shell, commands: readonly CommandWords[]): string {
  return { bash, zsh, fish }[shell](commands);
}

const wordsOf = ({ subcommands, flags }: CommandWords): string => [...subcommands, ...flags].join(" ");
const below = (commands: readonly CommandWords[]): CommandWords[] => commands.slice(1);

function bash(commands: readonly CommandWords[]): string {
  const [root] = commands;
  return `# Completion of ${root.path} for bash.
_${root.path}() {
  local path=${root.path} found= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${below(commands)
        .map(({ path }) => `"${path}"`)
        .join(" | ")}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${commands.map((command) => `    "${command.path}") found="${wordsOf(command)}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _${root.path} ${root.path}
`;
}

function zsh(commands: readonly CommandWords[]): string {
  const [root] = commands;
  return `#compdef ${root.path}
_${root.path}() {
  local at=${root.path} i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      (${below(commands)
        .map(({ path }) => `"${path}"`)
        .join("|")}) at="$at $words[i]" ;;
    esac
  done
  case "$at" in
${commands.map((command) => `    ("${command.path}") found=(${wordsOf(command)}) ;;`).join("\n")}
  esac
  compadd -a found
  [[ $words[CURRENT] == -* ]] || _files
}
compdef _${root.path} ${root.path}
`;
}

function fish(commands: readonly CommandWords[]): string {
  const [root] = commands;
  const lines = commands.flatMap(({ path, subcommands, flags }) => {
    const here = `complete -c ${root.path} -n 'test (__${root.path}_path) = "${path}"'`;
    return [
      ...(subcommands.length > 0 ? [`${here} -a '${subcommands.join(" ")}'`] : []),
      ...flags.map((flag) => `${here} -l ${flag.slice(2)}`),
    ];
  });
  return `# Completion of ${root.path} for fish.
function __${root.path}_path
  set -l at ${root.path}
  for word in (commandline -opc)[2..]
    switch "$at $word"
      case ${below(commands)
        .map(({ path }) => `'${path}'`)
        .join(" ")}
        set at "$at $word"
    end
  end
  echo $at
end
${lines.join("\n")}
`;
}
