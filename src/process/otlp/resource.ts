import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { Labels } from "../../telemetry/metrics/metrics.ts";
import type { DataDirectory } from "../data-directory.ts";
import { instanceId } from "./instance-id.ts";

/** What kind of process this is, for collectors. */
export function nodeRole({ sequencer, proverBroker, proverAgent }: PartValues["modes"]) {
  if (proverBroker) return "prover-broker";
  if (proverAgent) return "prover-agent";
  return sequencer ? "sequencer" : "node";
}

/**
 * Describes the node to collectors, as the release describes itself; OTEL_RESOURCE_ATTRIBUTES wins. Throws a
 * ConfigurationError.
 */
export function nodeResource(
  values: PartValues,
  { directory, version }: { directory: Pick<DataDirectory, "path" | "temporary">; version: string },
): Labels {
  const { registryAddress, rollupVersion } = values.l1;
  const role = nodeRole(values.modes);
  return {
    "service.name": `aztec-${role}`,
    "service.version": version,
    "service.instance.id": instanceId(directory),
    "aztec.node_role": role,
    "aztec.rollup_version": rollupVersion === undefined ? "canonical" : String(rollupVersion),
    ...(registryAddress !== undefined && { "aztec.registry_address": registryAddress }),
    ...resourceAttributes(values.otlp.resourceAttributes ?? ""),
  };
}

const RULE = "OTEL_RESOURCE_ATTRIBUTES must be pairs key=value, separated by commas, with percent-encoded values";

/** Throws a ConfigurationError for attributes of another form. */
export function checkResource(values: PartValues["otlp"]): void {
  resourceAttributes(values.resourceAttributes ?? "");
}

/** The form of the OpenTelemetry specification ("Resource SDK", section on environment variables). */
function resourceAttributes(text: string): Labels {
  const pairs = text
    .split(",")
    .map((pair) => pair.trim())
    .filter((pair) => pair !== "");
  return Object.fromEntries(
    pairs.map((pair, i) => {
      const [, key, value] = /^([^=\s]+)\s*=\s*(.*)$/.exec(pair) ?? [];
      if (key === undefined) throw new ConfigurationError(`${RULE}: item ${i + 1} is none`);
      try {
        return [key, decodeURIComponent(value)];
      } catch {
        throw new ConfigurationError(`${RULE}: the value of ${key} is not`);
      }
    }),
  );
}
