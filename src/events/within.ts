/** A timer that is later than this fired because the process stood still. */
const STANDSTILL_MS = 50;
/** How much longer a wait may last after a standstill, once: enough to look at what arrived meanwhile. */
const MAX_GRACE_MS = 100;

interface WaitLimits<L> {
  /** Milliseconds; without, only the signal ends the wait. */
  ms?: number;
  /** Gives what the wait ends with after `ms`, or throws it. */
  late?: () => L;
  /** Ends the wait with its reason. */
  signal?: AbortSignal;
  /** Whether the wait keeps the process alive. */
  ref?: boolean;
}

/**
 * Settles as `work` does, or before as the limits say. `work` itself goes on, and may then fail unheard. If the time
 * ends
 * while the process stands still, the wait lasts once up to 100 ms longer: what arrived meanwhile has not been looked
 * at.
 */
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
      const stoodMs = performance.now() - due;
      if (stoodMs > STANDSTILL_MS && !isExtended) {
        isExtended = true;
        arm(Math.min(stoodMs, MAX_GRACE_MS));
        return;
      }
      end();
      try {
        resolve(late?.() as L);
      } catch (error) {
        reject(error);
      }
    };
    let timer: NodeJS.Timeout | undefined;
    let due = 0;
    let isExtended = false;
    const arm = (waitMs: number): void => {
      due = performance.now() + waitMs;
      timer = setTimeout(timedOut, waitMs);
      if (!ref) timer.unref();
    };
    if (ms !== undefined) arm(ms);
    if (signal?.aborted) aborted();
    else signal?.addEventListener("abort", aborted, { once: true });
    work.finally(end).then(resolve, reject);
  });
}
