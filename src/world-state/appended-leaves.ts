import { mapKey } from "../protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../protocol/constants.ts";
import type { StateView } from "./tables/state-view.ts";

/** A value that was appended to an append-only tree. */
export interface AppendedValue {
  tree: TreeId;
  position: number;
  value: Uint8Array;
}

/** Leaves of the append-only trees above a base state. */
export class AppendedLeaves {
  readonly #base: StateView;
  /** By tree and position. */
  readonly #values = TREE_IDS.map(() => new Map<number, Uint8Array>());
  /** First positions of values, by tree and value. */
  readonly #positions = TREE_IDS.map(() => new Map<string, number>());
  #new: AppendedValue[] = [];

  constructor(base: StateView) {
    this.#base = base;
  }

  leafAt(tree: TreeId, position: number): Uint8Array | undefined {
    return this.#values[tree].get(position) ?? this.#base.leafAt(tree, position);
  }

  /**
   * Of a value's positions, the first above the base; without one, the base's
   * (docs/protocol/02-trees.md#24-append-only-trees).
   */
  position(tree: TreeId, value: Uint8Array): number | undefined {
    return this.#positions[tree].get(mapKey(value)) ?? this.#base.position(tree, value);
  }

  /** Returns whether this is the first position of the value above the base. */
  add(appended: AppendedValue): boolean {
    const { tree, position, value } = appended;
    const key = mapKey(value);
    const isFirst = !this.#positions[tree].has(key);
    this.#values[tree].set(position, value);
    if (isFirst) this.#positions[tree].set(key, position);
    this.#new.push(appended);
    return isFirst;
  }

  /** Undoes `add`, given what that returned. */
  remove(appended: AppendedValue, isFirst: boolean): void {
    const { tree, position, value } = appended;
    this.#values[tree].delete(position);
    if (isFirst) this.#positions[tree].delete(mapKey(value));
    this.#new.splice(this.#new.lastIndexOf(appended), 1);
  }

  /** Values that were added since the last call, in order. */
  takeNew(): AppendedValue[] {
    const taken = this.#new;
    this.#new = [];
    return taken;
  }
}
