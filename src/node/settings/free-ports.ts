import { createSocket } from "node:dgram";
import type { PartValues } from "../../config/part-values.ts";
import { OperatorError } from "../../errors/operator-error.ts";
import { bindFault, bindReason } from "../../http/bind-fault.ts";

/** A port that a node opens. */
interface NodePort {
  /** What it is for, in two words. */
  readonly name: string;
  readonly protocol: "TCP" | "UDP";
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The option that moves it. */
  readonly option: string;
}

/** A port of the node cannot be opened. */
class PortError extends OperatorError {
  override readonly errorCode: string = "cannot-listen";
  readonly code: string;
  readonly remedy: string;

  constructor({ name, protocol, host, port, option }: NodePort, code: string) {
    const where = `${host} ${protocol === "UDP" ? "UDP " : ""}port ${port}`;
    const remedy =
      code === "EADDRINUSE"
        ? `stop the program that has it (ss -lnp | grep ${port}), or give another ${option}`
        : `give an address of this machine, or another ${option}`;
    super(`the ${name} cannot listen on ${where}: ${bindReason(code)}; ${remedy}`);
    this.name = "PortError";
    this.code = code;
    this.remedy = remedy;
  }
}

/** The ports that a node opens with these options. */
export function nodePorts({ rpc, admin, metrics, feed, p2p }: PartValues): NodePort[] {
  const other = (name: string, host: string, port: number | undefined, option: string): NodePort[] =>
    port === undefined ? [] : [{ name, protocol: "TCP", host, port, option }];
  const { address: host, port } = p2p.own;
  const peer = { name: "peer port", host, port, option: "P2P_PORT" };
  return [
    { name: "public port", protocol: "TCP", host: rpc.listen.host, port: rpc.listen.port, option: "--port" },
    { name: "admin port", protocol: "TCP", host: admin.host, port: admin.port, option: "--admin-port" },
    ...other("metrics port", metrics.host, metrics.port, "--metrics-port"),
    ...other("feed port", feed.host, feed.port, "--feed-port"),
    ...(p2p.enabled
      ? ([
          { ...peer, protocol: "TCP" },
          { ...peer, protocol: "UDP" },
        ] as const)
      : []),
  ];
}

function bindUdp({ host, port }: NodePort): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket("udp4");
    socket.once("error", ({ code }: NodeJS.ErrnoException) => {
      socket.close();
      resolve(code ?? "unknown error");
    });
    socket.bind({ address: host, port, exclusive: true }, () => socket.close(() => resolve(undefined)));
  });
}

/** Why the port cannot be opened now; undefined if it can. */
export async function portFault(wanted: NodePort): Promise<PortError | undefined> {
  if (wanted.port === 0) return undefined;
  const { protocol, host, port } = wanted;
  const code = await (protocol === "TCP" ? bindFault(host, port) : bindUdp(wanted));
  return code === undefined ? undefined : new PortError(wanted, code);
}

/** Refuses a start whose ports are taken before anything takes long. Rejects with a PortError. */
export async function requirePorts(values: PartValues): Promise<void> {
  for (const wanted of nodePorts(values)) {
    const fault = await portFault(wanted);
    if (fault !== undefined) throw fault;
  }
}
