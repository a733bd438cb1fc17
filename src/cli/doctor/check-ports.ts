import { createSocket } from "node:dgram";
import { createServer } from "node:net";
import { type Finding, fail, ok, warn } from "./finding.ts";

interface PortSettings {
  rpcHost: string;
  port: number;
  adminHost: string;
  adminPort: number;
  p2pEnabled: boolean;
  listenAddress: string;
  p2pPort: number;
}

interface Port {
  check: string;
  protocol: "TCP" | "UDP";
  host: string;
  port: number;
  flag: string;
}

function bindTcp({ host, port }: Port): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "unknown error"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
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
  const refused = await (port.protocol === "TCP" ? bindTcp(port) : bindUdp(port));
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

/** The ports of a node. `nodeRuns`: a node uses the data directory, so that its ports are taken. */
export async function checkPorts(settings: PortSettings, nodeRuns: boolean): Promise<Finding[]> {
  const { rpcHost, adminHost, listenAddress, p2pEnabled } = settings;
  const peer = { host: listenAddress, port: settings.p2pPort, flag: "P2P_PORT" };
  const ports: Port[] = [
    { check: "public port", protocol: "TCP", host: rpcHost, port: settings.port, flag: "--port" },
    { check: "admin port", protocol: "TCP", host: adminHost, port: settings.adminPort, flag: "--admin-port" },
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
