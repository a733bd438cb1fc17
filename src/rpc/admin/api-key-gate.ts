import { createHash, timingSafeEqual } from "node:crypto";
import type { Answer, BodyRequest, HttpApplication, RequestHead } from "../wire/listener.ts";

/** Error code of the answer to a request without a valid key (docs/protocol/05-rpc.md#534-admin-access). */
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

/** SHA-256 of a key's text; only this hash is stored. */
export function apiKeyHash(key: string): Uint8Array {
  return createHash("sha256").update(key, "utf8").digest();
}

/** The key of a request, "" if there is none: x-api-key, else Authorization with or without a leading Bearer. */
export function presentedKey({ header }: Pick<RequestHead, "header">): string {
  return header("x-api-key") || header("authorization").replace(/^Bearer\s+/i, "");
}

/**
 * Passes requests whose key has this SHA-256 hash, and exactly GET /status without a key
 * (docs/protocol/05-rpc.md#534-admin-access). All others are answered before any byte of their body is read, with one
 * answer for missing and wrong keys. Digests are compared in constant time and for every request, so that the response
 * time reveals nothing about the key.
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
