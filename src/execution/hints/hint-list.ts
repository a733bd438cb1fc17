/** Hints in the order in which each key was first asked for; a key is not hinted twice. */
export class HintList<Hint> {
  readonly hints: Hint[] = [];
  readonly #keys = new Set<string>();

  /** `make` is called only for a new key. */
  add(key: string, make: () => Hint): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.hints.push(make());
  }
}
