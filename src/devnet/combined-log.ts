import { closeSync, openSync, renameSync, statSync, writeSync } from "node:fs";

/** A node's log is continued in a new file beyond this many bytes; the one before is kept. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** Bytes that wait for a terminal or pipe that does not read; further lines are only in the files. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_LINE = 64 * 1024;
/** Of the names of nodes; ANSI colours that are legible on dark and on light. */
const COLOURS = [36, 32, 35, 33, 34, 96, 92, 95, 93, 94];
const WARNING = /^\[[\d:.]+\] (WARN|ERROR|FATAL):/;
const WARNING_COLOURS: Readonly<Record<string, number>> = { WARN: 33, ERROR: 31, FATAL: 31 };

/** Writes the log of one node: all of it to a file, and each line with the node's name to the combined log. */
export class NodeLog {
  readonly #path: string;
  readonly #say: (line: string) => void;
  #file: number;
  #bytes: number;
  #rest = "";

  constructor(path: string, say: (line: string) => void) {
    this.#path = path;
    this.#say = say;
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = statSync(path).size;
  }

  write(part: Buffer): void {
    this.#keep(part);
    const lines = (this.#rest + part.toString("utf8")).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-MAX_LINE);
    for (const line of lines) this.#say(line);
  }

  #keep(part: Buffer): void {
    if (this.#bytes > MAX_LOG_BYTES) {
      closeSync(this.#file);
      renameSync(this.#path, `${this.#path}.1`);
      this.#file = openSync(this.#path, "a", 0o600);
      this.#bytes = 0;
    }
    try {
      this.#bytes += writeSync(this.#file, part);
    } catch {
      // A full disk must not end the network; its nodes say so themselves.
    }
  }
}

/** Writes lines of all nodes to one stream, with their names in front. */
export class CombinedLog {
  readonly #stream: NodeJS.WriteStream;
  readonly #width: number;
  readonly #colours = new Map<string, number>();
  #leftOut = 0;

  constructor(stream: NodeJS.WriteStream, names: readonly string[]) {
    this.#stream = stream;
    this.#width = Math.max(...names.map((name) => name.length));
    for (const [i, name] of names.entries()) this.#colours.set(name, COLOURS[i % COLOURS.length]);
  }

  line(name: string, text: string): void {
    if (this.#stream.writableLength > MAX_WAITING_BYTES) {
      this.#leftOut++;
      return;
    }
    if (this.#leftOut > 0) {
      this.#stream.write(
        `${this.#head(name)}${this.#leftOut} lines were left out, they are in the logs of the nodes\n`,
      );
      this.#leftOut = 0;
    }
    this.#stream.write(`${this.#head(name)}${this.#coloured(text)}\n`);
  }

  #head(name: string): string {
    const head = `${name.padEnd(this.#width)} | `;
    const colour = this.#colours.get(name);
    return this.#stream.isTTY && colour !== undefined ? `\u001b[${colour}m${head}\u001b[0m` : head;
  }

  #coloured(text: string): string {
    const level = this.#stream.isTTY ? WARNING.exec(text)?.[1] : undefined;
    return level === undefined ? text : `\u001b[${WARNING_COLOURS[level]}m${text}\u001b[0m`;
  }
}
