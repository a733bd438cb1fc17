const UNITS: Record<string, number> = { b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30, tb: 2 ** 40, pb: 2 ** 50 };

/**
 * Bytes of a size text such as `5mb`, `1.5 kb` or `1048576`; undefined when it is none
 * (docs/protocol/05-rpc.md#58-limits).
 */
export function parseByteSize(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|tb|pb)?\s*$/i.exec(text);
  if (match === null) return undefined;
  const bytes = Math.floor(Number(match[1]) * UNITS[(match[2] ?? "b").toLowerCase()]);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
