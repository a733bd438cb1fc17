import type { CheckpointHint } from "./execution-hints.ts";

/** The checkpoints of a database during one transaction. */
export class CheckpointLog {
  readonly created: CheckpointHint[] = [];
  readonly committed: CheckpointHint[] = [];
  readonly #newId: (parent: number) => number;
  readonly #open = [0];
  #actions = 0;

  /** `newId` gives the id of a checkpoint that is created inside of `parent`. */
  constructor(newId: (parent: number) => number) {
    this.#newId = newId;
  }

  /** Checkpoints that were created, committed or reverted so far. */
  get actions(): number {
    return this.#actions;
  }

  get #current(): number {
    return this.#open[this.#open.length - 1];
  }

  create(): void {
    const oldCheckpointId = this.#current;
    const newCheckpointId = this.#newId(oldCheckpointId);
    this.#open.push(newCheckpointId);
    this.created.push({ actionCounter: this.#actions++, oldCheckpointId, newCheckpointId });
  }

  commit(): void {
    this.committed.push(this.#end());
  }

  /** The caller keeps the hint, because those of reverts differ by database. */
  revert(): CheckpointHint {
    return this.#end();
  }

  #end(): CheckpointHint {
    const oldCheckpointId = this.#current;
    this.#open.pop();
    return { actionCounter: this.#actions++, oldCheckpointId, newCheckpointId: this.#current };
  }
}
