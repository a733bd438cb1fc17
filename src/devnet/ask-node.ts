import { wholeExchange } from "../http/exchange.ts";
import { parseJson } from "../json/parse-json.ts";

const LIMITS = { totalMs: 3_000, maxBytes: 4 * 1024 * 1024 };

/** The result of a JSON-RPC call; undefined if the node gives none now. */
export async function askNode(port: number, method: string, ...params: unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const headers = { "content-type": "application/json" };
  try {
    const call = { method: "POST", url: `http://127.0.0.1:${port}`, headers, body } as const;
    const answer = parseJson((await wholeExchange(call, LIMITS)).body);
    return (answer as { result?: unknown } | null)?.result;
  } catch {
    return undefined;
  }
}

/** Whether a process answers at its port: every kind of process serves this path. */
export async function isLive(port: number): Promise<boolean> {
  try {
    return (await wholeExchange({ url: `http://127.0.0.1:${port}/status` }, LIMITS)).status === 200;
  } catch {
    return false;
  }
}
