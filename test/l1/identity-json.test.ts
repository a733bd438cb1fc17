import { expect, test } from "vitest";
import { JsonField } from "../../src/json/json-field.ts";
import { identityJson, readIdentityJson } from "../../src/l1/identity-json.ts";
import { IDENTITY } from "../world/rpc/fakes.ts";

const read = (document: object) =>
  readIdentityJson(
    JsonField.parse(JSON.stringify(document), "identity", ({ field }, rule) => {
      throw new Error(`${field} ${rule}`);
    }),
  );

test.each([
  ["the first generation", IDENTITY],
  ["a later generation", { ...IDENTITY, generation: "v5" }],
])("the identity of a rollup of %s is read as it was written", (_, identity) => {
  expect(read(identityJson(identity))).toEqual(identity);
});

test("an identity of an unknown generation is refused", () => {
  for (const generation of ["v9", "", 5]) {
    expect(() => read(identityJson({ ...IDENTITY, generation } as typeof IDENTITY))).toThrow(
      "generation must be v5, or absent",
    );
  }
});
