const JOB_ID = /\d+:([A-Z_]+):[0-9a-f]{64}/;
/** As the agents of this project and of the reference report a finished job. */
const DONE = /\bdone in\b|\bcompleted outputUri=/;
const FAILED = /\bfailed(:| err=)/;

/** What the log of a proving agent tells about its jobs. */
export class AgentLog {
  readonly failures: string[] = [];
  readonly #types: string[] = [];

  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const type = JOB_ID.exec(line)?.[1];
      if (type === undefined) continue;
      if (DONE.test(line)) this.#types.push(type);
      else if (FAILED.test(line)) this.failures.push(line.slice(0, 400));
    }
  }

  get done(): number {
    return this.#types.length;
  }

  byType(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const type of this.#types) counts[type] = (counts[type] ?? 0) + 1;
    return counts;
  }
}
