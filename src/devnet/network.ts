import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { NodeLogger } from "../process/logging/logging.ts";
import { askNode, isLive } from "./ask-node.ts";
import { type CombinedLog, NodeLog } from "./combined-log.ts";
import type { ControlAnswer, ControlRequest, NodeStatus } from "./control.ts";
import { DevnetError } from "./errors.ts";
import type { DevnetFolder } from "./folder.ts";
import { writeHaproxyConfiguration } from "./haproxy.ts";
import type { Program } from "./keys.ts";
import type { Part } from "./part.ts";
import { type PlannedNode, PORT_OF } from "./plan.ts";
import { hasPort } from "./ports.ts";
import { type PartCommand, ProcessPart } from "./process-part.ts";
import type { ProcessWatch } from "./process-watch.ts";
import { bootnodeStart, type NetworkFacts, nodeStart, passedVariables, systemVariables } from "./settings.ts";

const LOOK_MS = 200;
/** Milliseconds for a process to answer after its start, on a busy machine. */
const ANSWER_LIMIT_MS = 120_000;

interface NetworkOptions {
  folder: DevnetFolder;
  nodes: readonly PlannedNode[];
  l1: Part;
  program: Program;
  watch: ProcessWatch;
  combined: CombinedLog;
  log: NodeLogger;
  signal: AbortSignal;
}

const url = (port: number) => `http://127.0.0.1:${port}`;

const PHASES = { starting: "still starting", stopping: "being stopped" } as const;

/** The running processes of a network, by name. */
export class Network {
  readonly #options: NetworkOptions;
  readonly #parts = new Map<string, Part>();
  /** Actions on nodes are for `running`: the start waits for them, and the end stops them all. */
  #phase: "starting" | "running" | "stopping" = "starting";
  /** Actions on nodes run one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.#parts.set("l1", options.l1);
  }

  /** Starts the bootnode. Returns its record. */
  async startBootnode(): Promise<string> {
    const node = this.#planned("bootnode");
    const { folder } = this.#options;
    await this.#add(node, this.#svc(bootnodeStart(node, folder, passedVariables(process.env)))).start();
    return this.#until(node, async () => {
      const record = await askNode(node.port, "bootstrap_getEncodedEnr");
      return typeof record === "string" ? record : undefined;
    });
  }

  /** Starts all other nodes. Resolves once each answers; from then on single nodes can be stopped. */
  async startNodes(facts: NetworkFacts): Promise<void> {
    await this.#startNodes(facts);
    this.#phase = "running";
  }

  async #startNodes(facts: NetworkFacts): Promise<void> {
    const { nodes, folder } = this.#options;
    const environment = passedVariables(process.env);
    const started = nodes.filter(({ role }) => role !== "L1" && role !== "bootnode" && role !== "HAProxy");
    for (const node of started) await this.#add(node, this.#svc(nodeStart(node, facts, environment))).start();
    for (const node of started) await this.#untilLive(node);
    const haproxy = nodes.find(({ role }) => role === "HAProxy");
    if (haproxy === undefined) return;
    const first = nodes.filter(({ role }) => role === "validator").slice(0, facts.plan.followers > 0 ? 1 : undefined);
    const behind = [...first, ...nodes.filter(({ role }) => role === "follower")];
    const file = join(folder.path, "haproxy.cfg");
    writeHaproxyConfiguration(
      file,
      behind.map(({ name, port }) => ({ name, address: `127.0.0.1:${port}` })),
    );
    const command = {
      file: "haproxy",
      args: ["-db", "-f", file],
      environment: {
        PATH: process.env.PATH,
        SVC_BIND: `127.0.0.1:${haproxy.port}`,
        SVC_HAPROXY_SOCKET: join(folder.path, "haproxy.sock"),
      },
    };
    await this.#add(haproxy, command).start();
    await this.#untilLive(haproxy);
  }

  /** Ends all nodes in order, those first that use others. */
  async stop(): Promise<void> {
    this.#phase = "stopping";
    await this.#last.catch(() => undefined);
    const order: readonly string[][] = [["HAProxy"], ["follower"], ["prover agent", "prover node"], ["validator"]];
    const named = (roles: readonly string[]) => this.#options.nodes.filter(({ role }) => roles.includes(role));
    for (const roles of [...order, ["prover broker", "bootnode"], ["L1"]]) {
      await Promise.all(named(roles).map(({ name }) => this.#stopOne(name)));
    }
  }

  /** The others are stopped also where this one cannot be. */
  async #stopOne(name: string): Promise<void> {
    try {
      await this.#parts.get(name)?.stop();
    } catch (error) {
      this.#options.log.error({ name, err: error }, "{name} could not be stopped");
    }
  }

  /** Does what a control request asks, except for ending the network. Throws a DevnetError. */
  async handle({ action, name }: ControlRequest): Promise<ControlAnswer> {
    if (action === "status") return { nodes: await this.status(name) };
    if (this.#phase !== "running") throw new DevnetError(`the network is ${PHASES[this.#phase]}`);
    const work = this.#last.catch(() => undefined).then(() => this.#act(action, name ?? ""));
    this.#last = work;
    return work;
  }

  async status(only?: string): Promise<NodeStatus[]> {
    if (only !== undefined) this.#planned(only);
    const { nodes } = this.#options;
    return Promise.all(
      nodes.filter(({ name }) => only === undefined || name === only).map((node) => this.#status(node)),
    );
  }

  async #act(action: "stop" | "kill" | "restart", name: string): Promise<ControlAnswer> {
    const node = this.#planned(name);
    const part = this.#parts.get(name);
    if (part === undefined) throw new DevnetError(`${name} has not been started yet`);
    const ran = part.pid !== undefined;
    if (action !== "restart") {
      if (!ran) throw new DevnetError(`${name} does not run: it is ${part.state}`);
      await (action === "kill" ? part.kill() : part.stop());
      this.#options.log.warn({ name, action }, action === "kill" ? "{name} was killed" : "{name} was stopped");
      return { done: `${name} was ${action === "kill" ? "killed" : "stopped"}; svc devnet restart ${name} starts it` };
    }
    if (ran) await part.stop();
    await part.start();
    await this.#untilLive(node);
    this.#options.log.info({ name, pid: part.pid }, "{name} runs again as process {pid}");
    return { done: `${name} runs again as process ${part.pid}` };
  }

  #planned(name: string): PlannedNode {
    const { nodes } = this.#options;
    const node = nodes.find((one) => one.name === name);
    if (node !== undefined) return node;
    throw new DevnetError(
      `no node is named ${JSON.stringify(name)}: there are ${nodes.map((one) => one.name).join(", ")}`,
    );
  }

  async #status(node: PlannedNode): Promise<NodeStatus> {
    const { folder } = this.#options;
    const { name, role, port } = node;
    const part = this.#parts.get(name);
    const at = (use: "rpc" | "admin" | "metrics") => (hasPort(node, use) ? url(port + PORT_OF[use]) : undefined);
    const admin = at("admin");
    const asksForBlocks = part?.pid !== undefined && admin !== undefined;
    const block = asksForBlocks ? await askNode(port, "node_getBlockNumber") : undefined;
    return {
      ...{ name, role, state: part?.state ?? "stopped", endedWith: part?.endedWith, pid: part?.pid },
      ...{ rpc: at("rpc"), admin, metrics: at("metrics"), page: admin === undefined ? undefined : `${admin}/ui/` },
      block: typeof block === "number" ? block : undefined,
      log: folder.log(name),
    };
  }

  #svc({ args, variables }: { args: readonly string[]; variables: Readonly<Record<string, string>> }): PartCommand {
    const environment = { ...systemVariables(process.env), ...variables };
    return { file: process.execPath, args: [...this.#options.program, "start", ...args], environment };
  }

  #add(node: PlannedNode, command: PartCommand): Part {
    const { folder, combined, watch, log } = this.#options;
    const nodeLog = new NodeLog(folder.log(node.name), (line) => combined.line(node.name, line));
    const part = new ProcessPart({ name: node.name, command, nodeLog, watch, log });
    this.#parts.set(node.name, part);
    return part;
  }

  async #untilLive(node: PlannedNode): Promise<void> {
    if (node.role === "L1") return;
    await this.#until(node, async () => (await isLive(node.port)) || undefined);
  }

  /** Waits for an answer of a process. Throws a DevnetError if the process ends, or gives none in time. */
  async #until<T>({ name }: PlannedNode, look: () => Promise<T | undefined>): Promise<T> {
    const { folder, signal } = this.#options;
    const part = this.#parts.get(name);
    const end = performance.now() + ANSWER_LIMIT_MS;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      signal.throwIfAborted();
      if (part?.pid === undefined) {
        throw new DevnetError(`${name} ended with ${part?.endedWith ?? part?.state}: see ${folder.log(name)}`);
      }
      if (performance.now() > end) {
        throw new DevnetError(`${name} did not answer within ${ANSWER_LIMIT_MS / 1000} s: see ${folder.log(name)}`);
      }
      await sleep(LOOK_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
