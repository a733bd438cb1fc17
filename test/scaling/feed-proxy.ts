import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Between a follower and the feed of its upstream: passes bytes on, holds them back, or cuts them off. */
export class FeedProxy {
  /** Port of this machine that new connections go to. */
  target: number;
  /** Bytes of an answer after which its connection is closed, asked for once per connection. */
  cutAfter: () => number = () => Number.POSITIVE_INFINITY;
  /** Answers that were cut off. */
  cuts = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #paused = false;

  static async start(target: number): Promise<FeedProxy> {
    const proxy = new FeedProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  private constructor(target: number) {
    this.target = target;
    this.#server = createServer((follower) => this.#pass(follower));
  }

  #pass(follower: Socket): void {
    const upstream = connect(this.target, "127.0.0.1");
    let left = this.cutAfter();
    follower.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      if (bytes.length <= left) {
        follower.write(bytes);
        left -= bytes.length;
        return;
      }
      this.cuts += 1;
      follower.end(bytes.subarray(0, left));
      upstream.destroy();
    });
    upstream.on("end", () => follower.end());
    for (const [one, other] of [
      [follower, upstream],
      [upstream, follower],
    ]) {
      this.#sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        if (one === follower) other.destroy();
        else other.end();
      });
    }
    if (this.#paused) upstream.pause();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Holds back what the upstream sends, or goes on. */
  pause(paused: boolean): void {
    this.#paused = paused;
    for (const socket of this.#sockets) {
      if (paused) socket.pause();
      else socket.resume();
    }
  }

  /** Closes all connections, as when the other machine is restarted. */
  disconnect(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  stop(): void {
    this.#server.close();
    this.disconnect();
  }
}
