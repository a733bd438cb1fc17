/**
 * Loads up to `ahead` items of `source` at a time and yields the results in order. A failed load is thrown in its turn,
 * after every result before it. Leaving the loop early closes the source.
 */
export async function* prefetched<T, R>(
  source: AsyncGenerator<T, void>,
  load: (item: T) => Promise<R>,
  ahead: number,
): AsyncGenerator<R, void> {
  const started: Promise<IteratorResult<R, void>>[] = [];
  const start = () => {
    const step = source.next().then(async (result): Promise<IteratorResult<R, void>> => {
      return result.done ? { done: true, value: undefined } : { done: false, value: await load(result.value) };
    });
    // Awaited below in turn; this keeps an early rejection from being unhandled.
    step.catch(() => {});
    started.push(step);
  };
  try {
    for (let i = 0; i < ahead; i++) start();
    for (;;) {
      const result = await started.shift()!;
      if (result.done) return;
      start();
      yield result.value;
    }
  } finally {
    await source.return();
  }
}
