import type { PartValues } from "../../config/part-values.ts";
import { clashOf, nodePorts, portFault } from "../../node/settings/free-ports.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

type Port = ReturnType<typeof nodePorts>[number];

async function checkPort(port: Port, before: readonly Port[], nodeRuns: boolean): Promise<Finding> {
  const where = `${port.protocol} ${port.host}:${port.port}`;
  if (port.port === 0) return ok(port.name, `${where}: any free port`);
  const clash = clashOf(port, before);
  if (clash !== undefined) return fail(port.name, `${where}: ${clash.rule}`, clash.remedy);
  const fault = await portFault(port);
  if (fault === undefined) return ok(port.name, `${where} is free`);
  const { code, remedy } = fault;
  if (code !== "EADDRINUSE") return fail(port.name, `${where} cannot be bound (${code})`, remedy);
  if (nodeRuns) return ok(port.name, `${where} is in use, and a node runs on this data directory`);
  return fail(port.name, `${where} is in use by another program`, remedy);
}

/** The ports of a node. `nodeRuns`: a node uses the data directory, so that its ports are taken. */
export async function checkPorts(values: PartValues, nodeRuns: boolean): Promise<Finding[]> {
  const ports = nodePorts(values);
  const findings: Finding[] = [];
  // One after the other: two that clash would each find the other's attempt.
  for (const [i, port] of ports.entries()) findings.push(await checkPort(port, ports.slice(0, i), nodeRuns));
  const loopback = ["127.0.0.1", "::1", "localhost"];
  const { host } = values.admin;
  if (!loopback.includes(host)) {
    const remedy = "keep --admin-host on loopback unless a firewall stands before it";
    findings.push(warn("admin port", `${host} may be reached from other machines`, remedy));
  }
  return findings;
}
