import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { bigUintBytes, toHex } from "../../../src/protocol/bytes.ts";
import { call, until } from "../../world/live/json-rpc.ts";
import { LiveNode } from "../../world/live/live-node.ts";
import type { ReferenceControl } from "../../world/live/reference-network.ts";

export interface ProverPartsOptions {
  control: ReferenceControl;
  /** Describes the network. */
  file: string;
  /** For data and logs. */
  folder: string;
  /** Command that starts a reference agent. */
  referenceAgent: string;
  /** First of the ports that the agents and our prover node use. */
  port: number;
  /** Of a node that joins the network. */
  environment: Readonly<Record<string, string>>;
}

export interface RunningParts {
  /** Lines that the agent logged. */
  agentLog(): string[];
  /** Warnings and errors that parts of ours logged about proving. */
  complaints(): string[];
  /** Kills the parts of ours one after the other and starts them again; the prover node is every tenth. */
  kill(times: number, signal: AbortSignal): Promise<void>;
}

const KEY = bigUintBytes(7100n, 32);
const START_MS = 240_000;
/** The node has its own. */
const NOT_TAKEN = /^(LOG_|NODE_OPTIONS$|P2P_PORT$|AZTEC_)/;
/** Levels of pino. */
const WARNING = 40;
const FATAL = 60;
/** A node that is killed more often does nothing but start. */
const PROVER_KILLED_EVERY = 10;
const PROVER_START_MS = 5000;
const KILL_INTERVAL_MS = 1000;
/** Said at every start. */
const EXPECTED = /no API key is set/;

/** Starts a prover node, a broker and an agent, each ours or the reference's. One set runs at a time. */
export class ProverParts {
  readonly #options: ProverPartsOptions;
  readonly #brokerPort: number;
  /** What ends the running parts, in this order. */
  readonly #stops: (() => Promise<unknown>)[] = [];
  #started = 0;

  constructor(options: ProverPartsOptions) {
    this.#options = options;
    const { n, base } = JSON.parse(readFileSync(options.file, "utf8")) as { n: number; base: number };
    this.#brokerPort = base + 10 * (n + 1);
  }

  /** L1 account of our prover node; lower-case 0x text. */
  get ownPublisher(): string {
    return new LocalSigner(KEY).address.toLowerCase();
  }

  /** `combination`: o or r for each of prover node, broker and agent. Resolves once the prover node is ready. */
  async start(combination: string): Promise<RunningParts> {
    const [proverNode, broker, agent] = combination;
    const stops = this.#stops;
    const own: LiveNode[] = [];
    const add = (node: LiveNode): LiveNode => {
      own.push(node);
      process.once("exit", () => void node.end("SIGKILL"));
      stops.unshift(() => node.end("SIGTERM"));
      node.start();
      return node;
    };
    const tag = `${++this.#started}-${combination}`;
    const { control } = this.#options;
    if (broker === "o") add(this.#own(`broker-${tag}`, this.#brokerPort, ["--prover-broker"]));
    else {
      await control.start("broker");
      stops.unshift(() => control.stop("broker"));
    }
    await until("the broker answers", START_MS, () => this.#brokerAnswers());
    let agentLog: RunningParts["agentLog"];
    if (agent === "o") {
      const node = add(this.#own(`agent-${tag}`, this.#options.port, ["--prover-agent"]));
      agentLog = () => node.lines();
    } else {
      const log = join(this.#options.folder, `agent-${tag}.log`);
      const child = this.#referenceAgent(log);
      process.once("exit", () => child.kill("SIGKILL"));
      stops.unshift(() => ended(child));
      agentLog = () => readFileSync(log, "utf8").split("\n");
    }
    if (proverNode === "o") {
      const settings = {
        PROVER_PUBLISHER_PRIVATE_KEY: toHex(KEY),
        PROVER_NODE_POLLING_INTERVAL_MS: "2000",
        PROVER_AGENT_COUNT: "0",
      };
      const node = add(this.#own(`prover-${tag}`, this.#options.port + 10, ["--node", "--prover-node"], settings));
      await until("our prover node is ready", START_MS, () => call(node.url, "node_isReady") as Promise<boolean>);
    } else {
      await control.start("prover", {}, ["--proverAgent.proverAgentCount", "0"]);
      stops.unshift(() => control.stop("prover"));
    }
    return {
      agentLog,
      complaints: () => own.flatMap((node) => node.lines().filter(isComplaint)),
      // The reference's prover node gives an epoch up if the broker is away for half a minute.
      kill: (times, signal) => kill(proverNode === "o" ? own : own.filter(isAgent), times, signal),
    };
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) await stop();
  }

  get #brokerUrl(): string {
    return `http://127.0.0.1:${this.#brokerPort + 1}`;
  }

  async #brokerAnswers(): Promise<true> {
    await call(this.#brokerUrl, "proverBroker_getProvingJobStatus", `0:ROOT_ROLLUP:${"0".repeat(64)}`);
    return true;
  }

  #own(name: string, port: number, args: readonly string[], more: Record<string, string> = {}): LiveNode {
    const { folder, environment } = this.#options;
    const shared = Object.fromEntries(Object.entries(environment).filter(([variable]) => !NOT_TAKEN.test(variable)));
    return new LiveNode({
      ...{ name, folder, port, args },
      environment: { ...shared, ...this.#proving, LOG_LEVEL: "verbose", ...more },
    });
  }

  get #proving(): Record<string, string> {
    return {
      PROVER_BROKER_HOST: this.#brokerUrl,
      PROVER_REAL_PROOFS: "false",
      PROVER_AGENT_POLL_INTERVAL_MS: "200",
    };
  }

  #referenceAgent(log: string): ChildProcess {
    const [command, ...args] = this.#options.referenceAgent.split(" ");
    const out = openSync(log, "a");
    const { port } = this.#options;
    return spawn(command, args, {
      stdio: ["ignore", out, out],
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: "info", ...this.#proving },
        ...{ AZTEC_PORT: String(port + 1), AZTEC_ADMIN_PORT: String(port + 2), PROVER_AGENT_COUNT: "1" },
      },
    });
  }
}

function isComplaint(line: string): boolean {
  if (!line.startsWith("{")) return false;
  const { level, module } = JSON.parse(line) as { level: number; module: string };
  return level >= FATAL || (level >= WARNING && module.startsWith("prover") && !EXPECTED.test(line));
}

function isAgent({ options }: LiveNode): boolean {
  return options.args.includes("--prover-agent");
}

async function kill(nodes: readonly LiveNode[], times: number, signal: AbortSignal): Promise<void> {
  const prover = nodes.filter(isProverNode);
  const others = nodes.filter((node) => !isProverNode(node));
  for (let i = 0; i < times && nodes.length > 0 && !signal.aborted; i++) {
    const from = others.length === 0 || (prover.length > 0 && i % PROVER_KILLED_EVERY === 0) ? prover : others;
    const node = from[i % from.length];
    await node.end("SIGKILL");
    node.start();
    const pause = isProverNode(node) ? PROVER_START_MS : KILL_INTERVAL_MS;
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
}

function isProverNode({ options }: LiveNode): boolean {
  return options.args.includes("--prover-node");
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), 15_000);
  await exit;
  clearTimeout(late);
}
