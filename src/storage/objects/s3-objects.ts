import type { WholeReply } from "../../http/exchange.ts";
import { HttpObjects, objectUrl } from "./http-objects.ts";
import type { ObjectBody, ObjectReader, ObjectStore, ReadOptions, WriteOptions } from "./object-store.ts";
import type { ObjectTransport } from "./object-transport.ts";
import { cut, once } from "./pieces.ts";

/**
 * Body size of one request. S3 accepts 10,000 parts, which limits objects to 312 GiB. All parts of an object have the
 * same size.
 */
const PART_BYTES = 32 * 1024 * 1024;
const MAX_PARTS = 10_000;
/** Time limit for aborting an upload at the store. Short, because the caller may be stopping. */
const ABANDON_LIMIT_MS = 3000;

interface S3ObjectsOptions {
  /** URL of bucket and prefix at the endpoint. */
  base: URL;
  transport: ObjectTransport;
  /** Reader for the publicBaseUrl, used for unsigned reads instead of the endpoint. */
  publicReader?: ObjectReader;
  partBytes?: number;
}

interface Content {
  body?: Uint8Array | string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

function tag(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
}

/**
 * Objects in an S3 bucket. Bodies longer than one part use a multipart upload, with one part in memory while the next
 * is read.
 */
export class S3Objects implements ObjectStore {
  readonly name: string;
  readonly #base: URL;
  readonly #transport: ObjectTransport;
  readonly #reader: ObjectReader;
  readonly #partBytes: number;

  constructor({ base, transport, publicReader, partBytes = PART_BYTES }: S3ObjectsOptions) {
    this.name = transport.name;
    this.#base = base;
    this.#transport = transport;
    this.#reader = publicReader ?? new HttpObjects(base, transport);
    this.#partBytes = partBytes;
  }

  get(key: string, options?: ReadOptions): Promise<Uint8Array | undefined> {
    return this.#reader.get(key, options);
  }

  has(key: string, signal?: AbortSignal): Promise<boolean> {
    return this.#reader.has(key, signal);
  }

  open(key: string, signal?: AbortSignal): Promise<ObjectBody | undefined> {
    return this.#reader.open(key, signal);
  }

  async put(key: string, content: Uint8Array | AsyncIterable<Uint8Array>, options: WriteOptions = {}): Promise<void> {
    const { signal } = options;
    const parts = cut(content instanceof Uint8Array ? once(content) : content, this.#partBytes);
    const first = await parts.next();
    if (first.done || first.value.last) {
      const body = first.value?.bytes ?? new Uint8Array();
      await this.#withAcl(key, options, (headers) => this.#exchange(key, "PUT", "", { body, headers, signal }));
      return;
    }
    const created = await this.#withAcl(key, options, (headers) =>
      this.#exchange(key, "POST", "?uploads", { headers, signal }),
    );
    const uploadId = tag(created.body.toString(), "UploadId");
    if (uploadId === undefined) throw this.#transport.fail("write", key, "the store names no multipart upload");
    const upload = `uploadId=${encodeURIComponent(uploadId)}`;
    try {
      const done: string[] = [];
      for (let piece = first.value; ; ) {
        const number = done.length + 1;
        if (number > MAX_PARTS) {
          throw this.#transport.fail("write", key, `it is longer than ${MAX_PARTS} parts of ${this.#partBytes} bytes`);
        }
        const query = `?partNumber=${number}&${upload}`;
        const { headers } = await this.#write(key, "PUT", query, { body: piece.bytes, signal });
        const etag = headers.get("etag");
        if (etag === null) throw this.#transport.fail("write", key, `the store gave no ETag for part ${number}`);
        done.push(`<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
        if (piece.last) break;
        const next = await parts.next();
        if (next.done) break;
        piece = next.value;
      }
      const body = `<CompleteMultipartUpload>${done.join("")}</CompleteMultipartUpload>`;
      const completed = await this.#write(key, "POST", `?${upload}`, { body, signal });
      // The store sends the status before it has assembled the parts; a later failure is in the body.
      const code = tag(completed.body.toString(), "Code");
      if (code !== undefined) throw this.#transport.fail("write", key, `the store refused the parts: ${code}`);
    } catch (error) {
      const url = new URL(`?${upload}`, objectUrl(this.#base, key));
      const brief = AbortSignal.timeout(ABANDON_LIMIT_MS);
      await this.#transport.wholeOnce({ method: "DELETE", url, signal: brief }).catch(() => undefined);
      throw error;
    } finally {
      await parts.return(undefined);
    }
  }

  async #write(key: string, method: "PUT" | "POST", query: string, content: Content): Promise<WholeReply> {
    return this.#accepted(key, await this.#exchange(key, method, query, content));
  }

  #exchange(key: string, method: "PUT" | "POST", query: string, content: Content): Promise<WholeReply> {
    return this.#transport.whole("write", key, { method, url: new URL(query, objectUrl(this.#base, key)), ...content });
  }

  #accepted(key: string, reply: WholeReply): WholeReply {
    if (reply.status >= 200 && reply.status < 300) return reply;
    const code = tag(reply.body.toString(), "Code");
    const rule = `HTTP status ${reply.status}${code === undefined ? "" : ` (${code})`}`;
    throw this.#transport.fail("write", key, rule);
  }

  /**
   * Buckets with disabled ACLs refuse the header, so the write is retried without it; the bucket policy then applies.
   */
  async #withAcl(
    key: string,
    options: WriteOptions,
    write: (headers: Record<string, string>) => Promise<WholeReply>,
  ): Promise<WholeReply> {
    const headers: Record<string, string> = { "content-type": options.contentType ?? "application/octet-stream" };
    if (options.contentEncoding !== undefined) headers["content-encoding"] = options.contentEncoding;
    if (options.cacheControl !== undefined) headers["cache-control"] = options.cacheControl;
    let reply = await write(options.publicRead ? { ...headers, "x-amz-acl": "public-read" } : headers);
    if (options.publicRead && tag(reply.body.toString(), "Code") === "AccessControlListNotSupported") {
      reply = await write(headers);
    }
    return this.#accepted(key, reply);
  }
}
