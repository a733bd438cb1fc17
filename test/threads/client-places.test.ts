import { expect, test } from "vitest";
import { ClientPlaces, PlacesFullError } from "../../src/threads/client-places.ts";

/** Takes places for clients by name and keeps the order in which they were given. */
function queue(options: Partial<ConstructorParameters<typeof ClientPlaces>[0]> = {}) {
  const places = new ClientPlaces({ places: 1, maxWaiting: 100, maxWaitingPerClient: 50, ...options });
  const given: string[] = [];
  const held: (() => void)[] = [];
  const take = (client: string, signal?: AbortSignal) =>
    places.take(client, signal).then((release) => {
      given.push(client);
      held.push(release);
    });
  /** Releases places until none is held. */
  const drain = async (): Promise<string[]> => {
    for (;;) {
      await Promise.resolve();
      await Promise.resolve();
      const next = held.shift();
      if (next === undefined) return given;
      next();
    }
  };
  return { places, given, take, drain };
}

test("waiting clients get places in turn, however many requests each has", async () => {
  const { take, drain } = queue();
  const asked = ["a", "a", "a", "a", "b", "b", "c"].map((client) => take(client));
  const given = await drain();
  await Promise.all(asked);
  expect(given.join("")).toBe("abcabaa");
});

test("a client that asks again after each answer waits each time for one of another client's requests", async () => {
  const { places, take, drain, given } = queue();
  const many = Array.from({ length: 10 }, () => take("a"));
  const again = async (): Promise<void> => {
    for (let i = 0; i < 3; i++) {
      const release = await places.take("b");
      given.push("b");
      release();
    }
  };
  const few = again();
  expect((await drain()).join("")).toMatch(/^a?bababa+$/);
  await Promise.all([...many, few]);
});

test("no more places are held than exist, and a released place goes to the next request", async () => {
  const { given, take, drain, places } = queue({ places: 2 });
  const asked = ["a", "b", "c"].map((client) => take(client));
  await Promise.all(asked.slice(0, 2));
  expect([given, places.waiting]).toEqual([["a", "b"], 1]);
  await drain();
  await Promise.all(asked);
  expect(places.waiting).toBe(0);
  await take("d");
  expect(given).toEqual(["a", "b", "c", "d"]);
});

test("a request whose signal is aborted leaves the queue with the signal's reason", async () => {
  const { take, drain, places } = queue();
  const gone = new AbortController();
  const asked = [take("a"), take("b", gone.signal), take("c")];
  const reason = new Error("left");
  gone.abort(reason);
  await expect(asked[1]).rejects.toBe(reason);
  expect(places.waiting).toBe(1);
  expect(() => places.take("b", gone.signal)).toThrow(reason);
  expect(await drain()).toEqual(["a", "c"]);
});

test("an aborted signal has no effect on a request that has its place", async () => {
  const { take, drain } = queue();
  const gone = new AbortController();
  const asked = [take("a"), take("b", gone.signal), take("c")];
  const given = drain();
  await asked[1];
  gone.abort();
  expect(await given).toEqual(["a", "b", "c"]);
});

test("the number of waiting requests of one client is bounded", async () => {
  const { places, take, drain } = queue({ maxWaitingPerClient: 2 });
  const asked = ["a", "a", "a"].map((client) => take(client));
  expect(() => places.take("a")).toThrow(new PlacesFullError(2));
  asked.push(take("b"));
  await drain();
  await Promise.all(asked);
});

test("a full queue admits a client with few waiting requests, and drops the newest request of the client with most", async () => {
  const { places, take, drain } = queue({ maxWaiting: 4 });
  const asked = ["a", "a", "a", "a", "b"].map((client) => take(client).catch((error: unknown) => error));
  const late = take("c");
  await expect(asked[3]).resolves.toBeInstanceOf(PlacesFullError);
  expect(places.waiting).toBe(4);
  // All clients have about the same number of requests now.
  expect(() => places.take("b")).toThrow(PlacesFullError);
  expect((await drain()).join("")).toBe("abcaa");
  await late;
});
