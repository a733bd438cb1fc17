import { constants, gzipSync } from "node:zlib";
import type { Header } from "../jsonrpc/answer.ts";
import type { Answer, BodyRequest, HttpApplication, PlainPost, RequestHead } from "../wire/listener.ts";
import { withPath } from "./path-prefix.ts";

/** A file that is served as it is. Plain data: it crosses threads. */
export interface StaticFile {
  /** Path below the page's, empty for the page itself. */
  readonly name: string;
  /** Changes with the content; without quotes. */
  readonly hash: string;
  readonly headers: readonly Header[];
  readonly bytes: Uint8Array;
}

const PAGE = "/ui";
/** JSON-RPC of the page on a port whose own JSON-RPC does not have what it reads. */
export const PAGE_RPC = `${PAGE}/rpc`;

/** Accept-Encoding that names gzip, other than to refuse it. */
const GZIP = /(?:^|[,\s])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

const TEXT: Header = ["Content-Type", "text/plain; charset=utf-8"];
/** Relative, so that it holds behind a proxy that adds a prefix. */
const TO_PAGE: Answer = { status: 308, headers: [["Location", "ui/"]] };
const notFound = (text: string): Answer => ({ status: 404, headers: [TEXT], body: Buffer.from(text) });
const NOT_FOUND = notFound("Not Found");
const NOT_ALLOWED: Answer = {
  status: 405,
  headers: [TEXT, ["Allow", "GET, HEAD"]],
  body: Buffer.from("Method Not Allowed"),
};

interface Form {
  readonly etag: string;
  readonly headers: readonly Header[];
  readonly body: Uint8Array;
}

/** A file's forms. It is compressed when the first client takes it: most nodes never serve their page. */
class FileForms {
  readonly #file: StaticFile;
  readonly plain: Form;
  #gzip: Form | undefined;

  constructor(file: StaticFile) {
    const etag = `"${file.hash}"`;
    this.#file = file;
    this.plain = { etag, headers: [...file.headers, ["ETag", etag]], body: file.bytes };
  }

  get gzip(): Form {
    const { hash, headers, bytes } = this.#file;
    const etag = `"${hash}-gzip"`;
    this.#gzip ??= {
      etag,
      headers: [...headers, ["Content-Encoding", "gzip"], ["ETag", etag]],
      body: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
    };
    return this.#gzip;
  }
}

/** Serves the files of a page to GET and HEAD below /ui/. All other requests, and those for PAGE_RPC, pass. */
export class PageRoute implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #files: ReadonlyMap<string, FileForms>;

  constructor(inner: HttpApplication, files: readonly StaticFile[]) {
    this.#inner = inner;
    this.#files = new Map(files.map((file) => [`${PAGE}/${file.name}`, new FileForms(file)]));
  }

  get plainPost(): PlainPost | undefined {
    return this.#inner.plainPost;
  }

  get notPlain(): readonly string[] | undefined {
    return this.#inner.notPlain;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const { path } = head;
    if (path !== PAGE && !path.startsWith(`${PAGE}/`)) return this.#inner.receive(head);
    if (path === PAGE_RPC) return this.#inner.receive(head);
    if (head.method !== "GET" && head.method !== "HEAD") return NOT_ALLOWED;
    return path === PAGE ? TO_PAGE : this.#file(path, head);
  }

  #file(path: string, head: RequestHead): Answer {
    const file = this.#files.get(path);
    if (file === undefined) return NOT_FOUND;
    const { etag, headers, body } = GZIP.test(head.header("accept-encoding")) ? file.gzip : file.plain;
    const known = head
      .header("if-none-match")
      .split(",")
      .some((tag) => tag.trim().replace(/^W\//, "") === etag);
    return known ? { status: 304, headers } : { status: 200, headers, body, memory: "shared" };
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}

/** Tells GET and HEAD of a page that this port does not serve where it is. All other requests pass. */
export class PageElsewhere implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #answer: Answer;

  constructor(inner: HttpApplication, text: string) {
    this.#inner = inner;
    this.#answer = notFound(`Not Found: ${text}`);
  }

  get plainPost(): PlainPost | undefined {
    return this.#inner.plainPost;
  }

  get notPlain(): readonly string[] | undefined {
    return this.#inner.notPlain;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const isRead = head.method === "GET" || head.method === "HEAD";
    return isRead && (head.path === PAGE || head.path === `${PAGE}/`) ? this.#answer : this.#inner.receive(head);
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}

/** Gives requests for PAGE_RPC to an application of their own, which sees them as requests for its root. */
export class PageRpcRoute implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #page: HttpApplication;

  constructor(inner: HttpApplication, page: HttpApplication) {
    this.#inner = inner;
    this.#page = page;
  }

  get plainPost(): PlainPost | undefined {
    return this.#inner.plainPost;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    if (head.path !== PAGE_RPC) return this.#inner.receive(head);
    return this.#page.receive(withPath(head, "/"));
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}
