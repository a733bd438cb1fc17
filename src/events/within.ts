export interface WaitLimits<L> {
  /** Milliseconds; without, only the signal ends the wait. */
  ms?: number;
  /** Gives what the wait ends with after `ms`, or throws it. */
  late?: () => L;
  /** Ends the wait with its reason. */
  signal?: AbortSignal;
  /** Whether the wait keeps the process alive. */
  ref?: boolean;
}

/** Settles as `work` does, or before as the limits say. `work` itself goes on, and may then fail unheard. */
export function within<T, L = never>(
  work: Promise<T>,
  { ms, late, signal, ref = true }: WaitLimits<L>,
): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", aborted);
    };
    const aborted = (): void => {
      end();
      reject(signal?.reason);
    };
    const timedOut = (): void => {
      end();
      try {
        resolve(late?.() as L);
      } catch (error) {
        reject(error);
      }
    };
    const timer = ms === undefined ? undefined : setTimeout(timedOut, ms);
    if (!ref) timer?.unref();
    if (signal?.aborted) aborted();
    else signal?.addEventListener("abort", aborted, { once: true });
    work.finally(end).then(resolve, reject);
  });
}
