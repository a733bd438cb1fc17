import fc from "fast-check";
import { expect, test } from "vitest";
import { InlineInput, inlineUriOf } from "../../../src/prover/jobs/inline-uri.ts";
import { JOB_TYPES } from "../../../src/prover/jobs/job-type.ts";
import { InlineStore } from "../../../src/prover/proof-store/inline-store.ts";

const store = new InlineStore();

test("an input in pieces is the inline URI of its base64 text", async () => {
  const type = JOB_TYPES.PARITY_BASE;
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.nat(60_000), async (bytes, zeros) => {
      const input = Buffer.concat([bytes, Buffer.alloc(zeros), bytes]);
      const uri = String(new InlineInput(type, input));
      expect(uri).toBe(inlineUriOf(JSON.stringify({ type, inputs: input.toString("base64") })));
      const loaded = await store.loadInput(uri);
      expect(loaded.type).toBe(type);
      expect(Buffer.compare(loaded.input, input)).toBe(0);
    }),
    { numRuns: 50 },
  );
});

test("an input in pieces is the inline URI of its JSON, whatever characters lie at the ends of pieces", () => {
  const type = JOB_TYPES.PUBLIC_VM;
  fc.assert(
    fc.property(fc.nat(5), fc.constantFrom("a", "é", "€", "😀"), (shift, character) => {
      const inputs = { text: " ".repeat(shift) + character.repeat(20_000) };
      const uri = String(new InlineInput(type, Buffer.from(JSON.stringify(inputs))));
      expect(uri === inlineUriOf(JSON.stringify({ type, inputs }))).toBe(true);
    }),
    { numRuns: 30 },
  );
});
