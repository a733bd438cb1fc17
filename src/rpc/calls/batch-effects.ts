/** The calls of one batch that are under way and whose effect the later calls have to see. */
export class BatchEffects {
  #underWay: Promise<unknown>[] = [];

  get pending(): boolean {
    return this.#underWay.length > 0;
  }

  /** Promises of a dispatcher are never rejected. */
  add(answer: unknown): void {
    if (answer instanceof Promise) this.#underWay.push(answer);
  }

  async settled(): Promise<void> {
    const underWay = this.#underWay;
    this.#underWay = [];
    await Promise.all(underWay);
  }
}
