import { expect, test } from "vitest";
import { errorFacts } from "../../src/archiver/error-facts.ts";
import { DecodeError } from "../../src/protocol/errors.ts";

test("the log facts of an error hold its rule, fields and causes, without stacks or long bytes", () => {
  const error = Object.assign(new Error("outer", { cause: new DecodeError("blob", "must be whole") }), {
    hash: new Uint8Array(500),
    amount: 5n,
  });
  const facts = errorFacts(error);
  expect(facts).toMatchObject({
    err: "Error",
    rule: "outer",
    amount: "5",
    cause: { err: "DecodeError", subject: "blob" },
  });
  expect(String(facts.hash)).toHaveLength(2 + 128);
  expect(JSON.stringify(facts)).not.toContain("stack");
  expect(errorFacts("text")).toEqual({ err: "Unknown", rule: "text" });
});
