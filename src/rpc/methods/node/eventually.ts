import type { Eventually } from "../../ports/eventually.ts";

/** Applies `next` to a value: at once, or when its promise resolves. */
export function after<T, R>(value: Eventually<T>, next: (value: T) => R): R | Promise<Awaited<R>> {
  return value instanceof Promise ? (value.then(next) as Promise<Awaited<R>>) : next(value);
}
