import type { Eventually } from "../ports/eventually.ts";

/** What `next` makes of a value, as soon as the value is there. */
export function after<T, R>(value: Eventually<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
