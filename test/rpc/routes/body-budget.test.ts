import { expect, test } from "vitest";
import { BodyBudget } from "../../../src/rpc/routes/body-budget.ts";
import { type Answer, type HttpApplication, isBodyRequest, type RequestHead } from "../../../src/rpc/wire/listener.ts";

const OK: Answer = { status: 200, headers: [] };

/** Takes bodies of up to 100 bytes, which decompress to `inflated` bytes, and answers when `answer` is called. */
function slowApplication(inflated = 100) {
  const waiting: (() => void)[] = [];
  const started: number[] = [];
  const application: HttpApplication = {
    receive: () => ({
      maxBytes: 100,
      answer: async (body, inflate = (decompress) => decompress()) => {
        await inflate(async () => {
          started.push(body.length);
          return new Uint8Array(inflated);
        });
        return new Promise((resolve) => waiting.push(() => resolve(OK)));
      },
      tooLarge: () => ({ status: 413, headers: [] }),
      timedOut: () => ({ status: 408, headers: [] }),
    }),
    failed: () => ({ status: 500, headers: [] }),
  };
  return { application, started, answer: () => waiting.shift()?.() };
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
const settled = () => new Promise(setImmediate);

/** The status of a refusal, or the accepted body request. */
function receive(budget: BodyBudget, request: RequestHead) {
  const outcome = budget.receive(request);
  if (outcome instanceof Promise) throw new TypeError("answered before the body came");
  return isBodyRequest(outcome) ? outcome : outcome.status;
}

function accepted(budget: BodyBudget, request: RequestHead) {
  const outcome = receive(budget, request);
  if (typeof outcome === "number") throw new TypeError(`the body was refused with ${outcome}`);
  return outcome;
}

test("bodies beyond the budget are refused until others are answered or gone", async () => {
  const { application, answer } = slowApplication(0);
  const budget = new BodyBudget(application, 300);
  const first = accepted(budget, head(PLAIN));
  const second = head(PLAIN);
  accepted(budget, second);
  expect(receive(budget, head(PLAIN))).toBe(503);
  expect(receive(budget, head({}))).toBe(503);

  second.leave();
  const third = accepted(budget, head(PLAIN));
  expect(receive(budget, head(PLAIN))).toBe(503);
  const answered = first.answer(new Uint8Array(60));
  await settled();
  expect(receive(budget, head(PLAIN))).toBe(503);
  answer();
  expect(await answered).toBe(OK);
  accepted(budget, head(PLAIN));
  expect(receive(budget, head(PLAIN))).toBe(503);
  expect(third.tooLarge().status).toBe(413);
  accepted(budget, head(PLAIN));
});

test("a compressed body counts with its length, and waits for room to be decompressed", async () => {
  const { application, started, answer } = slowApplication(70);
  const budget = new BodyBudget(application, 300);
  const answers = [1, 2, 3].map((length) => accepted(budget, head(COMPRESSED)).answer(new Uint8Array(length)));
  await settled();
  // 70 bytes of the first stay; a second one may need 100, and there are 150.
  expect(started).toEqual([1]);
  answer();
  expect(await answers[0]).toBe(OK);
  await settled();
  expect(started).toEqual([1, 2]);
  answer();
  await settled();
  expect(started).toEqual([1, 2, 3]);
  answer();
  expect(await Promise.all(answers)).toEqual([OK, OK, OK]);
});

test("a short body makes room as soon as it is decompressed", async () => {
  const { application, started } = slowApplication(10);
  const budget = new BodyBudget(application, 300);
  for (const length of [1, 2, 3]) void accepted(budget, head(COMPRESSED)).answer(new Uint8Array(length));
  await settled();
  expect(started).toEqual([1, 2, 3]);
});

test("the body of a client that leaves while it waits gives its room back", async () => {
  const { application, started, answer } = slowApplication(100);
  const budget = new BodyBudget(application, 300);
  const requests = [1, 2, 3].map(() => head(COMPRESSED));
  const answers = requests.map((request, i) => accepted(budget, request).answer(new Uint8Array(i + 1)));
  await settled();
  requests[1].leave();
  for (const each of answers) {
    answer();
    expect(await each).toBe(OK);
    await settled();
  }
  expect(started).toEqual([1, 2, 3]);
  accepted(budget, head(PLAIN));
  accepted(budget, head(PLAIN));
});
