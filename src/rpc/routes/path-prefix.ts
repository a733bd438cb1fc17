import type { Answer, BodyRequest, HttpApplication, RequestHead } from "../wire/listener.ts";
import { originForm } from "../wire/origin-form.ts";

const NOT_FOUND: Answer = {
  status: 404,
  headers: [["Content-Type", "text/plain; charset=utf-8"]],
  body: Buffer.from("Not Found"),
};

/** The same request for another path. */
export function withPath(head: RequestHead, path: string): RequestHead {
  const { method, query } = head;
  return {
    method,
    path,
    query,
    header: (name) => head.header(name),
    client: () => head.client(),
    signal: () => head.signal(),
  };
}

/** Paths of the root below a prefix; the prefix "" is none. */
export function rootPaths(prefix: string): readonly string[] {
  return prefix === "" ? ["/"] : [prefix, `${prefix}/`];
}

/**
 * Serves an application below a path prefix, which the application does not see; all other paths are not found. Has no
 * `plainPost`, which stands for "/".
 */
export class PathPrefix implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #prefix: string;

  /** `prefix`: begins with a slash and ends with none. */
  constructor(inner: HttpApplication, prefix: string) {
    this.#inner = inner;
    this.#prefix = prefix;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const path = originForm(head.path);
    if (!path.startsWith(this.#prefix)) return NOT_FOUND;
    const rest = path.slice(this.#prefix.length);
    if (rest !== "" && !rest.startsWith("/")) return NOT_FOUND;
    return this.#inner.receive(withPath(head, rest || "/"));
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}
