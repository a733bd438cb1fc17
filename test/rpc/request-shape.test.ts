import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DEEPEST_REQUEST, requestShape } from "../../src/rpc/jsonrpc/request-shape.ts";

const shape = (text: string, maxBatchSize = 100) => requestShape(Buffer.from(text), maxBatchSize);
const fault = (text: string, maxBatchSize?: number) => shape(text, maxBatchSize).fault;
const tower = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("the shape of a request body", () => {
  test("may have 64 levels and no more, wherever they are", () => {
    expect(fault(tower(DEEPEST_REQUEST))).toBeUndefined();
    expect(fault(tower(DEEPEST_REQUEST + 1))).toBe("the request nests deeper than 64 levels");
    for (const body of [`{"id":${tower(64)}}`, `[{"x":${tower(63)}}]`, "[".repeat(65), '{"a":'.repeat(65)]) {
      expect(fault(body)).toMatch(/deeper/);
    }
  });

  test("may have so many arrays, objects and members as its largest batch has calls, times 128", () => {
    expect(fault(`[${"[],".repeat(254)}1]`, 1)).toBeUndefined();
    expect(fault(`[${"[],".repeat(256)}1]`, 1)).toBe("the request has more than 256 arrays, objects and members");
    expect(fault(`{${'"a":1,'.repeat(300)}"b":1}`, 1)).toMatch(/more than 256/);
    expect(fault(`[${"[],".repeat(300)}1]`, 2)).toBeUndefined();
  });

  test("does not depend on what its texts hold, however long and with whatever escapes", () => {
    const texts = fc.string({ unit: fc.constantFrom("[", "{", ":", '"', "\\", "]", "x", "ü"), maxLength: 200 });
    fc.assert(
      fc.property(fc.array(texts), fc.integer({ min: 0, max: 80 }), (list, levels) => {
        const items = list.map((text) => JSON.stringify(text));
        const found = fault(`[${[...items, tower(levels)].join(",")}]`);
        expect(found === undefined).toBe(levels < DEEPEST_REQUEST);
      }),
    );
  });

  test("tells how many items the outermost array has", () => {
    for (const [text, items] of [
      ["[]", 1],
      ["[1]", 1],
      [' [ {"a":[1,2],"b":","} , [3,4] ,5]', 3],
      [`[${"0,".repeat(999)}0]`, 1000],
    ] as const) {
      expect(shape(text)).toEqual({ items });
    }
  });

  test("is the parser's to judge when a text does not end or a bracket is missing", () => {
    for (const body of ['["', '["\\', `["${"x".repeat(100)}`, `["${"\\".repeat(101)}"`, "]]]]", ""]) {
      expect(fault(body)).toBeUndefined();
    }
  });
});
