import fc from "fast-check";
import { expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { ContentError } from "../../../src/errors/content-error.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { simulateJob } from "../../../src/prover/circuits/simulate.ts";
import type { BinaryJobType } from "../../../src/prover/jobs/job-input.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

const { binary } = recordedJobs();
const context = { core: loadCore(), generation: V4 };

function jobOf(name: BinaryJobType): Uint8Array {
  const job = binary.find((recorded) => recorded.name === name);
  if (job === undefined) throw new RangeError(`no recorded job of ${name}`);
  return job.input;
}

function changed(input: Uint8Array, at: number, value: number): Uint8Array {
  const copy = input.slice();
  copy[at] = value;
  return copy;
}

test("a malformed input that is too short is refused with the field", () => {
  expect(() => simulateJob(context, "PARITY_BASE", jobOf("PARITY_BASE").subarray(0, 8223))).toThrow(
    "PARITY_BASE input.vkTreeRoot: needs 32 bytes, 31 are left",
  );
});

test("a malformed input that is too long is refused", () => {
  expect(() => simulateJob(context, "CHECKPOINT_PADDING_ROLLUP", new Uint8Array(1))).toThrow(
    "CHECKPOINT_PADDING_ROLLUP input: 1 bytes follow the end",
  );
});

test("a malformed input with a word that is not a field element is refused with its place", () => {
  expect(() => simulateJob(context, "PARITY_BASE", changed(jobOf("PARITY_BASE"), 32 * 5, 0xff))).toThrow(
    "PARITY_BASE input.messages: field 5 is not below the modulus",
  );
});

test("a malformed input with a proof of another length is refused with both lengths", () => {
  const input = jobOf("PARITY_ROOT");
  expect(() => simulateJob(context, "PARITY_ROOT", changed(input, 99, 0xc2))).toThrow(
    /PARITY_ROOT input\.children\[0\]/,
  );
});

test("a malformed input whose children do not follow each other is refused with the rule", () => {
  const input = jobOf("TX_MERGE_ROLLUP");
  const half = input.length / 2;
  const swapped = Buffer.concat([input.subarray(half), input.subarray(0, half)]);
  expect(() => simulateJob(context, "TX_MERGE_ROLLUP", swapped)).toThrow(
    "children[1].startTrees: must equal children[0].endTrees",
  );
});

test("a malformed input of a transaction that offers less than the block charges is refused with both prices", () => {
  // Behind the anchor header, chain id, version and gas limits.
  const maxFeesAt = 440 + 2 * 32 + 16;
  const input = jobOf("PRIVATE_TX_BASE_ROLLUP")
    .slice()
    .fill(0, maxFeesAt, maxFeesAt + 32);
  expect(() => simulateJob(context, "PRIVATE_TX_BASE_ROLLUP", input)).toThrow(
    /^hidingKernel\.publicInputs\.constants\.gasSettings: maxFeesPerGas\.feePerL2Gas must be greater than or equal to/,
  );
});

test("a malformed input is refused or computed, whatever bytes are changed", () => {
  const small = binary.filter(({ input }) => input.length < 60_000 && input.length > 0);
  fc.assert(
    fc.property(
      fc.constantFrom(...small),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      ({ name, input }, edits, cut) => {
        const mutated = input.slice(0, cut % 4 === 0 ? cut % input.length : input.length);
        for (const [at, value] of edits) if (mutated.length > 0) mutated[at % mutated.length] = value;
        try {
          simulateJob(context, name, mutated);
        } catch (error) {
          expect(error).toBeInstanceOf(ContentError);
        }
      },
    ),
    { numRuns: 200 },
  );
});
