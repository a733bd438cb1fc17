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
  /** Without the remedy, and without what it is for. */
  readonly rule: string;
  readonly remedy: string;

  constructor({ name, protocol, host, port }: NodePort, rule: string, remedy: string) {
    const where = `${host} ${protocol === "UDP" ? "UDP " : ""}port ${port}`;
    super(`the ${name} cannot listen on ${where}: ${rule}; ${remedy}`);
    this.name = "PortError";
    this.rule = rule;
    this.remedy = remedy;
  }
}

/** The system does not let the port be opened. */
class BindError extends PortError {
  readonly code: string;

  constructor(wanted: NodePort, code: string) {
    const { port, option } = wanted;
    const remedy =
      code === "EADDRINUSE"
        ? `stop the program that has it (ss -lnp | grep ${port}), or give another ${option}`
        : `give an address of this machine, or another ${option}`;
    super(wanted, bindReason(code), remedy);
    this.name = "BindError";
    this.code = code;
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
          ...(p2p.discovery.disabled ? [] : [{ ...peer, protocol: "UDP" as const }]),
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

const EVERYWHERE: readonly string[] = ["0.0.0.0", "::", ""];

/** Whether only one of them can be opened. */
function clash(one: NodePort, other: NodePort): boolean {
  if (one.port === 0 || one.port !== other.port || one.protocol !== other.protocol) return false;
  return one.host === other.host || [one, other].some(({ host }) => EVERYWHERE.includes(host));
}

/** Why the options let the port not be opened beside those before it; undefined if they do. */
export function clashOf(wanted: NodePort, before: readonly NodePort[]): PortError | undefined {
  const other = before.find((port) => clash(port, wanted));
  if (other === undefined) return undefined;
  const remedy = `give another ${other.option} or ${wanted.option}`;
  return new PortError(wanted, `the ${other.name} of this node has it`, remedy);
}

/** Why the system does not let the port be opened now; undefined if it does. */
export async function portFault(wanted: NodePort): Promise<BindError | undefined> {
  if (wanted.port === 0) return undefined;
  const { protocol, host, port } = wanted;
  const code = await (protocol === "TCP" ? bindFault(host, port) : bindUdp(wanted));
  return code === undefined ? undefined : new BindError(wanted, code);
}

/** Refuses a start whose ports are taken or clash before anything takes long. Rejects with a PortError. */
export async function requirePorts(values: PartValues): Promise<void> {
  for (const [i, wanted] of nodePorts(values).entries()) {
    const fault = clashOf(wanted, nodePorts(values).slice(0, i)) ?? (await portFault(wanted));
    if (fault !== undefined) throw fault;
  }
}
