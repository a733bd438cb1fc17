import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Vm } from "../../../src/execution/vm/vm.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { blockStateOf, hashed, txOf } from "../../world/execution/avm-vectors.ts";
import { digestOf, outcomeOf } from "../../world/execution/tx-outcome.ts";
import { BATCH, type CaseKind, randomCase } from "./random-cases.ts";

/** Digests of what the network's own simulator made of random cases, by seed; test/execution/live/fuzz-vm.ts writes them. */
type Digests = Record<"txs" | "programs", string[]>;

function digestsOf({ name }: Generation): Digests {
  return JSON.parse(readFileSync(new URL(`../../fixtures/native-vm/${name}.json`, import.meta.url), "utf8"));
}

/** Seeds of the cases of which the simulator said something else. */
function differing(generation: Generation, kind: CaseKind, digests: readonly string[]): number[] {
  const vm = new Vm(generation);
  return digests.flatMap((digest, seed) => {
    const { given, debugLogs } = randomCase(kind, seed, generation);
    const options = { debugLogs, trees: kind === "tx" };
    const outcome = outcomeOf(vm, blockStateOf(given, generation), hashed(txOf(given)), options);
    return digestOf(outcome) === digest ? [] : [seed];
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
