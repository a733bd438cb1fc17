import { FrameError } from "./errors.ts";
import type { Value } from "./payload.ts";

/** Reads the items of a list in order, each with its name for the error. All throw FrameError. */
export class Fields {
  readonly #of: string;
  readonly #values: readonly Value[];
  #at = 0;

  constructor(of: string, values: Value) {
    if (!Array.isArray(values)) throw new FrameError(of, "must be a list");
    this.#of = of;
    this.#values = values;
  }

  #next(name: string, rule: string, fits: (value: Value | undefined) => boolean): Value {
    const value = this.#values[this.#at++];
    if (value === undefined || !fits(value)) throw new FrameError(`${this.#of} ${name}`, rule);
    return value;
  }

  /** An integer from 0 to `max`. */
  uint(name: string, max = 0xffffffff): number {
    const fits = (value: Value | undefined): boolean =>
      typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
    return this.#next(name, `must be an integer from 0 to ${max}`, fits) as number;
  }

  /** Bytes: exactly `length`, or, with a rule of their own, any number. */
  bytes(name: string, length?: number): Uint8Array {
    const rule = length === undefined ? "must be bytes" : `must be ${length} bytes`;
    const fits = (value: Value | undefined): boolean =>
      value instanceof Uint8Array && (length === undefined || value.length === length);
    return this.#next(name, rule, fits) as Uint8Array;
  }

  text(name: string, most: number): string {
    const fits = (value: Value | undefined): boolean => typeof value === "string" && value.length <= most;
    return this.#next(name, `must be a text of at most ${most} characters`, fits) as string;
  }

  list(name: string, most: number): Value[] {
    const fits = (value: Value | undefined): boolean => Array.isArray(value) && value.length <= most;
    return this.#next(name, `must be a list of at most ${most} items`, fits) as Value[];
  }

  /** What `read` makes of the next value, or undefined for null. */
  optional<T>(read: () => T): T | undefined {
    if (this.#values[this.#at] !== null) return read();
    this.#at++;
    return undefined;
  }

  end(): void {
    if (this.#at !== this.#values.length) {
      throw new FrameError(this.#of, `must have ${this.#at} items, got ${this.#values.length}`);
    }
  }
}
