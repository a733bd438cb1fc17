import type { LogLine } from "../../rpc/admin/ports/node-reports.ts";
import { spokenLine, textField } from "./log-text.ts";

const MAX_LINES = 2_000;
/** Of all lines together. */
const MAX_CHARACTERS = 2 ** 20;
/** Of one line, so that a few large ones do not displace all others. */
const MAX_LENGTH = 2 ** 14;

/** The latest lines of the log in memory, within bounds. They are parsed when they are read. */
export class LogTail {
  #lines: string[] = [];
  /** Lines at the beginning of `#lines` that are dropped. */
  #dropped = 0;
  #characters = 0;
  #last = 0;

  /** Takes a JSON line whose secrets are redacted. */
  add(line: string): void {
    const kept = line.length <= MAX_LENGTH ? line : shortened(line);
    this.#lines.push(kept);
    this.#last += 1;
    this.#characters += kept.length;
    while (this.#lines.length - this.#dropped > MAX_LINES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#lines[this.#dropped].length;
      this.#lines[this.#dropped++] = "";
    }
    if (this.#dropped < MAX_LINES) return;
    this.#lines = this.#lines.slice(this.#dropped);
    this.#dropped = 0;
  }

  /** The latest `most` lines with a sequence number above `after`, oldest first. */
  read(after: number, most: number): LogLine[] {
    const { length } = this.#lines;
    const count = Math.max(0, Math.min(length - this.#dropped, most, this.#last - after));
    const first = this.#last - count + 1;
    return this.#lines
      .slice(length - count)
      .map((line, i) => ({ sequence: first + i, ...spokenLine(line, textField) }));
  }
}

/** The line without its fields, and without the end of its message. */
function shortened(line: string): string {
  const { level, time, module, msg } = JSON.parse(line) as Record<string, unknown>;
  const message = `${String(msg).slice(0, MAX_LENGTH / 2)} (shortened)`;
  return JSON.stringify({ level, time, module, msg: message });
}
