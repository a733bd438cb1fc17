import { expect, it } from "vitest";
import { BodyBudget } from "../../src/rpc/http/body-budget.ts";
import { type Answer, type HttpApplication, isBodyRequest, type RequestHead } from "../../src/rpc/http/listener.ts";

const OK: Answer = { status: 200, headers: [] };

/** An application that takes bodies of up to 100 bytes, and answers when `answer` is called. */
function slowApplication() {
  const waiting: (() => void)[] = [];
  const application: HttpApplication = {
    receive: () => ({
      maxBytes: 100,
      answer: () => new Promise((resolve) => waiting.push(() => resolve(OK))),
      tooLarge: () => ({ status: 413, headers: [] }),
      timedOut: () => ({ status: 408, headers: [] }),
    }),
    failed: () => ({ status: 500, headers: [] }),
  };
  return { application, answer: () => waiting.shift()?.() };
}

function head(headers: Record<string, string>): RequestHead & { leave(): void } {
  const gone = new AbortController();
  return {
    ...{ method: "POST", path: "/", query: "" },
    header: (name) => headers[name] ?? "",
    client: () => "127.0.0.1",
    signal: () => gone.signal,
    leave: () => gone.abort(),
  };
}

const PLAIN = { "content-length": "60" };
const COMPRESSED = { "content-length": "5", "content-encoding": "gzip" };

/** The status of a refusal, or the accepted body request. */
function receive(budget: BodyBudget, request: RequestHead) {
  const outcome = budget.receive(request);
  if (outcome instanceof Promise) throw new TypeError("answered before the body came");
  return isBodyRequest(outcome) ? outcome : outcome.status;
}

it("bodies beyond the budget are refused until others are answered or gone", async () => {
  const { application, answer } = slowApplication();
  const budget = new BodyBudget(application, 150);
  const first = receive(budget, head(PLAIN));
  const second = head(PLAIN);
  receive(budget, second);
  expect(receive(budget, head(PLAIN))).toBe(503);

  second.leave();
  expect(receive(budget, head(COMPRESSED))).toBe(503);
  if (typeof first === "number") throw new TypeError("the first body was refused");
  const answered = first.answer(new Uint8Array(60));
  expect(receive(budget, head(COMPRESSED))).toBe(503);
  answer();
  expect(await answered).toBe(OK);
  const compressed = receive(budget, head(COMPRESSED));
  expect(receive(budget, head(PLAIN))).toBe(503);
  if (typeof compressed === "number") throw new TypeError("the compressed body was refused");
  expect(compressed.tooLarge().status).toBe(413);
  expect(receive(budget, head(PLAIN))).not.toBe(503);
});
