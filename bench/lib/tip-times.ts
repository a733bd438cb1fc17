import { once } from "node:events";
import { WebSocket } from "ws";

/** When a node told of its tips, by the tips. */
export class TipTimes {
  /** performance.now() of the first notification of each tips. */
  readonly seen = new Map<string, number>();
  readonly #socket: WebSocket;

  static async of(url: string): Promise<TipTimes> {
    const socket = new WebSocket(url.replace(/^http/, "ws"));
    const times = new TipTimes(socket);
    await once(socket, "open");
    socket.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "svc_subscribe", params: ["tips"] }));
    return times;
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      const at = performance.now();
      const { method, params } = JSON.parse(data.toString());
      if (method === undefined) return;
      const tips = JSON.stringify(params.event.tips);
      if (!this.seen.has(tips)) this.seen.set(tips, at);
    });
  }

  close(): void {
    this.#socket.terminate();
  }
}

/** Milliseconds from the notification of the first node to that of the second, for each tips that both told of. */
export function lagsBetween(first: TipTimes, second: TipTimes): number[] {
  return [...first.seen].flatMap(([tips, at]) => {
    const later = second.seen.get(tips);
    return later === undefined ? [] : [later - at];
  });
}
