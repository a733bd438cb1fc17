/** Counts of the calls of one method, or of the steps of one check, by outcome. */
export interface Tally {
  /** Same answer or refusal as recorded; same value as it must be. */
  equal: number;
  /** Accepted by the library; nothing to compare. */
  accepted: number;
  /** Refused as documented. */
  refused: number;
  failures: string[];
}

/** Words of the totals: what was counted, and how much of it came out how. */
const CALLS = { each: "calls", equal: "equal to the recording", refused: "refused as documented" };

/** Counts by check, in order of appearance. */
export class Report {
  readonly #tallies = new Map<string, Tally>();

  of(name: string): Tally {
    let tally = this.#tallies.get(name);
    if (tally === undefined) {
      tally = { equal: 0, accepted: 0, refused: 0, failures: [] };
      this.#tallies.set(name, tally);
    }
    return tally;
  }

  get names(): string[] {
    return [...this.#tallies.keys()];
  }

  get failed(): number {
    return this.#sum(({ failures }) => failures.length);
  }

  /** A table, the first failures of each check, and a line of totals in these words. */
  text({ each, equal: equalAs, refused: refusedAs } = CALLS): string {
    const width = Math.max(...this.names.map((name) => name.length));
    const line = (name: string, cells: readonly (string | number)[]) =>
      `${name.padEnd(width)} ${cells.map((cell) => String(cell).padStart(9)).join("")}`;
    const lines = [line("", ["equal", "accepted", "refused", "failed"])];
    for (const [name, { equal, accepted, refused, failures }] of this.#tallies) {
      lines.push(line(name, [equal, accepted, refused, failures.length]));
      for (const failure of failures.slice(0, 3)) lines.push(`    ${failure.split("\n", 1)[0].slice(0, 400)}`);
      if (failures.length > 3) lines.push(`    and ${failures.length - 3} more`);
    }
    const equal = this.#sum((tally) => tally.equal);
    const accepted = this.#sum((tally) => tally.accepted);
    const refused = this.#sum((tally) => tally.refused);
    const all = equal + accepted + refused + this.failed;
    lines.push(
      "",
      `${this.names.length} checks, ${all} ${each}: ${equal} ${equalAs}, ${accepted} accepted, ` +
        `${refused} ${refusedAs}, ${this.failed} failed`,
    );
    return lines.join("\n");
  }

  #sum(count: (tally: Tally) => number): number {
    return [...this.#tallies.values()].reduce((sum, tally) => sum + count(tally), 0);
  }
}
