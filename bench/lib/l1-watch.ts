import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";

interface Call {
  id: number;
  method: string;
  params: unknown[];
}

/** An L1 endpoint in front of another one that notes when a client was first told of each block. */
export class L1Watch {
  readonly url: string;
  /** performance.now() of the first answer that named a block as the latest, by its number. */
  readonly seen = new Map<number, number>();
  readonly #server: Server;

  private constructor(server: Server, port: number, target: string) {
    this.#server = server;
    this.url = `http://127.0.0.1:${port}`;
    server.on("request", (request: IncomingMessage, response) => {
      this.#forward(request, target).then(
        (answer) => response.setHeader("content-type", "application/json").end(answer),
        // The client tries again; with an L1 that is gone the measurement fails anyway.
        () => response.destroy(),
      );
    });
  }

  static async start(target: string): Promise<L1Watch> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
    return new L1Watch(server, address.port, target);
  }

  async #forward(request: IncomingMessage, target: string): Promise<string> {
    const body = await text(request);
    const headers = { "content-type": "application/json" };
    const answer = await (await fetch(target, { method: "POST", headers, body })).text();
    this.#note(JSON.parse(body), answer);
    return answer;
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
      if (!this.seen.has(number)) this.seen.set(number, now);
    }
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
