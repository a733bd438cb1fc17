import { connect, createServer, type Server, type Socket } from "node:net";
import { networkInterfaces } from "node:os";

/** Of this machine, not of loopback where there is another: parts may treat loopback differently. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}

/** Forwards TCP connections and counts their bytes. */
export class CountingProxy {
  readonly url: string;
  /** From clients. */
  sent = 0;
  /** To clients. */
  received = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, host: string, port: number, target: number) {
    this.#server = server;
    this.url = `http://${host}:${port}`;
    server.on("connection", (client) => this.#forward(client, target));
  }

  /** Forwards to a port of this machine. */
  static async start(target: number): Promise<CountingProxy> {
    const server = createServer({ noDelay: true });
    const host = ownAddress();
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    const address = server.address();
    if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
    return new CountingProxy(server, host, address.port, target);
  }

  #forward(client: Socket, target: number): void {
    const server = connect({ port: target, host: "127.0.0.1", noDelay: true });
    client.on("data", (part) => {
      this.sent += part.length;
    });
    server.on("data", (part) => {
      this.received += part.length;
    });
    client.pipe(server);
    server.pipe(client);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      // Either side may leave at any time; the other one's client tries again.
      socket.on("error", () => {});
      socket.once("close", () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
