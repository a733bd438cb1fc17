import { gauge } from "./metric-row.ts";

/** Describes the node as a whole: the resource of OpenTelemetry, by the names of its semantic conventions. */
export const TARGET_METRICS = {
  target: gauge("target_info", {
    labels: {
      "service.name": "any",
      "service.version": "any",
      "service.instance.id": "any",
      "aztec.node_role": "any",
      "aztec.rollup_version": "any",
      "aztec.rollup_address": "any",
      "aztec.registry_address": "any",
    },
    meaning: "1; its labels describe the node",
  }),
} as const;
