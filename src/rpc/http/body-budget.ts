import { AnswerBudget } from "./answer-budget.ts";
import type { Answer, BodyRequest, HttpApplication, PlainPost, RequestHead } from "./listener.ts";
import { isBodyRequest } from "./listener.ts";
import { TOO_MANY_BODIES } from "./refusals.ts";

/**
 * Bounds the bytes of request bodies that are being received, decompressed and answered at one time, for ports that
 * take large ones. A compressed body counts as the largest that is allowed, since its length is not known before.
 * Beyond the bound a request is answered with 503, unread; a single body always fits.
 */
export class BodyBudget implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #budget: AnswerBudget;

  constructor(inner: HttpApplication, mostBytes: number) {
    this.#inner = inner;
    this.#budget = new AnswerBudget(mostBytes);
  }

  get plainPost(): PlainPost | undefined {
    return this.#inner.plainPost;
  }

  receive(head: RequestHead, admitted?: boolean): Answer | Promise<Answer> | BodyRequest {
    const outcome = this.#inner.receive(head, admitted);
    if (!isBodyRequest(outcome)) return outcome;
    const bytes = bytesOf(head, outcome.maxBytes);
    if (!this.#budget.take(bytes)) return TOO_MANY_BODIES;
    let held = true;
    const release = (): void => {
      if (held) this.#budget.release(bytes);
      held = false;
    };
    head.signal().addEventListener("abort", release, { once: true });
    return {
      maxBytes: outcome.maxBytes,
      answer: (body) => {
        try {
          const answer = outcome.answer(body);
          if (answer instanceof Promise) return answer.finally(release);
          release();
          return answer;
        } catch (error) {
          release();
          throw error;
        }
      },
      tooLarge: () => {
        release();
        return outcome.tooLarge();
      },
      timedOut: () => {
        release();
        return outcome.timedOut();
      },
    };
  }

  failed(error: unknown): Answer {
    return this.#inner.failed(error);
  }
}

/** The most bytes that a body can have. */
function bytesOf({ header }: Pick<RequestHead, "header">, maxBytes: number): number {
  const length = header("content-length");
  const isPlain = header("content-encoding") === "" && /^\d+$/.test(length);
  return isPlain ? Math.min(Number(length), maxBytes) : maxBytes;
}
