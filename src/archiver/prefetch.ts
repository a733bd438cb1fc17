/**
 * Loads the items of `source` up to `ahead` at a time and gives the results in order. A failed load is thrown when its turn comes,
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
    // Awaited in turn below; until then a failure must not count as unhandled.
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
