/** Calls a JSON-RPC method; rejects if the answer is an error. */
export async function call(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    signal: AbortSignal.timeout(20_000),
  });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } };
  if (error !== undefined) throw new Error(`${method}: ${error.message}`);
  return result;
}

/** Polls until `look` returns a value other than undefined and false; rejects with `what` when the time is over. */
export async function until<T>(what: string, limitMs: number, look: () => Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + limitMs;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`not within ${limitMs / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
