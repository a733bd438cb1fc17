import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_REQUEST_DEPTH, requestShape } from "../../../src/rpc/calls/request-shape.ts";

const shape = (text: string, maxBatchSize = 100) => requestShape(Buffer.from(text), maxBatchSize);
const fault = (text: string, maxBatchSize?: number) => shape(text, maxBatchSize).fault;
const tower = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

test("a request body may nest 64 levels deep anywhere, and no deeper", () => {
  expect(fault(tower(MAX_REQUEST_DEPTH))).toBeUndefined();
  expect(fault(tower(MAX_REQUEST_DEPTH + 1))).toBe("the request nests deeper than 64 levels");
  for (const body of [`{"id":${tower(64)}}`, `[{"x":${tower(63)}}]`, "[".repeat(65), '{"a":'.repeat(65)]) {
    expect(fault(body)).toMatch(/deeper/);
  }
});

test("a request body may have 128 arrays, objects and members for each call of the largest batch, plus 128", () => {
  expect(fault(`[${"[],".repeat(254)}1]`, 1)).toBeUndefined();
  expect(fault(`[${"[],".repeat(256)}1]`, 1)).toBe("the request has more than 256 arrays, objects and members");
  expect(fault(`{${'"a":1,'.repeat(300)}"b":1}`, 1)).toMatch(/more than 256/);
  expect(fault(`[${"[],".repeat(300)}1]`, 2)).toBeUndefined();
});

test("brackets, quotes and escapes in strings do not count as the shape of a request body", () => {
  const texts = fc.string({ unit: fc.constantFrom("[", "{", ":", '"', "\\", "]", "x", "ü"), maxLength: 200 });
  fc.assert(
    fc.property(fc.array(texts), fc.integer({ min: 0, max: 80 }), (list, levels) => {
      const items = list.map((text) => JSON.stringify(text));
      const found = fault(`[${[...items, tower(levels)].join(",")}]`);
      expect(found === undefined).toBe(levels < MAX_REQUEST_DEPTH);
    }),
  );
});

test("the shape of a request body includes the number of items of the outermost array", () => {
  for (const [text, items] of [
    ["[]", 1],
    ["[1]", 1],
    [' [ {"a":[1,2],"b":","} , [3,4] ,5]', 3],
    [`[${"0,".repeat(999)}0]`, 1000],
  ] as const) {
    expect(shape(text)).toEqual({ items });
  }
});

test("unfinished strings and missing brackets are left to the JSON parser", () => {
  for (const body of ['["', '["\\', `["${"x".repeat(100)}`, `["${"\\".repeat(101)}"`, "]]]]", ""]) {
    expect(fault(body)).toBeUndefined();
  }
});
