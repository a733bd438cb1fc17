import { describe, expect, test } from "vitest";
import { devnetRequest, newPlan, plannedNodes, requireRoom, requireSamePlan } from "../../src/devnet/plan.ts";

describe("flags of a devnet", () => {
  test("every wrong one is named", () => {
    expect(() => devnetRequest({ validators: "0", leave: "x", followers: "99", basePort: "80" })).toThrow(
      '--validators must be a whole number from 1 to 16, not "0"; --leave must be a whole number from 0 to 16, not "x"; ' +
        '--followers must be a whole number from 0 to 8, not "99"; --base-port must be a whole number from 1024 to 65535, ' +
        'not "80"',
    );
  });

  test("the committee has at most 16 validators", () => {
    const { given } = devnetRequest({ validators: "10", leave: "7" });
    expect(() => newPlan(given)).toThrow("--validators and --leave must be at most 16 together, are 17");
  });

  test("those that differ from an earlier start are named with what they were", () => {
    const kept = newPlan({ validators: 2, fast: true });
    expect(() => requireSamePlan({ validators: 3, prover: true, fast: true }, kept, "/net")).toThrow(
      "the network in /net was made without --validators (it has 2), --prover (it has false)",
    );
    expect(() => requireSamePlan({ validators: 2 }, kept, "/net")).not.toThrow();
  });

  test("a base port leaves room for the ports of all nodes", () => {
    const plan = newPlan({ validators: 4, leave: 1 });
    expect(() => requireRoom(plan, 65_500)).not.toThrow();
    expect(() => requireRoom(plan, 65_520)).toThrow("--base-port must be at most 65501: the network takes 35 ports");
  });
});

test("nodes are started in the order in which they need each other, each with its own ports", () => {
  const plan = newPlan({ validators: 2, prover: true, followers: 1, haproxy: true });
  expect(plannedNodes(plan, 2000).map(({ name, port }) => `${name} ${port}`)).toEqual([
    ...["l1 2000", "bootnode 2005", "validator-1 2010", "validator-2 2015"],
    ...["broker 2020", "prover 2025", "agent 2030", "follower-1 2035", "haproxy 2040"],
  ]);
});
