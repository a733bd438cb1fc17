import { createServer } from "node:http";

/** A node elsewhere that has transactions. */
export interface TxSource {
  readonly url: string;
  /** Answers the requests that were held back, and later ones at once. */
  release(): void;
  stop(): void;
}

/** Serves transactions, given as JSON of the v4 RPC, by node_getTxsByHash. `holds`: requests wait for `release`. */
export async function startTxSource(all: readonly Record<string, unknown>[], holds = false): Promise<TxSource> {
  const txs = new Map(all.map((tx) => [String(tx.txHash), tx]));
  const released = Promise.withResolvers<void>();
  if (!holds) released.resolve();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    await released.promise;
    const { id, params } = JSON.parse(Buffer.concat(parts).toString()) as { id: number; params: [string[]] };
    const result = params[0].flatMap((hash) => txs.get(hash) ?? []);
    response.setHeader("content-type", "application/json").end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    release: () => released.resolve(),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
