import type { Answer, BodyRequest, HttpApplication, RequestHead } from "../http/listener.ts";

/** As that of a request without the right key. */
const FORBIDDEN = -32000;

const REFUSAL: Answer = {
  status: 403,
  headers: [["Content-Type", "application/json; charset=utf-8"]],
  body: Buffer.from(
    JSON.stringify({
      jsonrpc: "2.0",
      id: null,
      error: { code: FORBIDDEN, message: "Forbidden: without an API key, requests with an Origin header are refused" },
    }),
  ),
};

/**
 * Keeps web pages from an admin port that asks for no key: browsers send an Origin header with every POST, also one that needs no
 * preflight and one to a name that was bound anew to this address. Exactly GET /status is let through.
 */
export class OriginGate implements HttpApplication {
  readonly #inner: HttpApplication;

  constructor(inner: HttpApplication) {
    this.#inner = inner;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const exempt = head.method === "GET" && head.path === "/status";
    return exempt || head.header("origin") === "" ? this.#inner.receive(head) : REFUSAL;
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}
