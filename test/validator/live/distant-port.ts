import { createConnection, createServer, type Server, type Socket } from "node:net";

/**
 * Listens on a port of loopback and relays each connection to another one, every byte `delayMs` later in both
 * directions: what is behind it seems far away.
 */
export class DistantPort {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor({ port, to, delayMs }: { port: number; to: number; delayMs: number }) {
    this.#server = createServer((near) => {
      const far = createConnection(to, "127.0.0.1");
      this.#relay(near, far, delayMs);
      this.#relay(far, near, delayMs);
    });
    this.#server.listen(port, "127.0.0.1");
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #relay(from: Socket, to: Socket, delayMs: number): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on("data", (bytes) => setTimeout(() => to.write(bytes), delayMs));
    from.on("error", () => {});
    from.on("close", () => {
      this.#sockets.delete(from);
      setTimeout(() => to.destroy(), delayMs);
    });
  }
}
