import { closeSync, existsSync, openSync, renameSync, statSync, writeSync } from "node:fs";
import { StringDecoder } from "node:string_decoder";

/** A node's log is continued in a new file beyond this many bytes; the one before is kept. */
const MAX_LOG_BYTES = 64 * 1024 * 1024;
/** Bytes that wait for a terminal or pipe that does not read; further lines are only in the files. */
const MAX_WAITING_BYTES = 1024 * 1024;
const MAX_LINE = 64 * 1024;
/** Of the names of nodes; ANSI colours that are legible on dark and on light. */
const COLOURS = [36, 32, 35, 33, 34, 96, 92, 95, 93, 94];
const WARNING = /^\[[\d:.]+\] (WARN|ERROR|FATAL):/;
const WARNING_COLOURS: Readonly<Record<string, number>> = { WARN: 33, ERROR: 31, FATAL: 31 };

/** An output of a node's process. */
interface NodeOutput {
  write(part: Buffer): void;
  end(): void;
}

/** Writes the log of one node: all of it to a file, and each line with the node's name to the combined log. */
export class NodeLog {
  readonly #path: string;
  readonly #say: (line: string) => void;
  readonly #maxBytes: number;
  #file: number;
  #bytes: number;

  constructor(path: string, say: (line: string) => void, maxBytes = MAX_LOG_BYTES) {
    this.#path = path;
    this.#say = say;
    this.#maxBytes = maxBytes;
    this.#file = openSync(path, "a", 0o600);
    this.#bytes = statSync(path).size;
  }

  /** Lines of one output are put together apart from those of others. */
  output(): NodeOutput {
    const decoder = new StringDecoder("utf8");
    let rest = "";
    return {
      write: (part) => {
        this.#keep(part);
        const lines = (rest + decoder.write(part)).split("\n");
        rest = (lines.pop() ?? "").slice(-MAX_LINE);
        for (const line of lines) this.#say(line);
      },
      end: () => {
        const last = rest + decoder.end();
        rest = "";
        if (last !== "") this.#say(last);
      },
    };
  }

  #keep(part: Buffer): void {
    // A full disk must not end the network; its nodes say so themselves.
    try {
      if (this.#bytes > this.#maxBytes) this.#continueInNewFile();
      this.#bytes += writeSync(this.#file, part);
    } catch {}
  }

  #continueInNewFile(): void {
    // Absent where the new file could not be opened the time before.
    if (existsSync(this.#path)) renameSync(this.#path, `${this.#path}.1`);
    const next = openSync(this.#path, "a", 0o600);
    closeSync(this.#file);
    this.#file = next;
    this.#bytes = 0;
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
