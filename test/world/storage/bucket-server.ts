import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface SeenCall {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

export interface StoredObject {
  body: Buffer;
  headers: IncomingMessage["headers"];
}

/** Answers a call in place of the bucket when it returns true. */
export type Intercept = (call: SeenCall, response: ServerResponse) => boolean;

/**
 * A bucket in memory on a free port, with what the stores use of the S3 and Google XML APIs: objects, ranges, multipart
 * uploads, resumable uploads. It checks no signatures; tests look at them in `seen`.
 */
export class BucketServer {
  readonly objects = new Map<string, StoredObject>();
  readonly seen: SeenCall[] = [];
  readonly uploads = new Map<string, Map<number, Buffer>>();
  intercept: Intercept = () => false;
  /** Maximum number of bytes of a resumable piece that the server accepts at once. */
  takes = Number.POSITIVE_INFINITY;
  readonly #server = createServer((incoming, response) => void this.#handle(incoming, response));
  readonly #sessions = new Map<string, { key: string; headers: IncomingMessage["headers"]; bytes: Buffer }>();

  static async start(): Promise<BucketServer> {
    const bucket = new BucketServer();
    await new Promise<void>((resolve) => bucket.#server.listen(0, "127.0.0.1", resolve));
    return bucket;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part);
    const url = new URL(incoming.url ?? "", this.url);
    const call = { method: incoming.method ?? "", url, headers: incoming.headers, body: Buffer.concat(parts) };
    this.seen.push(call);
    if (this.intercept(call, response)) return;
    if (call.method === "GET" || call.method === "HEAD") this.#read(call, response);
    else this.#write(call, response);
  }

  #read({ method, url, headers }: SeenCall, response: ServerResponse): void {
    const object = this.objects.get(url.pathname);
    if (object === undefined) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${createHash("md5").update(object.body).digest("hex")}"`;
    const [, from] = /^bytes=(\d+)-$/.exec(headers.range ?? "") ?? [];
    const resumed = from !== undefined && headers["if-range"] === etag;
    const body = resumed ? object.body.subarray(Number(from)) : object.body;
    const range = `bytes ${from}-${object.body.length - 1}/${object.body.length}`;
    response.writeHead(resumed ? 206 : 200, {
      etag,
      "content-length": body.length,
      ...(resumed ? { "content-range": range } : {}),
    });
    response.end(method === "HEAD" ? undefined : body);
  }

  #write({ method, url, headers, body }: SeenCall, response: ServerResponse): void {
    const query = url.searchParams;
    const uploadId = query.get("uploadId");
    if (query.has("session")) this.#resume(query.get("session") ?? "", headers, body, response);
    else if (headers["x-goog-resumable"] === "start") {
      const session = `s${this.#sessions.size}`;
      this.#sessions.set(session, { key: url.pathname, headers, bytes: Buffer.alloc(0) });
      response.writeHead(201, { location: `${this.url}/upload?session=${session}` }).end();
    } else if (query.has("uploads")) {
      // A store may answer ids in base64, which need escaping in a query.
      const id = `id+${this.uploads.size}/==`;
      this.uploads.set(id, new Map());
      this.objects.set(`${url.pathname}?${id}`, { body, headers });
      response.end(`<R><UploadId>${id}</UploadId></R>`);
    } else if (uploadId !== null) this.#multipart(uploadId, method, url, body, response);
    else {
      this.objects.set(url.pathname, { body, headers });
      response.writeHead(200).end();
    }
  }

  #multipart(id: string, method: string, url: URL, body: Buffer, response: ServerResponse): void {
    const parts = this.uploads.get(id);
    const created = this.objects.get(`${url.pathname}?${id}`);
    if (parts === undefined || created === undefined) {
      response.writeHead(404).end("<Error><Code>NoSuchUpload</Code></Error>");
      return;
    }
    if (method === "PUT") {
      const number = Number(url.searchParams.get("partNumber"));
      parts.set(number, body);
      response.writeHead(200, { etag: `"part-${number}-${body.length}"` }).end();
      return;
    }
    if (method === "POST") {
      const named = [
        ...body.toString().matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>"part-\1-(\d+)"<\/ETag><\/Part>/g),
      ];
      const all = named.map(([, number]) => parts.get(Number(number))!);
      this.objects.set(url.pathname, { body: Buffer.concat(all), headers: created.headers });
      response.end("<CompleteMultipartUploadResult/>");
    } else response.writeHead(204).end();
    this.uploads.delete(id);
    this.objects.delete(`${url.pathname}?${id}`);
  }

  #resume(id: string, headers: IncomingMessage["headers"], body: Buffer, response: ServerResponse): void {
    const session = this.#sessions.get(id);
    const match = /^bytes (?:(\d+)-\d+|\*)\/(\d+|\*)$/.exec(headers["content-range"] ?? "");
    if (session === undefined || match === null) {
      response.writeHead(400).end();
      return;
    }
    const [, from, total] = match;
    if (from !== undefined) {
      if (Number(from) !== session.bytes.length) {
        response.writeHead(400).end();
        return;
      }
      session.bytes = Buffer.concat([session.bytes, body.subarray(0, this.takes)]);
    }
    if (total !== "*" && Number(total) === session.bytes.length) {
      this.objects.set(session.key, { body: session.bytes, headers: session.headers });
      response.writeHead(200).end();
      return;
    }
    const range = session.bytes.length === 0 ? {} : { range: `bytes=0-${session.bytes.length - 1}` };
    response.writeHead(308, range).end();
  }
}
