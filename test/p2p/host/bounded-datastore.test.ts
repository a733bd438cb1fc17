import { expect, test } from "vitest";
import { BoundedDatastore } from "../../../src/p2p/host/bounded-datastore.ts";

type Key = Parameters<BoundedDatastore["put"]>[0];
const key = (name: string) => ({ toString: () => name }) as unknown as Key;
const value = (byte: number) => Uint8Array.of(byte);

test("the rows that were not used for the longest time are dropped when there are too many", () => {
  const store = new BoundedDatastore(3);
  for (const [i, name] of ["/peers/a", "/peers/b", "/peers/c"].entries()) store.put(key(name), value(i));
  expect(store.get(key("/peers/a"))).toEqual(value(0));
  store.put(key("/peers/d"), value(3));
  expect(["a", "b", "c", "d"].map((name) => store.has(key(`/peers/${name}`)))).toEqual([true, false, true, true]);
  expect(() => store.get(key("/peers/b"))).toThrow(expect.objectContaining({ name: "NotFoundError" }));
});

test("rows are found by prefix and filter, in order, and removed", async () => {
  const store = new BoundedDatastore(10);
  for (const [i, name] of ["/peers/a", "/other/b", "/peers/c", "/peers/d"].entries()) store.put(key(name), value(i));
  const found = [
    ...store.query({
      prefix: "/peers",
      filters: [(row) => row.value[0] !== 2],
      orders: [(a, b) => (a.value[0] > b.value[0] ? -1 : 1)],
      offset: 0,
      limit: 5,
    }),
  ];
  expect(found.map((row) => row.value[0])).toEqual([3, 0]);
  expect([...store.queryKeys({ prefix: "/other" })].map(String)).toEqual(["/other/b"]);
  store.delete(key("/peers/a"));
  const batch = store.batch();
  batch.put(key("/peers/e"), value(9));
  batch.delete(key("/peers/c"));
  expect(store.has(key("/peers/e"))).toBe(false);
  await batch.commit();
  expect([..."acde"].map((name) => store.has(key(`/peers/${name}`)))).toEqual([false, false, true, true]);
});

test("many rows are written, read and removed at once", async () => {
  const store = new BoundedDatastore(10);
  const pairs = [1, 2].map((i) => ({ key: key(`/peers/${i}`), value: value(i) }));
  const all = async <Item>(items: AsyncIterable<Item>) => {
    const list: Item[] = [];
    for await (const item of items) list.push(item);
    return list;
  };
  expect(await all(store.putMany(pairs))).toEqual(pairs.map((pair) => pair.key));
  expect(await all(store.getMany(pairs.map((pair) => pair.key)))).toEqual(pairs);
  await all(store.deleteMany([pairs[0].key]));
  expect(pairs.map((pair) => store.has(pair.key))).toEqual([false, true]);
});
