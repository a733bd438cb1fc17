import { isIP } from "node:net";
import { PAGE_RPC } from "../routes/page-route.ts";
import type { Answer, BodyRequest, HttpApplication, RequestHead } from "../wire/listener.ts";

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
 * Whether a request comes from a page of this very port, under an address or the name localhost. No other name is
 * trusted: a page of any name can rebind that name to this address, and its requests then look like its own.
 */
function isFromOwnPage({ header }: Pick<RequestHead, "header">): boolean {
  const host = header("host").toLowerCase();
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return header("origin").toLowerCase() === `http://${host}` && (name === "localhost" || isIP(name) !== 0);
}

/**
 * Keeps web pages away from an admin port without an API key. Browsers send an Origin header with every POST, including
 * those without a preflight and those to a name that was rebound to this address (DNS rebinding). Exactly GET /status
 * passes, and the calls of the node's own page.
 */
export class OriginGate implements HttpApplication {
  readonly #inner: HttpApplication;

  constructor(inner: HttpApplication) {
    this.#inner = inner;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const exempt = head.method === "GET" && head.path === "/status";
    const own = head.path === PAGE_RPC && isFromOwnPage(head);
    return exempt || own || head.header("origin") === "" ? this.#inner.receive(head) : REFUSAL;
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}
