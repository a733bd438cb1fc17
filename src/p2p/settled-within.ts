/** Resolves when the work has ended, however, or after `ms` milliseconds. */
export async function settledWithin(work: Promise<unknown>, ms: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, ms);
  timer.unref();
  await Promise.race([work.catch(() => undefined), late.promise]);
  clearTimeout(timer);
}
