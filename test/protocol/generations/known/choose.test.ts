import { expect, test } from "vitest";
import {
  type Commitments,
  generationNamed,
  generationOf,
  recordedName,
  UnknownGenerationError,
} from "../../../../src/protocol/generations/known/choose.ts";
import { V4 } from "../../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../../src/protocol/generations/v5/v5.ts";

const commitmentsOf = ({ contracts }: typeof V4): Commitments => ({
  vkTreeRoot: contracts.vkTreeRoot,
  protocolContractsHash: contracts.protocolContractsHash,
});

test.each([V4, V5])("$name follows from its circuits and protocol contracts", (generation) => {
  expect(generationOf(commitmentsOf(generation))).toBe(generation);
});

test("the generation of a rollup is unknown when the two do not belong together, or one is missing", () => {
  const [v4, v5] = [V4, V5].map(commitmentsOf);
  expect(generationOf({ ...v5, vkTreeRoot: v4.vkTreeRoot })).toBeUndefined();
  expect(generationOf({ ...v5, protocolContractsHash: v4.protocolContractsHash })).toBeUndefined();
  expect(generationOf({ ...v5, protocolContractsHash: undefined })).toBeUndefined();
});

test.each([V4, V5])("$name is found by the name in records", (generation) => {
  expect(generationNamed(recordedName(generation))).toBe(generation);
});

test("the first has no name in records, and another name than those known is refused", () => {
  expect(recordedName(V4)).toBeUndefined();
  expect(generationNamed("v4")).toBe(V4);
  expect(() => generationNamed("v6")).toThrow(UnknownGenerationError);
});
