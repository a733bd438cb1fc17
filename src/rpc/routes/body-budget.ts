import { AnswerBudget } from "../limits/answer-budget.ts";
import type { Answer, BodyRequest, HttpApplication, Inflate, PlainPost, RequestHead } from "../wire/listener.ts";
import { isBodyRequest } from "../wire/listener.ts";
import { TOO_MANY_BODIES } from "../wire/refusals.ts";

/** Bodies up to this length that arrive in one read are answered without being counted. */
const UNCOUNTED_BYTES = 8 * 1024;

/**
 * Bounds the bytes of request bodies that are being received and answered at one time, for ports that take large ones:
 * half of the bound as they are sent, half as they are decompressed. A request whose body has no room is answered with
 * 503, unread. A body that came waits for its turn to be decompressed, in which it counts as the largest that is
 * allowed, since its length is not known before. A single body always fits.
 */
export class BodyBudget implements HttpApplication {
  readonly #inner: HttpApplication;
  readonly #sent: AnswerBudget;
  readonly #inflated: AnswerBudget;
  /** Try to begin; false while there is no room. */
  readonly #turns: (() => boolean)[] = [];

  constructor(inner: HttpApplication, limit: number) {
    this.#inner = inner;
    this.#sent = new AnswerBudget(limit / 2);
    this.#inflated = new AnswerBudget(limit / 2);
  }

  get plainPost(): PlainPost | undefined {
    const inner = this.#inner.plainPost;
    return inner && { ...inner, maxBytes: Math.min(inner.maxBytes, UNCOUNTED_BYTES) };
  }

  receive(head: RequestHead): Answer | Promise<Answer> | BodyRequest {
    const outcome = this.#inner.receive(head);
    if (!isBodyRequest(outcome)) return outcome;
    const { maxBytes } = outcome;
    const length = head.header("content-length");
    const sent = /^\d+$/.test(length) ? Math.min(Number(length), maxBytes) : maxBytes;
    if (!this.#sent.take(sent)) return TOO_MANY_BODIES;
    let inflated = 0;
    let held = true;
    const release = (): void => {
      if (held) this.#sent.release(sent);
      held = false;
      this.#release(inflated);
      inflated = 0;
    };
    const inflate: Inflate = async (decompress) => {
      await this.#turn(maxBytes);
      inflated = maxBytes;
      const body = await decompress();
      this.#release(maxBytes - body.length);
      inflated = body.length;
      return body;
    };
    let answering = false;
    head.signal().addEventListener("abort", () => answering || release(), { once: true });
    return {
      maxBytes,
      answer: (body) => {
        answering = true;
        try {
          const answer = outcome.answer(body, inflate);
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

  /** Resolves once there is room, which is then taken. First come, first served. */
  #turn(bytes: number): Promise<void> {
    return new Promise((resolve) => {
      this.#turns.push(() => {
        const fits = this.#inflated.take(bytes);
        if (fits) resolve();
        return fits;
      });
      this.#begin();
    });
  }

  #release(bytes: number): void {
    this.#inflated.release(bytes);
    this.#begin();
  }

  #begin(): void {
    while (this.#turns[0]?.()) this.#turns.shift();
  }
}
