import { expect, test } from "vitest";
import { executionRecord } from "../../src/execution/metrics.ts";
import { processTxs } from "../../src/execution/process-txs.ts";
import { Vm } from "../../src/execution/vm/vm.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { Metrics } from "../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../src/telemetry/metrics/prometheus-text.ts";
import { blockStateOf, hashed, txOf, VECTORS } from "../world/execution/avm-vectors.ts";
import { fundedState, payersTx } from "../world/execution/funded-state.ts";

function recorded(): { record: ReturnType<typeof executionRecord>; value(series: string): number } {
  const metrics = new Metrics((error) => {
    throw error;
  });
  return {
    record: executionRecord(metrics),
    value(series) {
      const line = prometheusText(metrics.collect())
        .split("\n")
        .find((each) => each.startsWith(`${series} `));
      return Number(line?.slice(series.length + 1));
    },
  };
}

test("executed and refused txs are counted, with the gas of the block", async () => {
  const { record, value } = recorded();
  const txs = [payersTx(0x4242), payersTx(0x4243), payersTx(0x4242)].map(hashed);
  await processTxs(new Vm(V4), fundedState(), txs, { mode: "build", record });
  expect(value('aztec_public_processor_tx_count{aztec_ok="true"}')).toBe(2);
  expect(value('aztec_public_processor_tx_count{aztec_ok="false"}')).toBe(1);
  expect(value('aztec_public_processor_total_gas{aztec_gas_dimension="L2"}')).toBe(2000);
  expect(value('aztec_public_processor_tx_gas_sum{aztec_gas_dimension="L2"}')).toBe(2000);
  expect(value("aztec_public_processor_tree_insertion_milliseconds_count")).toBe(2);
});

test("public calls are counted with their phases, times and mana", async () => {
  const given = VECTORS.txCases.find(
    ({ expect: { revertCode, unprocessable }, tx }) => revertCode === 0 && !unprocessable && tx.app?.length === 1,
  );
  if (given === undefined) throw new Error("no vector has one call");
  const { record, value } = recorded();
  const { processed } = await processTxs(new Vm(V4), blockStateOf(given), [hashed(txOf(given))], {
    mode: "build",
    record,
  });
  expect(processed).toHaveLength(1);
  const calls = processed[0].calls.length;
  expect(value('aztec_public_executor_simulation_count{aztec_ok="true"}')).toBe(calls);
  expect(value("aztec_public_executor_simulation_mana_used_count")).toBe(calls);
  expect(value('aztec_public_processor_phase_count{aztec_tx_phase_name="App logic",aztec_ok="true"}')).toBe(1);
  expect(
    value('aztec_public_executor_private_effects_insertion_microseconds_count{aztec_revertibility="revertible"}'),
  ).toBe(1);
});
