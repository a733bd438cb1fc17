import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { instructionsOf } from "../../../src/execution/vm/instruction-set.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { blockStateOf, type GivenTx, hashed, txOf } from "../../world/execution/avm-vectors.ts";
import { digestOf, type Outcome, outcomeOf } from "../../world/execution/tx-outcome.ts";
import { CountingVm, Coverage } from "../live/coverage.ts";
import { caseText, shrink } from "../live/shrink.ts";
import { BATCH, type CaseKind, randomCase } from "./random-cases.ts";

/** Digests of what the network's own simulator made of random cases, by seed; test/execution/live/fuzz-vm.ts writes them. */
type Digests = Record<"txs" | "programs", string[]>;

function digestsOf({ name }: Generation): Digests {
  return JSON.parse(readFileSync(new URL(`../../fixtures/native-vm/${name}.json`, import.meta.url), "utf8"));
}

function outcome(vm: Vm, generation: Generation, given: GivenTx, kind: CaseKind, debugLogs: boolean): Outcome {
  const tx = hashed(txOf(given, generation));
  return outcomeOf(vm, blockStateOf(given, generation), tx, { debugLogs, trees: kind === "tx" });
}

/** Seeds of the cases of which the simulator said something else. */
function differing(generation: Generation, kind: CaseKind, digests: readonly string[]): number[] {
  const vm = new Vm(generation);
  return digests.flatMap((digest, seed) => {
    const { given, debugLogs } = randomCase(kind, seed, generation);
    return digestOf(outcome(vm, generation, given, kind, debugLogs)) === digest ? [] : [seed];
  });
}

test.each([V4, V5])("random transactions of $name have the outcomes of the network's simulator", (generation) => {
  const { txs } = digestsOf(generation);
  expect(txs).toHaveLength(100);
  expect(differing(generation, "tx", txs)).toEqual([]);
});

test.each([V4, V5])("random programs of $name have the outcomes of the network's simulator", (generation) => {
  const { programs } = digestsOf(generation);
  expect(programs).toHaveLength(1000 / BATCH);
  expect(differing(generation, "programs", programs)).toEqual([]);
});

test.each([V4, V5])("random programs of $name execute every opcode", (generation) => {
  const coverage = new Coverage(generation);
  const counting = new CountingVm(generation, coverage);
  for (let seed = 0; seed < 400 / BATCH; seed++) {
    const { given } = randomCase("programs", seed, generation);
    outcome(counting.on(given), generation, given, "programs", false);
  }
  expect(coverage.missing()).toEqual([]);
});

test("a case is cut down to what a difference needs", async () => {
  const { given } = randomCase("programs", 3, V5);
  const vm = new Vm(V5);
  const hashes = (tx: GivenTx) => {
    const found = outcome(vm, V5, tx, "programs", false);
    return "dropped" in found ? 0 : found.noteHashes.length;
  };
  const instructions = instructionsOf(V5.execution.vm);
  expect(hashes(given)).toBeGreaterThan(0);
  const smallest = await shrink(given, instructions, (tx) => hashes(tx) > 0);
  const lines = caseText(smallest, instructions).split("\n");
  expect(hashes(smallest)).toBe(1);
  expect(lines.filter((line) => line.includes("EMITNOTEHASH"))).toHaveLength(1);
  expect(smallest.contracts.length).toBeLessThanOrEqual(2);
  expect(lines.length).toBeLessThan(25);
});
