import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** A command as a shell would run it, without what redirects it. */
export interface ShellCommand {
  /** Variables that are set for it, or by it: `A=1 svc start`, `A=1`, `export A=1`. */
  readonly variables: ReadonlyMap<string, string>;
  readonly exports: boolean;
  readonly words: readonly string[];
}

/** Commands that a document gives. */
export interface DocumentedCommands {
  /** File and line. */
  readonly at: string;
  readonly file: string;
  readonly text: string;
  /** Whether it stands within a sentence, where values may be left out. */
  readonly inline: boolean;
  /** What the document says that they print; empty where it does not. */
  readonly output: string;
}

export const DOCUMENTS = ["README.md", "CONTRIBUTING.md", ...globSync("docs/**/*.md").sort()];

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^ *```$/gm;
const INLINE = /`((?:svc|curl|npm|npx|node)\s[^`]+)`/g;

/** All shell commands of the documents: blocks of `sh`, lines of blocks that begin with `$`, and those in sentences. */
export function documentedCommands(files: readonly string[] = DOCUMENTS): DocumentedCommands[] {
  return files.flatMap((file) => {
    const document = readFileSync(file, "utf8");
    const found: DocumentedCommands[] = [];
    const place = (index: number) => `${file}:${document.slice(0, index).split("\n").length}`;
    const prose = document.replaceAll(FENCE, (fence, indent: string, language: string, body: string, index: number) => {
      const at = place(index);
      const lines = body.replaceAll(new RegExp(`^${indent}`, "gm"), "");
      const typed = lines.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
      const output = lines.startsWith("$ ") ? lines.slice(lines.indexOf("\n") + 1).trimEnd() : "";
      if (typed.length > 0) found.push({ at, file, text: typed.join("\n"), inline: false, output });
      else if (language === "sh") found.push({ at, file, text: lines, inline: false, output: "" });
      return fence.replaceAll(/[^\n]/g, " ");
    });
    for (const { 1: text, index } of prose.matchAll(INLINE)) {
      found.push({ at: place(index), file, text: text.replaceAll(/\s+/g, " "), inline: true, output: "" });
    }
    return found;
  });
}

/** Splits a text as a POSIX shell does, as far as the documents need it. Words of loops are left out. */
export function shellCommands(text: string): ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let redirected = false;
  const endWord = () => {
    if (word !== undefined && !redirected) words.push(word);
    if (word !== undefined) redirected = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    if (words.length > 0) commands.push(...commandOf(words));
    words = [];
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "\\") {
      if (text[++i] !== "\n") word = (word ?? "") + text[i];
    } else if (char === "'" || char === '"') {
      const end = text.indexOf(char, i + 1);
      word = (word ?? "") + text.slice(i + 1, end);
      i = end;
    } else if (text.startsWith("<(", i) || text.startsWith("$(", i)) {
      const end = text.indexOf(")", i);
      commands.push(...shellCommands(text.slice(i + 2, end)));
      word = `${word ?? ""}SUBSTITUTED`;
      i = end;
    } else if (char === "#" && word === undefined)
      i = text.indexOf("\n", i) < 0 ? text.length : text.indexOf("\n", i) - 1;
    // `<key>` stands for a value, and is no redirection.
    else if (char === "<" && /^<[a-z]+>/.test(text.slice(i))) {
      const end = text.indexOf(">", i);
      word = (word ?? "") + text.slice(i, end + 1);
      i = end;
    } else if (char === ">" || char === "<") {
      endWord();
      redirected = true;
    } else if (char === " ") endWord();
    else if ("\n;|&".includes(char)) endCommand();
    else word = (word ?? "") + char;
  }
  endCommand();
  return commands;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

function commandOf([...words]: string[]): ShellCommand[] {
  if (words[0] === "for" || words[0] === "done") return [];
  if (words[0] === "do") words.shift();
  const exports = words[0] === "export";
  if (exports) words.shift();
  const variables = new Map<string, string>();
  for (let set = ASSIGNMENT.exec(words[0] ?? ""); set !== null; set = ASSIGNMENT.exec(words[0] ?? "")) {
    variables.set(set[1], set[2]);
    words.shift();
  }
  return [{ variables, exports, words }];
}

/**
 * What the calls by curl in a document print, one JSON text each, against processes whose ports are given by those that
 * the document names. Rejects if curl fails.
 */
export async function runDocumentedCalls(
  file: string,
  ports: Readonly<Record<string, string>>,
): Promise<{ text: string; output: string; printed: string }[]> {
  const blocks = documentedCommands([file]).filter(({ inline, text }) => !inline && text.includes("curl "));
  const runs = blocks.map(async ({ text, output }) => {
    const lines = text.replaceAll("\\\n", " ").split("\n");
    const moved = Object.entries(ports).reduce(
      (script, [named, port]) => script.replaceAll(`:${named}`, `:${port}`),
      lines.filter((line) => /^\s*(curl |\w+=)/.test(line)).join("\n"),
    );
    // Answers end without a new line.
    const script = moved.replaceAll(/^(\s*curl .*)$/gm, "$1 --show-error --max-time 60 -w '\\n'");
    const { stdout } = await promisify(execFile)("bash", ["-euc", script], { env: { ...process.env, KEY: "none" } });
    return { text, output, printed: stdout.trimEnd() };
  });
  return Promise.all(runs);
}
