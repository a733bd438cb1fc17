import type { Header } from "../jsonrpc/answer.ts";
import type { Answer, BodyRequest, HttpApplication, PlainPost, RequestHead } from "../wire/listener.ts";
import type { ApiKey } from "./api-key.ts";
import type { KeyRing } from "./key-ring.ts";

/** Same error code as of the admin port (docs/protocol/05-rpc.md#534-admin-access). */
const UNAUTHORIZED = -32000;
export const NO_KEY = "Unauthorized: an API key is required";
export const INVALID_KEY = "Unauthorized: invalid API key";
const KEY_HEADERS = ["x-api-key", "authorization"];
const WITHOUT_KEY = new Set(["/status", "/live", "/ready"]);

/** The key of a request, "" without one: x-api-key, else Authorization of scheme Bearer. */
export function presentedKey({ header }: Pick<RequestHead, "header">): string {
  return header("x-api-key") || (/^Bearer\s+(.*)$/i.exec(header("authorization"))?.[1] ?? "");
}

interface KeyRouteOptions {
  ring: KeyRing;
  /** Whether requests without a key are refused. */
  required: boolean;
  /** Answers the requests made with a key. */
  applicationFor(key: ApiKey): HttpApplication;
  /** Of refusals. */
  headers: readonly Header[];
}

/**
 * Gives requests with a valid key to the application for that key, and those without a key to the ordinary one, or
 * refuses them. A key that is not valid is refused always, before the body is read. Health checks and preflights need
 * no key.
 */
export class KeyRoute implements HttpApplication {
  readonly #ordinary: HttpApplication;
  readonly #options: KeyRouteOptions;
  readonly #missing: Answer;
  readonly #wrong: Answer;

  constructor(ordinary: HttpApplication, options: KeyRouteOptions) {
    this.#ordinary = ordinary;
    this.#options = options;
    this.#missing = unauthorized(NO_KEY, options.headers);
    this.#wrong = unauthorized(INVALID_KEY, options.headers);
  }

  /** For requests without a key. */
  get plainPost(): PlainPost | undefined {
    return this.#options.required ? undefined : this.#ordinary.plainPost;
  }

  get notPlain(): readonly string[] {
    return [...(this.#ordinary.notPlain ?? []), ...KEY_HEADERS];
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const { ring, required, applicationFor } = this.#options;
    const presented = head.method === "OPTIONS" || WITHOUT_KEY.has(head.path) ? undefined : presentedKey(head);
    if (presented === undefined) return this.#ordinary.receive(head);
    if (presented === "") return required ? this.#missing : this.#ordinary.receive(head);
    const key = ring.find(presented);
    return key === undefined ? this.#wrong : applicationFor(key).receive(head);
  }

  failed(error: unknown): Answer {
    return this.#ordinary.failed(error);
  }
}

export function unauthorized(message: string, headers: readonly Header[]): Answer {
  const error = { code: UNAUTHORIZED, message };
  return {
    status: 401,
    headers: [
      ["Content-Type", "application/json; charset=utf-8"],
      ["Cache-Control", "no-store"],
      ["WWW-Authenticate", "Bearer"],
      ...headers,
    ],
    body: Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: null, error })),
  };
}
