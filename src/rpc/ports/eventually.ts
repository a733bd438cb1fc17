/** At once from this thread, or later from where the service lives. */
export type Eventually<T> = T | Promise<T>;
