import { afterEach, expect, test, vi } from "vitest";
import { EndpointBook } from "../../src/endpoints/endpoint-book.ts";
import { AllEndpointsFailed, hedgedCall, inOrder } from "../../src/endpoints/hedged-call.ts";

afterEach(() => vi.useRealTimers());

type Behaviour = "answers" | "hangs" | "refuses" | "says no";
class Refusal extends Error {}
class No extends Error {}

/** Endpoints by name, whose behaviour can be changed, with fake timers. */
function world(behaviours: Record<string, Behaviour>) {
  vi.useFakeTimers();
  const lines: string[] = [];
  const line = (facts: object, message: string) => {
    lines.push(message.replace("{endpoint}", (facts as { endpoint: string }).endpoint));
  };
  const book = new EndpointBook({
    logger: { debug() {}, info: line, warn: line, error: line },
    now: () => Date.now(),
  });
  const does = new Map(Object.entries(behaviours));
  const asked: string[] = [];
  const act = async (name: string, signal: AbortSignal): Promise<string> => {
    const behaviour = does.get(name);
    if (behaviour === "refuses") throw new Refusal(`${name} refuses`);
    if (behaviour === "says no") throw new No(`${name} says no`);
    if (behaviour === "answers") return name;
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Refusal(`${name} hung`))));
  };
  const endpoints = [...does.keys()].map((name) => ({
    name,
    health: book.of("l1", `http://${name}`, async (signal) => {
      // A server that says no to a call answers probes.
      if (does.get(name) !== "says no") await act(name, signal);
    }),
  }));
  const call = (options: { hedge?: "call" | "probe"; signal?: AbortSignal } = {}) =>
    hedgedCall(
      endpoints,
      (endpoint, signal) => {
        asked.push(endpoint.name);
        return act(endpoint.name, signal);
      },
      {
        kind: "call",
        isOutage: (error) => error instanceof Refusal,
        isFinal: () => false,
        ...options,
      },
    );
  const answerAndAsked = async () => {
    asked.length = 0;
    const answer = call();
    await vi.advanceTimersByTimeAsync(0);
    return [await answer, ...asked];
  };
  return { book, endpoints, does, asked, lines, call, answerAndAsked };
}

test("a silent endpoint delays one call, and later calls go to the next endpoint at once", async () => {
  const { call, asked, does, lines, answerAndAsked } = world({ a: "hangs", b: "answers" });
  const first = call();
  await vi.advanceTimersByTimeAsync(999);
  expect(asked).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await first).toBe("b");
  expect(await answerAndAsked()).toEqual(["b", "b"]);
  // The probe that began when the call was silent.
  await vi.advanceTimersByTimeAsync(2_000);
  expect(lines).toEqual(["the {service} endpoint http://a fails"]);
  expect(await answerAndAsked()).toEqual(["b", "b"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lines).toHaveLength(1);
  does.set("a", "answers");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(lines).toEqual(["the {service} endpoint http://a fails", "the {service} endpoint http://a answers again"]);
  expect(await answerAndAsked()).toEqual(["a", "a"]);
});

test("an endpoint that refuses is asked last until it answers a probe", async () => {
  const { does, answerAndAsked } = world({ a: "refuses", b: "answers" });
  expect(await answerAndAsked()).toEqual(["b", "a", "b"]);
  expect(await answerAndAsked()).toEqual(["b", "b"]);
  does.set("a", "answers");
  await vi.advanceTimersByTimeAsync(500);
  expect(await answerAndAsked()).toEqual(["a", "a"]);
});

test("an endpoint that fails again soon after it recovered rests for longer each time", async () => {
  const { does, endpoints, answerAndAsked } = world({ a: "refuses", b: "answers" });
  const [{ health }] = endpoints;
  for (const restMs of [500, 1_000, 2_000, 4_000]) {
    does.set("a", "refuses");
    await answerAndAsked();
    does.set("a", "answers");
    await vi.advanceTimersByTimeAsync(restMs - 1);
    expect(health.state).toBe("failing");
    await vi.advanceTimersByTimeAsync(1);
    expect(health.state).toBe("answering");
  }
});

test("an endpoint that is only slower than another is asked last for a while, and no line is logged", async () => {
  const { call, does, endpoints, lines } = world({ a: "hangs", b: "answers" });
  const first = call();
  await vi.advanceTimersByTimeAsync(999);
  does.set("a", "answers");
  await vi.advanceTimersByTimeAsync(1);
  expect(await first).toBe("b");
  expect(endpoints[0].health.state).toBe("doubted");
  await vi.advanceTimersByTimeAsync(500);
  expect(endpoints[0].health.state).toBe("answering");
  expect(lines).toEqual([]);
});

test("if all endpoints fail, the error has the failure of each, and all are asked again", async () => {
  const { call, asked } = world({ a: "refuses", b: "refuses" });
  for (const order of [
    ["a", "b"],
    ["a", "b"],
  ]) {
    asked.length = 0;
    const error = await call().catch((e: unknown) => e);
    expect(error).toBeInstanceOf(AllEndpointsFailed);
    expect((error as AllEndpointsFailed<never>).failures.map(({ error: e }) => (e as Error).message)).toHaveLength(2);
    expect([...asked].sort()).toEqual(order);
  }
});

test("the error of an endpoint that answers does not wait for one that fails", async () => {
  const { call, asked } = world({ a: "hangs", b: "says no" });
  const first = call();
  const failed = first.catch((e: unknown) => e);
  // The delay, then the probe that gets no answer.
  await vi.advanceTimersByTimeAsync(3_000);
  const error = (await failed) as AllEndpointsFailed<never>;
  expect(error.failures.map(({ error: e }) => (e as Error).message)).toEqual(["b says no", "a hung"]);
  asked.length = 0;
  await expect(call()).rejects.toBeInstanceOf(AllEndpointsFailed);
  expect(asked).toEqual(["b"]);
});

test("a distrusted endpoint is asked only if all are, however it answers, and again after its time", async () => {
  const { does, endpoints, asked, call, answerAndAsked } = world({ a: "answers", b: "answers" });
  endpoints[0].health.distrust("a lies", 600_000);
  does.set("b", "refuses");
  await expect(call()).rejects.toBeInstanceOf(AllEndpointsFailed);
  expect(asked).toEqual(["b"]);
  does.set("b", "answers");
  await vi.advanceTimersByTimeAsync(1_000);
  endpoints[1].health.distrust("b lies", 600_000);
  expect(await answerAndAsked()).toEqual(["a", "a"]);
  await vi.advanceTimersByTimeAsync(1_000);
  endpoints[0].health.distrust("a lies again", 600_000);
  expect(await answerAndAsked()).toEqual(["b", "b"]);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(endpoints.map(({ health }) => health.state)).toEqual(["answering", "answering"]);
});

test("a call that gave the answer is not aborted, and one that was overtaken is", async () => {
  const { endpoints } = world({ a: "hangs", b: "answers" });
  const signals: AbortSignal[] = [];
  const first = hedgedCall(
    endpoints,
    ({ name }, signal) => {
      signals.push(signal);
      return name === "a" ? new Promise<string>(() => {}) : Promise.resolve(name);
    },
    { kind: "call", isOutage: () => true, isFinal: () => false },
  );
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await first).toBe("b");
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test("a long call stays with an endpoint that answers probes, and leaves one that does not", async () => {
  const { call, asked, does, endpoints } = world({ a: "says no", b: "answers" });
  const work = Promise.withResolvers<string>();
  const long = hedgedCall(endpoints, ({ name }) => (name === "a" ? work.promise : Promise.resolve(name)), {
    ...{ kind: "call", hedge: "probe", isOutage: () => true, isFinal: () => false },
  });
  await vi.advanceTimersByTimeAsync(20_000);
  work.resolve("a, after a while");
  expect(await long).toBe("a, after a while");
  does.set("a", "hangs");
  const next = call({ hedge: "probe" });
  await vi.advanceTimersByTimeAsync(5_000 + 2_000);
  expect(await next).toBe("b");
  expect(asked).toEqual(["a", "b"]);
});

test("aborting ends a call with the signal's reason, and the calls under way with it", async () => {
  const { call } = world({ a: "hangs" });
  const controller = new AbortController();
  const ended = call({ signal: controller.signal });
  controller.abort(new Error("stopping"));
  await expect(ended).rejects.toThrow("stopping");
});

test("a service is out when all of its endpoints have failed for some seconds", async () => {
  const { book, call, does } = world({ a: "hangs", b: "hangs" });
  const call1 = call();
  await vi.advanceTimersByTimeAsync(1_000 + 1_000 + 2_000);
  expect(book.isOut("l1")).toBe(false);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(book.isOut("l1")).toBe(true);
  does.set("b", "answers");
  await vi.advanceTimersByTimeAsync(30_000);
  expect(book.isOut("l1")).toBe(false);
  expect(inOrder(book.read())[0].endpoint).toBe("http://b");
  void call1;
});
