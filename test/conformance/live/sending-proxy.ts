import { createServer, type Server } from "node:http";
import { buffer } from "node:stream/consumers";

interface Call {
  method?: unknown;
  params?: unknown;
}

/** Hooks called with each sent tx: before it is passed on, and after it was answered. */
export interface SentTxs {
  before(tx: Record<string, unknown>): Promise<void>;
  after(tx: Record<string, unknown>, answered: boolean): Promise<void>;
}

/** Passes JSON-RPC calls on to a node; sendTx calls wait for the hooks of `watch`. */
export function sendingProxy(target: string, watch: SentTxs): Server {
  return createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await buffer(request);
      const sent = sentTxs(body);
      for (const tx of sent) await watch.before(tx);
      const passed = await fetch(new URL(request.url ?? "/", target), {
        method: request.method,
        headers: { "content-type": "application/json" },
        ...(request.method === "POST" && { body }),
      });
      const text = await passed.text();
      for (const tx of sent) await watch.after(tx, passed.ok);
      response.writeHead(passed.status, { "content-type": "application/json" }).end(text);
    };
    answer().catch((error: unknown) => {
      process.stderr.write(`proxy: ${error instanceof Error ? error.stack : String(error)}\n`);
      response.writeHead(502).end();
    });
  });
}

/** Txs of the sendTx calls in a request, batches included. */
function sentTxs(body: Buffer): Record<string, unknown>[] {
  if (body.length === 0) return [];
  const parsed: unknown = JSON.parse(body.toString("utf8"));
  const calls: Call[] = Array.isArray(parsed) ? parsed : [parsed];
  return calls.flatMap(({ method, params }) => {
    const [tx] = Array.isArray(params) ? params : [];
    return method === "node_sendTx" && typeof tx === "object" && tx !== null ? [tx] : [];
  });
}
