import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CountingProxy } from "./counting-proxy.ts";
import type { EpochRecording } from "./epoch-recording.ts";
import { BUILT_MAIN, freePort, NotBuiltError } from "./recorded-nodes.ts";
import type { Reference } from "./reference.ts";
import { cpuTimeOf, memoryOf, ServerProcess } from "./server-process.ts";
import { answerTo, call } from "./wrk.ts";

const REFERENCE_MAIN = "node_modules/@aztec/aztec/dest/bin/index.js";
/** Second account of anvil. */
const PROVER_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
/** Of every part, on both sides. */
const COMMON = {
  PROVER_REAL_PROOFS: "false",
  PROVER_AGENT_POLL_INTERVAL_MS: "200",
  /** The reference's limit of 1 MB refuses the inputs of checkpoint roots. */
  RPC_MAX_BODY_SIZE: "100mb",
  LOG_LEVEL: "warn",
} as const;

export const PROVER_PARTS = ["prover node", "broker", "agent"] as const;
export type ProverPart = (typeof PROVER_PARTS)[number];

/** How the parts of one side are started. */
export interface ProverSide {
  start(args: readonly string[], environment: Record<string, string>): ServerProcess;
  /** An empty folder, and what the processes call it. */
  folder(): { inside: string; outside: string };
}

export const ownSide: ProverSide = {
  start(args, environment) {
    if (!existsSync(BUILT_MAIN)) throw new NotBuiltError(BUILT_MAIN);
    return new ServerProcess(process.execPath, [BUILT_MAIN, ...args], { ...environment, PATH: process.env.PATH });
  },
  folder() {
    const path = mkdtempSync(join(tmpdir(), "svc-bench-prover-"));
    return { inside: path, outside: path };
  },
};

export function referenceSide(reference: Reference): ProverSide {
  return {
    start: (args, environment) => reference.start(REFERENCE_MAIN, args, environment),
    folder() {
      const outside = mkdtempSync(join(reference.outside(reference.inside("prover-"))));
      return { inside: outside.slice(reference.outside("").length), outside };
    },
  };
}

/** What a part used since it was started. */
export interface PartFigures {
  /** MiB. */
  resident: number;
  /** Without pages of files, MiB. */
  anonymous: number;
  /** Most that was resident at any time, MiB. */
  peak: number;
  cpuMs: number;
}

function figuresOf(pid: number): PartFigures {
  const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
  return { ...memoryOf(pid), peak, cpuMs: cpuTimeOf(pid) };
}

/** A node that has the recorded transactions. */
async function serveTxs(txs: ReadonlyMap<string, unknown>): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      type Call = { id: number; params: [string[]] };
      const asked = JSON.parse(Buffer.concat(parts).toString()) as Call | Call[];
      const answer = ({ id, params: [hashes] }: Call) => ({
        jsonrpc: "2.0",
        id,
        result: hashes.flatMap((hash) => txs.get(hash) ?? []),
      });
      const answers = Array.isArray(asked) ? asked.map(answer) : answer(asked);
      response.setHeader("content-type", "application/json").end(JSON.stringify(answers));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A broker and an agent, each a process, with the bytes between them counted. */
export class BrokerAndAgent {
  readonly broker: ServerProcess;
  readonly agent: ServerProcess;
  readonly toAgent: CountingProxy;
  readonly brokerPort: number;

  private constructor(broker: ServerProcess, agent: ServerProcess, toAgent: CountingProxy, brokerPort: number) {
    this.broker = broker;
    this.agent = agent;
    this.toAgent = toAgent;
    this.brokerPort = brokerPort;
  }

  /** `network`: settings of the network, of which the reference's broker reads the rollup. */
  static async start(
    sides: { broker: ProverSide; agent: ProverSide },
    folder: string,
    network: Record<string, string>,
  ): Promise<BrokerAndAgent> {
    const port = await freePort();
    const broker = sides.broker.start(["start", "--prover-broker", "--port", String(port)], {
      ...network,
      ...COMMON,
      DATA_DIRECTORY: folder,
    });
    const stops: (() => Promise<void>)[] = [() => broker.stop()];
    try {
      await answering(broker, port, "proverBroker_getCompletedJobs", [[]]);
      const toAgent = await CountingProxy.start(port);
      stops.unshift(() => toAgent.stop());
      const agentPort = await freePort();
      const agent = sides.agent.start(["start", "--prover-agent", "--port", String(agentPort)], {
        ...COMMON,
        PROVER_BROKER_HOST: toAgent.url,
        PROVER_AGENT_COUNT: "1",
      });
      stops.unshift(() => agent.stop());
      await answering(agent, agentPort, "agent_getStatus", []);
      return new BrokerAndAgent(broker, agent, toAgent, port);
    } catch (error) {
      for (const stop of stops) await stop();
      throw error;
    }
  }

  async stop(): Promise<void> {
    await this.agent.stop();
    await this.toAgent.stop();
    await this.broker.stop();
  }
}

async function answering(process: ServerProcess, port: number, method: string, params: unknown[]): Promise<void> {
  const url = `http://127.0.0.1:${port}`;
  await process.until(async () => {
    const answered = await answerTo(url, call(method, params)).then(
      () => true,
      () => undefined,
    );
    if (answered === undefined) await new Promise((resolve) => setTimeout(resolve, 100));
    return answered;
  });
}

/** Prover node, broker and agent of one side, which follow an L1. */
export class ProverProcesses {
  readonly #pair: BrokerAndAgent;
  readonly #node: ServerProcess;
  readonly #toBroker: CountingProxy;
  readonly #stops: (() => Promise<unknown> | unknown)[];

  private constructor(
    pair: BrokerAndAgent,
    node: ServerProcess,
    toBroker: CountingProxy,
    stops: (() => Promise<unknown> | unknown)[],
  ) {
    this.#pair = pair;
    this.#node = node;
    this.#toBroker = toBroker;
    this.#stops = stops;
  }

  /** Resolves once the prover node has synced. */
  static async start(side: ProverSide, recording: EpochRecording, l1Url: string): Promise<ProverProcesses> {
    const folder = side.folder();
    const stops: (() => Promise<unknown> | unknown)[] = [
      () => rmSync(folder.outside, { recursive: true, force: true, maxRetries: 5 }),
    ];
    try {
      for (const name of ["node", "broker"]) mkdirSync(join(folder.outside, name));
      cpSync(recording.blobs, join(folder.outside, "blobs"), { recursive: true });
      const network = {
        ...recording.settings,
        ETHEREUM_HOSTS: l1Url,
        REGISTRY_CONTRACT_ADDRESS: recording.registryAddress,
      };
      const pair = await BrokerAndAgent.start({ broker: side, agent: side }, `${folder.inside}/broker`, network);
      stops.unshift(() => pair.stop());
      const toBroker = await CountingProxy.start(pair.brokerPort);
      stops.unshift(() => toBroker.stop());
      const source = await serveTxs(recording.txs);
      stops.unshift(() => {
        source.server.close();
        source.server.closeAllConnections();
      });
      const port = await freePort();
      const ports = ["--port", String(port), "--admin-port", String(await freePort())];
      const node = side.start(["start", "--node", "--prover-node", ...ports], {
        ...network,
        ...COMMON,
        AZTEC_DISABLE_ADMIN_API_KEY: "true",
        PROVER_BROKER_HOST: toBroker.url,
        PROVER_AGENT_COUNT: "0",
        PROVER_PUBLISHER_PRIVATE_KEY: PROVER_KEY,
        TX_COLLECTION_NODE_RPC_URLS: source.url,
        BLOB_FILE_STORE_URLS: `file://${folder.inside}/blobs`,
        DATA_DIRECTORY: `${folder.inside}/node`,
        ETHEREUM_ALLOW_NO_DEBUG_HOSTS: "true",
      });
      stops.unshift(() => node.stop());
      await node.until(async () => {
        const ready = await answerTo(`http://127.0.0.1:${port}`, call("node_isReady", [])).catch(() => false);
        if (ready !== true) await new Promise((resolve) => setTimeout(resolve, 100));
        return ready === true ? true : undefined;
      });
      return new ProverProcesses(pair, node, toBroker, stops);
    } catch (error) {
      for (const stop of stops) await stop();
      throw error;
    }
  }

  figures(): Record<ProverPart, PartFigures> {
    return {
      "prover node": figuresOf(this.#node.pid),
      broker: figuresOf(this.#pair.broker.pid),
      agent: figuresOf(this.#pair.agent.pid),
    };
  }

  /** Bytes over TCP so far. */
  bytes(): Record<"node to broker" | "broker to node" | "broker to agent" | "agent to broker", number> {
    const { toAgent } = this.#pair;
    return {
      "node to broker": this.#toBroker.sent,
      "broker to node": this.#toBroker.received,
      "broker to agent": toAgent.received,
      "agent to broker": toAgent.sent,
    };
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops) await stop();
  }
}
