import { expect, test } from "vitest";
import { configure } from "../../src/config/configuration.ts";
import { selectedMode } from "../../src/modes/modes.ts";
import { startableMode } from "../../src/modes/start-checks.ts";

const modeOf = (...flags: string[]): string =>
  selectedMode(configure({ flags: new Map(flags.map((flag) => [flag, "true"])), environment: {} }).values).name;

test.each([
  [["--node"], "node"],
  [["--node", "--bot"], "node"],
  [["--node", "--sequencer"], "node"],
  [["--prover-node"], "node"],
  [["--node", "--prover-node"], "node"],
  [["--bot"], "bot"],
  [["--local-network"], "local network"],
  [["--p2p-bootstrap"], "bootnode"],
  [["--prover-broker"], "prover broker"],
  [["--prover-agent"], "prover-agent"],
  [["--rpc-only"], "rpc only"],
])("%j starts the mode %s", (flags, mode) => {
  expect(modeOf(...flags)).toBe(mode);
});

test.each([["--node"], ["--sequencer"], ["--bot"], ["--local-network"]])("a bootnode does not run with %s", (flag) => {
  expect(() => modeOf("--p2p-bootstrap", flag)).toThrow("--p2p-bootstrap runs alone, not with the other modes");
});

test.each([["--node"], ["--sequencer"], ["--bot"], ["--local-network"]])("a broker does not run with %s", (flag) => {
  expect(() => modeOf("--prover-broker", flag)).toThrow("--prover-broker runs alone, not with the other modes");
});

test("a bootnode without an address is told which option to give, before anything starts", async () => {
  const configuration = configure({ flags: new Map([["--p2p-bootstrap", "true"]]), environment: {} });
  await expect(startableMode(configuration)).rejects.toThrow(
    "A bootnode announces its address: give --p2p.p2pIp or P2P_IP",
  );
});

test.each([["--node"], ["--sequencer"], ["--bot"], ["--local-network"], ["--p2p-bootstrap"]])(
  "agents do not run with %s",
  (flag) => {
    expect(() => modeOf("--prover-agent", flag)).toThrow(/runs alone, not with the other modes/);
  },
);

test("agents are told before anything starts that they need a broker", async () => {
  const configuration = configure({ flags: new Map([["--prover-agent", "true"]]), environment: {} });
  await expect(startableMode(configuration)).rejects.toThrow(
    "Agents get their jobs from a broker: give --proverAgent.proverBrokerUrl or PROVER_BROKER_HOST",
  );
});
