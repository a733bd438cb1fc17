import { createHash, timingSafeEqual } from "node:crypto";
import type { Answer, BodyRequest, HttpApplication, RequestHead } from "../http/listener.ts";

/** Code of the answer to a request without the right key (sheet 02 section 5.3). */
const UNAUTHORIZED = -32000;

const REFUSAL: Answer = {
  status: 401,
  headers: [["Content-Type", "application/json; charset=utf-8"]],
  body: Buffer.from(
    JSON.stringify({
      jsonrpc: "2.0",
      id: null,
      error: { code: UNAUTHORIZED, message: "Unauthorized: invalid or missing API key" },
    }),
  ),
};

/** SHA-256 of a key's text: what is kept of a key. */
export function apiKeyHash(key: string): Uint8Array {
  return createHash("sha256").update(key, "utf8").digest();
}

/** The key that a request presents, "" for none: x-api-key, else Authorization with or without a leading Bearer. */
export function presentedKey({ header }: Pick<RequestHead, "header">): string {
  return header("x-api-key") || header("authorization").replace(/^Bearer\s+/i, "");
}

/**
 * Lets requests through that present the key with this SHA-256 hash, and exactly GET /status without one (sheet 02 section 5.3). The
 * others are answered before any byte of their body is read, the same for a missing and for a wrong key. Digests are compared, in
 * constant time and in every case, so that an answer's time tells nothing about the key.
 */
export class ApiKeyGate implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #hash: Uint8Array;

  /** `hash` has 32 bytes. */
  constructor(inner: HttpApplication, hash: Uint8Array) {
    this.#inner = inner;
    this.#hash = hash;
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const exempt = head.method === "GET" && head.path === "/status";
    return exempt || this.#admits(head) ? this.#inner.receive(head) : REFUSAL;
  }

  #admits(head: RequestHead): boolean {
    return timingSafeEqual(apiKeyHash(presentedKey(head)), this.#hash);
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}
