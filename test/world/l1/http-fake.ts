import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * What a fake answers: a JSON value, raw content with a status, whatever a function writes, or nothing at all
 * ("silence").
 */
export type FakeAnswer =
  | { json: unknown; status?: number }
  | { raw: string | Uint8Array; status?: number; type?: string }
  | { write: (response: ServerResponse) => void }
  | "silence";

export interface FakeRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface HttpFake {
  url: string;
  /** Requests so far. */
  seen: FakeRequest[];
  close(): Promise<void>;
}

/** A server on a free port of this machine that answers every request by `answer`. */
export async function httpFake(answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>): Promise<HttpFake> {
  const seen: FakeRequest[] = [];
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const request = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: Buffer.concat(parts).toString(),
    };
    seen.push(request);
    const given = await answer(request);
    if (given === "silence") return;
    if ("write" in given) return given.write(response);
    const json = "json" in given;
    response.writeHead(given.status ?? 200, {
      "content-type": json ? "application/json" : (given.type ?? "text/html"),
    });
    response.end(json ? JSON.stringify(given.json) : given.raw);
  };
  const server: Server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers 200 and then the bytes of `content`, one every `everyMs`; spaces without end when there is no content. */
export function drip(everyMs: number, content?: Uint8Array): FakeAnswer {
  return {
    write(response) {
      response.writeHead(200, { "content-type": "application/octet-stream" });
      let at = 0;
      const timer = setInterval(() => {
        if (content !== undefined && at >= content.length) response.end();
        else response.write(content === undefined ? " " : content.subarray(at, ++at));
      }, everyMs);
      response.once("close", () => clearInterval(timer));
    },
  };
}

/** A URL of this machine that nothing listens at. */
export async function deadUrl(): Promise<string> {
  const fake = await httpFake(() => "silence");
  await fake.close();
  return fake.url;
}

type RpcHandler = (method: string, params: unknown[]) => unknown;

/** Thrown by a handler of rpcFake: the JSON-RPC error to answer. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;
  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A JSON-RPC server, batches included; answers of a batch come in reverse order, as the protocol allows. */
export function rpcFake(handler: RpcHandler): Promise<HttpFake> {
  const one = ({ id, method, params }: { id: unknown; method: string; params: unknown[] }) => {
    try {
      return { jsonrpc: "2.0", id, result: handler(method, params) };
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message, data: error.data } };
    }
  };
  return httpFake(({ body }) => {
    const request = JSON.parse(body);
    return { json: Array.isArray(request) ? request.map(one).reverse() : one(request) };
  });
}
