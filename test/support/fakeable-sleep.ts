/**
 * Stands for `node:timers/promises`, which fake timers leave alone:
 * `vi.mock("node:timers/promises", () => import("../support/fakeable-sleep.ts"))`.
 */
export * from "node:timers/promises";

export function setTimeout<T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve(value as T);
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
