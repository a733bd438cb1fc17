import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { SecretText } from "../../keystore/private-key.ts";
import { KeyCommandError } from "./errors.ts";

/** Standard input and error of the process, or what stands for them in a test. */
interface Terminal {
  input: NodeJS.ReadableStream & { isTTY?: boolean };
  output: NodeJS.WritableStream;
}

interface SecretSource {
  /** Flag that asks for the secret, for example `--password`. The file's flag has `-file` added. */
  flag: string;
  /** Whether to ask on the terminal. */
  ask: boolean | undefined;
  /** File that holds the secret; a final line break does not count. */
  file: string | undefined;
  /** Ask twice, because a mistyped secret would be found out too late. */
  twice?: boolean;
}

/** A secret from a file or from the terminal; undefined if neither was asked for. Throws KeyCommandError. */
export async function readSecret(
  { flag, ask, file, twice = false }: SecretSource,
  terminal: Terminal = { input: process.stdin, output: process.stderr },
): Promise<SecretText | undefined> {
  if (ask && file !== undefined) throw new KeyCommandError(flag, `and ${flag}-file exclude each other`);
  if (file !== undefined) return new SecretText(textOf(`${flag}-file`, file));
  if (!ask) return undefined;
  if (!terminal.input.isTTY) throw new KeyCommandError(flag, `asks on a terminal and there is none: give ${flag}-file`);
  const what = flag.replace(/^--/, "").replaceAll("-", " ");
  const prompts = [`${what}: `, ...(twice ? [`${what} again: `] : [])];
  const lines = await hiddenLines(prompts, terminal);
  if (lines.length < prompts.length) throw new KeyCommandError(flag, "was not typed");
  const [first, ...rest] = lines;
  if (rest.some((again) => again !== first)) throw new KeyCommandError(flag, "was typed differently the second time");
  return new SecretText(first);
}

function textOf(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new KeyCommandError(flag, `names ${file}, which cannot be read (${code})`, { cause: error });
  }
}

/** Asks for lines without showing what is typed. Fewer lines if the terminal is closed or interrupted. */
async function hiddenLines(prompts: readonly string[], { input, output }: Terminal): Promise<string[]> {
  const nothing = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input, output: nothing, terminal: true });
  // The iterator keeps lines that were typed before they were asked for.
  const typed = reader[Symbol.asyncIterator]();
  try {
    const lines: string[] = [];
    for (const prompt of prompts) {
      output.write(prompt);
      const { value, done } = await typed.next();
      output.write("\n");
      if (done) break;
      lines.push(value);
    }
    return lines;
  } finally {
    reader.close();
  }
}
