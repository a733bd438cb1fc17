/** Most lines that wait; then the oldest are dropped. */
const MAX_LINES = 4096;

/** Lines of the log, as JSON, that wait for their export. */
export class LogQueue {
  #lines: string[] = [];
  #dropped = 0;

  push(line: string): void {
    // Dropped in halves, so that a full queue does not move all lines for each new one.
    if (this.#lines.length >= MAX_LINES) {
      this.#dropped += MAX_LINES / 2;
      this.#lines = this.#lines.slice(MAX_LINES / 2);
    }
    this.#lines.push(line);
  }

  /** Removes and returns the oldest lines. */
  take(most: number): string[] {
    return this.#lines.splice(0, most);
  }

  get size(): number {
    return this.#lines.length;
  }

  /** Lines since the start that found no place. */
  get dropped(): number {
    return this.#dropped;
  }
}
