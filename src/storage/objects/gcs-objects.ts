import { setTimeout as sleep } from "node:timers/promises";
import { HttpError } from "../../http/errors.ts";
import type { WholeReply } from "../../http/exchange.ts";
import { isTemporary, isTemporaryError } from "../../http/retry.ts";
import { HttpObjects, objectUrl } from "./http-objects.ts";
import type { ObjectBody, ObjectReader, ObjectStore, ReadOptions, WriteOptions } from "./object-store.ts";
import type { ObjectTransport } from "./object-transport.ts";
import { cut, once, type Piece } from "./pieces.ts";

/** Body size of one request; resumable uploads require a multiple of 256 KiB. */
const PIECE_BYTES = 32 * 1024 * 1024;
/** Status of a session that expects more data. */
const RESUME = 308;

interface GcsObjectsOptions {
  /** URL of bucket and prefix at the XML API. */
  base: URL;
  transport: ObjectTransport;
  pieceBytes?: number;
}

/** Objects in a Google Cloud Storage bucket, over its XML API. Bodies longer than one piece use a resumable upload. */
export class GcsObjects implements ObjectStore {
  readonly name: string;
  readonly #base: URL;
  readonly #transport: ObjectTransport;
  readonly #reader: ObjectReader;
  readonly #pieceBytes: number;

  constructor({ base, transport, pieceBytes = PIECE_BYTES }: GcsObjectsOptions) {
    this.name = transport.name;
    this.#base = base;
    this.#transport = transport;
    this.#reader = new HttpObjects(base, transport);
    this.#pieceBytes = pieceBytes;
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
    const pieces = cut(content instanceof Uint8Array ? once(content) : content, this.#pieceBytes);
    const url = objectUrl(this.#base, key);
    try {
      const first = await pieces.next();
      if (first.done || first.value.last) {
        const body = first.value?.bytes ?? new Uint8Array();
        await this.#withAcl(key, options, (headers) =>
          this.#transport.whole("write", key, { method: "PUT", url, headers, body, signal }),
        );
        return;
      }
      const started = await this.#withAcl(key, options, (headers) =>
        this.#transport.whole("write", key, {
          method: "POST",
          url,
          headers: { ...headers, "x-goog-resumable": "start" },
          body: "",
          signal,
        }),
      );
      const session = URL.parse(started.headers.get("location") ?? "");
      if (session === null) throw this.#transport.fail("write", key, "the store names no upload session");
      let at = 0;
      for (let piece: Piece = first.value; ; ) {
        await this.#send(key, session, at, piece, signal);
        at += piece.bytes.length;
        if (piece.last) return;
        const next = await pieces.next();
        if (next.done) return;
        piece = next.value;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  /** Sends one piece. If the store received only part of it, resends the rest. */
  async #send(key: string, session: URL, at: number, { bytes, last }: Piece, signal?: AbortSignal): Promise<void> {
    const end = at + bytes.length;
    const total = last ? String(end) : "*";
    let from = at;
    for (const delay of [...this.#transport.retryDelaysMs, undefined]) {
      let failure: unknown;
      try {
        const range = from < end ? `bytes ${from}-${end - 1}/${total}` : `bytes */${total}`;
        const body = bytes.subarray(from - at);
        const reply = await this.#transport.wholeOnce({
          method: "PUT",
          url: session,
          headers: { "content-range": range },
          body,
          signal,
        });
        if (last && reply.status >= 200 && reply.status < 300) return;
        if (reply.status === RESUME) {
          from = received(reply);
          if (!last && from === end) return;
          if (from < at || from > end) {
            throw this.#transport.fail("write", key, `the store has ${from} bytes where ${at} to ${end} were sent`);
          }
          continue;
        }
        if (!isTemporary(reply.status)) throw this.#transport.fail("write", key, `HTTP status ${reply.status}`);
        failure = `HTTP status ${reply.status}`;
      } catch (error) {
        if (!(error instanceof HttpError)) throw error;
        failure = error.message;
        if (!isTemporaryError(error)) throw this.#transport.fail("write", key, String(failure), error);
      }
      if (delay === undefined || signal?.aborted) throw this.#transport.fail("write", key, String(failure));
      await sleep(delay, undefined, { signal }).catch(() => undefined);
      const asked = { method: "PUT", url: session, headers: { "content-range": `bytes */${total}` }, signal } as const;
      const state = await this.#transport.whole("write", key, { ...asked, body: "" });
      if (state.status >= 200 && state.status < 300) return;
      if (state.status === RESUME) from = Math.max(at, received(state));
    }
    throw this.#transport.fail("write", key, "the store takes less than it is sent");
  }

  /**
   * Buckets with uniform access refuse per-object ACLs, so the write is retried without one; the bucket policy then
   * applies.
   */
  async #withAcl(
    key: string,
    options: WriteOptions,
    write: (headers: Record<string, string>) => Promise<WholeReply>,
  ): Promise<WholeReply> {
    const headers: Record<string, string> = { "content-type": options.contentType ?? "application/octet-stream" };
    if (options.contentEncoding !== undefined) headers["content-encoding"] = options.contentEncoding;
    if (options.cacheControl !== undefined) headers["cache-control"] = options.cacheControl;
    let reply = await write(options.publicRead ? { ...headers, "x-goog-acl": "public-read" } : headers);
    if (options.publicRead && [400, 412].includes(reply.status) && /uniform/i.test(reply.body.toString())) {
      reply = await write(headers);
    }
    if (reply.status >= 200 && reply.status < 300) return reply;
    throw this.#transport.fail("write", key, `HTTP status ${reply.status}`);
  }
}

/** Bytes received by the session, from the Range header of the reply. */
function received(reply: WholeReply): number {
  const match = /^bytes=0-(\d+)$/.exec(reply.headers.get("range") ?? "");
  return match === null ? 0 : Number(match[1]) + 1;
}
