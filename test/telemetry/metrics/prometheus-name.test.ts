import { expect, test } from "vitest";
import { prometheusLabel, prometheusName } from "../../../src/telemetry/metrics/prometheus-name.ts";

/** Names that dashboards and alerts of the network's operators use. */
test.each([
  ["aztec.archiver.block_height", "", "gauge", "aztec_archiver_block_height"],
  ["aztec.peer_manager.peer_count", "peers", "gauge", "aztec_peer_manager_peer_count_peers"],
  ["aztec.l1_publisher.balance", "eth", "gauge", "aztec_l1_publisher_balance_eth"],
  ["aztec.archiver.block.tx_count", "tx", "histogram", "aztec_archiver_block_tx_count"],
  ["aztec.archiver.block.mana_count", "Mmana", "histogram", "aztec_archiver_block_mana_count_Mmana"],
  ["aztec.sequencer.block.build_mana_per_second", "mana/s", "histogram", "aztec_sequencer_block_build_mana_per_second"],
  ["aztec.public_processor.gas_rate", "gas/s", "gauge", "aztec_public_processor_gas_rate_per_second"],
  ["aztec.node.receive_tx.duration", "ms", "histogram", "aztec_node_receive_tx_duration_milliseconds"],
  ["aztec.p2p.req_resp.sent_requests", "requests", "upDownCounter", "aztec_p2p_req_resp_sent_requests"],
  ["aztec.sequencer.slot.total_count", "", "upDownCounter", "aztec_sequencer_slot_total_count"],
  ["nodejs.eventloop.delay.p99", "ns", "gauge", "nodejs_eventloop_delay_p99_nanoseconds"],
  ["process.cpu.time", "s", "counter", "process_cpu_time_seconds_total"],
  ["svc.rpc.requests", "{call}", "counter", "svc_rpc_requests_total"],
  ["system.cpu.utilization", "1", "gauge", "system_cpu_utilization_ratio"],
  ["total.of.things", "", "counter", "of_things_total"],
] as const)("%s with unit '%s', a %s, is exported as %s", (name, unit, kind, wanted) => {
  expect(prometheusName({ name, unit, kind })).toBe(wanted);
});

test("dots of a label become underscores", () => {
  expect(prometheusLabel("aztec.p2p.goodbye.reason")).toBe("aztec_p2p_goodbye_reason");
});
