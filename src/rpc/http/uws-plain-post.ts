import type * as uws from "uWebSockets.js";
import { headerBlock } from "./header-block.ts";
import type { PlainPost } from "./listener.ts";
import { isJsonType } from "./request-body.ts";
import { clientOf, type Exchanges, UwsExchange } from "./uws-exchange.ts";

/** A length of at most this many digits is read; the limit itself is the application's. */
const MOST_LENGTH_DIGITS = 6;

/** The head of a request whose own object is gone: what reading a JSON body by POST to "/" takes. */
class PlainHead {
  readonly method = "POST";
  readonly path = "/";
  readonly #type: string;
  readonly #accept: string;
  readonly client: () => string;

  constructor(type: string, accept: string, client: () => string) {
    this.#type = type;
    this.#accept = accept;
    this.client = client;
  }

  header(name: string): string {
    if (name === "content-type") return this.#type;
    return name === "accept-encoding" ? this.#accept : "";
  }
}

/**
 * Answers plain POSTs to "/" with as few steps as there can be, and gives all others to `otherwise`. What it cannot answer at once
 * becomes an ordinary exchange.
 */
export function routePlainPosts(
  app: uws.TemplatedApp,
  post: PlainPost,
  shared: Exchanges,
  otherwise: (res: uws.HttpResponse, req: uws.HttpRequest) => void,
): void {
  const { drain } = shared;
  const block = headerBlock(post.headers);

  app.post("/", (res, req) => {
    const type = req.getHeader("content-type");
    const length = req.getHeader("content-length");
    const isPlain =
      (type === "application/json" || isJsonType(type)) &&
      length !== "" &&
      length !== "0" &&
      length.length <= MOST_LENGTH_DIGITS &&
      Number(length) <= post.maxBytes &&
      req.getHeader("content-encoding") === "";
    if (!isPlain) return otherwise(res, req);
    const accept = req.getHeader("accept-encoding");
    const connection = req.getHeader("connection");
    const clientCloses = connection !== "" && connection.toLowerCase() === "close";
    const client = (): string => clientOf(res);
    let exchange: UwsExchange | undefined;
    const ordinary = (): UwsExchange => {
      exchange = new UwsExchange(res, { headOnly: false, clientCloses }, shared);
      return exchange;
    };

    drain.enter();
    res.onAborted(() => (exchange === undefined ? drain.leave() : exchange.finish()));
    res.onData((chunk, isLast) => {
      if (exchange !== undefined) return exchange.data(chunk, isLast);
      if (!isLast) {
        const collecting = ordinary();
        collecting.start(new PlainHead(type, accept, client), false, undefined);
        return collecting.data(chunk, false);
      }
      const body = Buffer.from(chunk);
      const answer = post.answer(body, accept, client);
      if (!(answer instanceof Uint8Array)) {
        if (answer === undefined) ordinary().start(new PlainHead(type, accept, client), true, body);
        else ordinary().settle(answer);
        return;
      }
      if (clientCloses || drain.closing) {
        if (block !== undefined) res.writeHeader(block.name, block.value);
        res.end(answer, true);
        return drain.leave();
      }
      if (block !== undefined) res.writeHeader(block.name, block.value);
      const [, complete] = res.tryEnd(answer, answer.length);
      if (complete) drain.leave();
      else ordinary().goOn(new Uint8Array(answer));
    });
  });
}
