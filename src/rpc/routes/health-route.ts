import type { Answer, BodyRequest, HttpApplication, PlainPost, RequestHead } from "../wire/listener.ts";

const HEALTHY: Answer = {
  status: 200,
  headers: [["Content-Type", "text/plain; charset=utf-8"]],
  body: Buffer.from("OK"),
};

/** Adds GET and HEAD /health, which always answer 200. */
export class HealthRoute implements HttpApplication {
  readonly #inner: HttpApplication;

  constructor(inner: HttpApplication) {
    this.#inner = inner;
  }

  get plainPost(): PlainPost | undefined {
    return this.#inner.plainPost;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const asked = head.path === "/health" && (head.method === "GET" || head.method === "HEAD");
    return asked ? HEALTHY : this.#inner.receive(head);
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}
