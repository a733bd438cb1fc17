/** Requests in flight, and the wish that there be none. */
export class Drain {
  closing = false;
  #inFlight = 0;
  #empty: (() => void) | undefined;

  get inFlight(): number {
    return this.#inFlight;
  }

  enter(): void {
    this.#inFlight += 1;
  }

  leave(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#empty?.();
  }

  async finish(graceMs: number): Promise<void> {
    this.closing = true;
    if (this.#inFlight === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#empty = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }
}
