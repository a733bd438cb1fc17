import { expect, test } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import type { Option } from "../../../src/config/kinds/option.ts";
import { agent, broker, prover } from "../../../src/config/rows/prover.ts";

const rows: readonly Option[] = [...Object.values(prover), ...Object.values(broker), ...Object.values(agent)];

/** Breaks the rule of every kind but text and paths, which take any text. */
const WRONG = "1.5x";

const refused = rows.filter(({ kind }) => kind.parse(WRONG) === undefined);

test("options of proving without a rule are paths, the API key and names of job types", () => {
  const free = rows.filter((row) => !refused.includes(row)).map(({ env }) => env[0]);
  expect(free).toEqual([
    ...["ACVM_WORKING_DIRECTORY", "ACVM_BINARY_PATH", "BB_WORKING_DIRECTORY", "BB_BINARY_PATH"],
    ...["SVC_PROVER_BROKER_API_KEY", "PROVER_AGENT_PROOF_TYPES", "SVC_PROVER_CIRCUITS_PATH"],
  ]);
});

test.each(refused.map((row) => [row.flags[0], row]))("%s refuses a wrong value with name and rule", (flag, row) => {
  const sources = [
    { name: flag, flags: new Map([[flag, WRONG]]), environment: {} },
    ...row.env.map((name) => ({ name, flags: new Map<string, string>(), environment: { [name]: WRONG } })),
  ];
  for (const { name, flags, environment } of sources) {
    let message = "accepted";
    try {
      configure({ flags, environment });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.startsWith(`${name} `) || message.includes(` ${name} `), message).toBe(true);
    expect(message).toContain(row.kind.rule);
    expect(message.split("\n")).toHaveLength(1);
  }
});
