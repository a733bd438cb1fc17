/** One statement about the run, with the figures that show it. */
interface Check {
  name: string;
  passed: boolean;
  figures: string;
}

/** Collects the checks of a run and prints each as it is made. */
export class Checks {
  readonly #made: Check[] = [];

  add(name: string, passed: boolean, figures: object | string): void {
    const text = typeof figures === "string" ? figures : JSON.stringify(figures);
    this.#made.push({ name, passed, figures: text });
    say(`${passed ? "ok    " : "FAILED"} ${name}: ${text}`);
  }

  /** Makes the check of `work`: it fails if that rejects. */
  async of(name: string, work: () => Promise<{ passed: boolean; figures: object | string }>): Promise<void> {
    try {
      const { passed, figures } = await work();
      this.add(name, passed, figures);
    } catch (error) {
      this.add(name, false, String(error));
    }
  }

  get failed(): number {
    return this.#made.filter(({ passed }) => !passed).length;
  }

  get count(): number {
    return this.#made.length;
  }
}

export function say(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}
