import { toHex } from "../../protocol/bytes.ts";
import { L1RpcError, L1UnavailableError } from "../errors.ts";
import { bytes, list, record } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import { type StateOverride, stateOverrides } from "../state-override.ts";
import { MAX_TX_GAS } from "../tx/estimate-gas.ts";
import { wei } from "../tx/fee-market.ts";
import { revertName } from "./revert-name.ts";

interface SimulatedCall {
  /** Lower-case 0x text. */
  from: string;
  to: string;
  data: Uint8Array;
  /** Timestamp of the simulated block, in seconds. */
  timestamp: number;
  overrides?: readonly StateOverride[];
}

type Simulation =
  | { kind: "succeeded"; gasUsed: bigint }
  | { kind: "reverted"; reason: string }
  /** The L1 node does not support eth_simulateV1. */
  | { kind: "unavailable" };

const MISSING = [-32601, -32004];

function isMissing(error: unknown): boolean {
  if (error instanceof L1UnavailableError) return error.failures.every(isMissing);
  return error instanceof L1RpcError && MISSING.includes(error.code);
}

function simulation(value: unknown): Simulation {
  const block = record(list(value, "eth_simulateV1")[0], "simulated block");
  const call = record(list(block.calls, "calls")[0], "simulated call");
  if (call.status === "0x1") return { kind: "succeeded", gasUsed: wei(call.gasUsed) ?? MAX_TX_GAS };
  const failure = typeof call.error === "object" && call.error !== null ? record(call.error, "error") : {};
  const data = typeof failure.data === "string" ? failure.data : call.returnData;
  bytes(data ?? "0x", "revert data");
  return { kind: "reverted", reason: revertName(typeof data === "string" ? data : "0x") };
}

/**
 * Runs a call on the latest state with eth_simulateV1
 * (docs/protocol/08-building-and-checkpoints.md#818-gas-of-propose). Throws an L1Error.
 */
export async function simulateCall(rpc: L1Rpc, call: SimulatedCall): Promise<Simulation> {
  const block = {
    blockOverrides: { time: `0x${call.timestamp.toString(16)}`, gasLimit: `0x${(2n * MAX_TX_GAS).toString(16)}` },
    stateOverrides: stateOverrides(call.overrides ?? []),
    calls: [{ from: call.from, to: call.to, data: toHex(call.data) }],
  };
  const params = [{ blockStateCalls: [block], validation: false }, "latest"];
  try {
    return await rpc.request({ method: "eth_simulateV1", params, parse: simulation });
  } catch (error) {
    if (isMissing(error)) return { kind: "unavailable" };
    if (error instanceof L1RpcError && error.data !== undefined)
      return { kind: "reverted", reason: revertName(error.data) };
    throw error;
  }
}
