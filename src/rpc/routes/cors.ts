import type { Header } from "../jsonrpc/answer.ts";
import type { Answer, BodyRequest, HttpApplication, PlainPost, RequestHead } from "../wire/listener.ts";

const ALLOW_ORIGIN = "access-control-allow-origin";
const VARY: Header = ["Vary", "Accept-Encoding, Origin"];
const METHODS: Header = ["Access-Control-Allow-Methods", "GET,HEAD,POST"];
/** Time for which a browser need not ask again. Seconds. */
const MAX_AGE: Header = ["Access-Control-Max-Age", "600"];

/**
 * Lets pages of the listed origins read answers, in place of pages of any origin. Requests with another Origin are
 * answered too, but a browser keeps the answers from their page: this protects users, not the node.
 */
export class OriginList implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #origins: ReadonlySet<string>;

  /** `origins` as browsers send them: scheme, host and port, in lower case. */
  constructor(inner: HttpApplication, origins: readonly string[]) {
    this.#inner = inner;
    this.#origins = new Set(origins);
  }

  /** For requests that no page made. */
  get plainPost(): PlainPost | undefined {
    return this.#inner.plainPost;
  }

  get notPlain(): readonly string[] {
    return [...(this.#inner.notPlain ?? []), "origin"];
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const origin = head.header("origin");
    const allowed = this.#origins.has(origin) ? origin : undefined;
    if (head.method === "OPTIONS" && head.header("access-control-request-method") !== "") {
      const asked = head.header("access-control-request-headers");
      const headers: Header[] = asked === "" ? [] : [["Access-Control-Allow-Headers", asked]];
      return this.#answered({ status: 204, headers: [METHODS, MAX_AGE, ...headers] }, allowed);
    }
    const outcome = this.#inner.receive(head);
    if (outcome instanceof Promise) return outcome.then((answer) => this.#answered(answer, allowed));
    if (!("maxBytes" in outcome)) return this.#answered(outcome, allowed);
    return {
      maxBytes: outcome.maxBytes,
      answer: (body, inflate) => {
        const answer = outcome.answer(body, inflate);
        return answer instanceof Promise
          ? answer.then((settled) => this.#answered(settled, allowed))
          : this.#answered(answer, allowed);
      },
      tooLarge: () => this.#answered(outcome.tooLarge(), allowed),
      timedOut: () => this.#answered(outcome.timedOut(), allowed),
    };
  }

  #answered(answer: Answer, origin: string | undefined): Answer {
    const rest = answer.headers.filter(([name]) => !["vary", ALLOW_ORIGIN].includes(name.toLowerCase()));
    const allow: Header[] = origin === undefined ? [] : [["Access-Control-Allow-Origin", origin]];
    return { ...answer, headers: [...rest, VARY, ...allow] };
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}
