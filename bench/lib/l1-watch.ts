import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

/** An L1 endpoint in front of another one, blobs included, that notes when a client was first told of each block. */
export class L1Watch {
  readonly url: string;
  /** Numbers of blocks that answers named as the latest, ascending, and performance.now() of the first of each. */
  readonly #seen: { number: number; at: number }[] = [];
  readonly #server: Server;

  private constructor(server: Server, port: number, target: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      // The client tries again; with an L1 that is gone the measurement fails anyway.
      this.#forward(request, response, target).catch(() => response.destroy());
    });
  }

  static async start(target: string): Promise<L1Watch> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
    return new L1Watch(server, address.port, target);
  }

  async #forward(request: IncomingMessage, response: ServerResponse, target: string): Promise<void> {
    const { method, url = "/" } = request;
    const isCall = method === "POST";
    const body = isCall ? await text(request) : undefined;
    const headers = { "content-type": "application/json", accept: request.headers.accept ?? "*/*" };
    const answer = await fetch(new URL(url, target), { method, headers, body });
    const bytes = Buffer.from(await answer.arrayBuffer());
    if (body !== undefined) this.#note(JSON.parse(body), bytes.toString());
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(bytes);
  }

  #note(sent: Call | Call[], answer: string): void {
    const latest = [sent]
      .flat()
      .filter(({ method, params }) => method === "eth_getBlockByNumber" && params[0] === "latest")
      .map(({ id }) => id);
    if (latest.length === 0) return;
    const now = performance.now();
    for (const { id, result } of [JSON.parse(answer)].flat()) {
      if (!latest.includes(id) || result === null) continue;
      const number = Number(result.number);
      if (number > (this.#seen.at(-1)?.number ?? -1)) this.#seen.push({ number, at: now });
    }
  }

  /** When a client was first told of a block: by its number as the latest, or by that of a later one. */
  seenAt(block: number): number | undefined {
    return this.#seen.find(({ number }) => number >= block)?.at;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
