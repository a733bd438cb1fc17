import { gauge } from "../../telemetry/metrics/metric-row.ts";

/** Of a process that only serves JSON-RPC beside a node. */
export const RPC_ONLY_METRICS = {
  away: gauge("svc.rpc_only.node.away", {
    unit: "s",
    meaning: "time since the node beside a process of --rpc-only last answered",
  }),
  lag: gauge("svc.rpc_only.lag", {
    unit: "{block}",
    meaning: "blocks that L1 has and the store that a process of --rpc-only reads does not",
  }),
} as const;
