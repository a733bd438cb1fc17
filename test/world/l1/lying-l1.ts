import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RpcCall {
  id: unknown;
  method: string;
  params: unknown[];
}

export interface RpcAnswer {
  jsonrpc: "2.0";
  id: unknown;
  // biome-ignore lint/suspicious/noExplicitAny: whatever an L1 node answers, and lies about it.
  result?: any;
  error?: unknown;
}

/** How an L1 endpoint changes its answers. Absent hooks change nothing. */
export interface Lie {
  /** Replaces the call to the true endpoint. */
  ask?(call: RpcCall): RpcCall;
  /** Replaces the true answer to one call; undefined keeps it. */
  answer?(call: RpcCall, truth: RpcAnswer): RpcAnswer | undefined;
  /** Replaces the list of true answers to one request. */
  answers?(answers: RpcAnswer[], calls: RpcCall[]): unknown;
  /** Writes the HTTP answer itself; `truth` is the body that it should have. */
  respond?(response: ServerResponse, truth: Buffer): void;
}

/** A proxy in front of an L1 endpoint. Passes true answers on until `lie` is set. */
export class LyingL1 {
  lie: Lie | undefined;
  /** Number of changed answers. */
  lies = 0;
  /** Number of received calls. */
  calls = 0;
  readonly #target: string;
  readonly #server: Server;

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer({ maxHeaderSize: 65_536 }, (incoming, response) => {
      this.#handle(incoming, response).catch(() => response.destroy());
    });
  }

  static async inFrontOf(target: string): Promise<LyingL1> {
    const proxy = new LyingL1(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const body = Buffer.concat(parts);
    const headers = { "content-type": "application/json" };
    const asked = JSON.parse(body.toString("utf8")) as RpcCall | RpcCall[];
    this.calls += [asked].flat().length;
    const { lie } = this;
    const { ask } = lie ?? {};
    const forwarded = ask === undefined ? body : JSON.stringify(Array.isArray(asked) ? asked.map(ask) : ask(asked));
    const answered = await fetch(this.#target, { method: "POST", headers, body: forwarded });
    const truth = Buffer.from(await answered.arrayBuffer());
    const given = lie === undefined ? truth : this.#changed(lie, [asked].flat(), truth, Array.isArray(asked));
    if (!given.equals(truth) || lie?.respond !== undefined || lie?.ask !== undefined) this.lies++;
    if (lie?.respond !== undefined) lie.respond(response, given);
    else response.writeHead(200, headers).end(given);
  }

  #changed({ answer, answers }: Lie, calls: RpcCall[], truth: Buffer, batch: boolean): Buffer {
    const items = [JSON.parse(truth.toString("utf8"))].flat() as RpcAnswer[];
    const before = JSON.stringify(items);
    const each = items.map((item) => {
      const call = calls.find(({ id }) => id === item.id);
      return (call && answer?.(call, structuredClone(item))) ?? item;
    });
    const all = answers === undefined ? each : answers(each, calls);
    if (JSON.stringify(all) === before) return truth;
    return Buffer.from(JSON.stringify(batch || !Array.isArray(all) ? all : (all[0] ?? [])));
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }
}
