import { WorldStateError } from "./errors.ts";

/** Nested savepoints of a fork (docs/protocol/02-trees.md#218-forks-and-frames). */
export class Frames {
  /** The inverses of the writes in each open frame, oldest first; the outermost frame first. */
  readonly #undos: (() => void)[][] = [];

  /** Open frames. */
  get depth(): number {
    return this.#undos.length;
  }

  /** Keeps the inverse of a write as long as a frame is open. */
  record(undo: () => void): void {
    this.#undos.at(-1)?.push(undo);
  }

  /** Returns the new depth. */
  open(): number {
    return this.#undos.push([]);
  }

  /** Joins the innermost frame to the one around it. */
  commit(): void {
    const innermost = this.#undos.pop();
    if (innermost === undefined) throw new WorldStateError("Cannot commit without a checkpoint");
    this.#undos.at(-1)?.push(...innermost);
  }

  /** Undoes the writes of the innermost frame, newest first. */
  revert(): void {
    const innermost = this.#undos.pop();
    if (innermost === undefined) throw new WorldStateError("Cannot revert without a checkpoint");
    for (let i = innermost.length - 1; i >= 0; i--) innermost[i]();
  }
}
