import type { Answer, BodyRequest, HttpApplication, RequestHead } from "../http/listener.ts";

/** Same error code as for a missing API key. */
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
 * Keeps web pages away from an admin port without an API key. Browsers send an Origin header with every POST, including
 * those without a preflight and those to a name that was rebound to this address (DNS rebinding). Exactly GET /status
 * passes.
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
