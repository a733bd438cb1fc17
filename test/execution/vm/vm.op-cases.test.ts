import { describe, expect, test } from "vitest";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { effectsOf, hostOf, requestOf, VECTORS, words } from "../support/op-vectors.ts";

describe.each([...new Set(VECTORS.opCases.map(({ group }) => group))])("recorded single calls: %s", (group) => {
  const vm = new Vm(V4);
  const cases = VECTORS.opCases.filter((given) => given.group === group);

  test.each(cases.map((given) => [given.name, given] as const))("a call has the recorded outcome: %s", (_, given) => {
    const host = hostOf(vm, given);
    const result = vm.run(requestOf(given), host, { maxOutputFields: 5000 });
    const { reverted, halt, output, gasUsed, effects = {} } = given.expect;
    expect(result.ended).toBe(reverted ? (halt === "REVERT" ? "reverted" : "halted") : "returned");
    expect(words(result.output)).toEqual(output);
    expect(result.gasUsed).toEqual(gasUsed);
    // The caller undoes the effects of a failed call, so they are not compared here.
    if (!reverted) expect(effectsOf(host, effects.publicLogsSummary !== undefined)).toEqual(effects);
  });
});
