import { createSocket } from "node:dgram";
import { bindFault } from "../../http/bind-fault.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

interface PortSettings {
  rpcHost: string;
  port: number;
  adminHost: string;
  adminPort: number;
  p2pEnabled: boolean;
  listenAddress: string;
  p2pPort: number;
  metricsHost: string;
  metricsPort: number | undefined;
  feedHost: string;
  feedPort: number | undefined;
}

interface Port {
  check: string;
  protocol: "TCP" | "UDP";
  host: string;
  port: number;
  flag: string;
}

function bindUdp({ host, port }: Port): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", ({ code }: NodeJS.ErrnoException) => {
      socket.close();
      resolve(code ?? "unknown error");
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}

async function checkPort(port: Port, nodeRuns: boolean): Promise<Finding> {
  const where = `${port.protocol} ${port.host}:${port.port}`;
  if (port.port === 0) return ok(port.check, `${where}: any free port`);
  const refused = await (port.protocol === "TCP" ? bindFault(port.host, port.port) : bindUdp(port));
  if (refused === undefined) return ok(port.check, `${where} is free`);
  if (refused !== "EADDRINUSE") {
    return fail(
      port.check,
      `${where} cannot be bound (${refused})`,
      `give an address of this machine, or another ${port.flag}`,
    );
  }
  if (nodeRuns) return ok(port.check, `${where} is in use, and a node runs on this data directory`);
  return fail(
    port.check,
    `${where} is in use by another program`,
    `stop that program (ss -lnp | grep ${port.port}), or give another ${port.flag}`,
  );
}

/** A port that a node has only if its option is given. */
function otherPort(check: string, host: string, port: number | undefined, flag: string): Port[] {
  return port === undefined ? [] : [{ check, protocol: "TCP", host, port, flag }];
}

/** The ports of a node. `nodeRuns`: a node uses the data directory, so that its ports are taken. */
export async function checkPorts(settings: PortSettings, nodeRuns: boolean): Promise<Finding[]> {
  const { rpcHost, adminHost, listenAddress, p2pEnabled } = settings;
  const peer = { host: listenAddress, port: settings.p2pPort, flag: "P2P_PORT" };
  const ports: Port[] = [
    { check: "public port", protocol: "TCP", host: rpcHost, port: settings.port, flag: "--port" },
    { check: "admin port", protocol: "TCP", host: adminHost, port: settings.adminPort, flag: "--admin-port" },
    ...otherPort("metrics port", settings.metricsHost, settings.metricsPort, "--metrics-port"),
    ...otherPort("feed port", settings.feedHost, settings.feedPort, "--feed-port"),
    ...(p2pEnabled
      ? ([
          { check: "peer port", protocol: "TCP", ...peer },
          { check: "peer port", protocol: "UDP", ...peer },
        ] as const)
      : []),
  ];
  const findings = await Promise.all(ports.map((port) => checkPort(port, nodeRuns)));
  const loopback = ["127.0.0.1", "::1", "localhost"];
  if (!loopback.includes(adminHost)) {
    const remedy = "keep --admin-host on loopback unless a firewall stands before it";
    findings.push(warn("admin port", `${adminHost} may be reached from other machines`, remedy));
  }
  return findings;
}
