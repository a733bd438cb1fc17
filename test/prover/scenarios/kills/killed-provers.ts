import { randomInt } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublicClient, type Hex, http, parseAbiItem } from "viem";
import { toHex } from "../../../../src/protocol/bytes.ts";
import { JOB_TYPE_NAMES } from "../../../../src/prover/jobs/job-type.ts";
import { freePort } from "../../../support/free-port.ts";
import { type Svc, spawnSvc } from "../../../world/cli/run-svc.ts";
import { PROVER_KEY, startThreeEpochs, type ThreeEpochs } from "../../../world/prover/three-epochs.ts";
import { startTxSource, type TxSource } from "../../../world/prover/tx-source.ts";

const VERIFIED = parseAbiItem("event L2ProofVerified(uint256 indexed checkpointNumber, address indexed proverId)");
const SHIFTED_CLOCK = join(import.meta.dirname, "shifted-clock.mjs");
/** Agents without it cannot finish an epoch. */
const WITHOUT_ROOT = JOB_TYPE_NAMES.filter((name) => name !== "ROOT_ROLLUP").join(",");

/** Last checkpoint that the recorded L1 has a proof of. */
const PROVEN_BEFORE = 52n;

export type PartName = "prover node" | "broker" | "agent";

export interface AcceptedProof {
  /** Last checkpoint that it proves. */
  checkpoint: number;
  calldata: string;
}

/** A process that is killed and started again with the same port and data. */
interface Part {
  readonly name: PartName;
  readonly flags: readonly string[];
  readonly port: number;
  environment: Record<string, string>;
  svc: Svc;
  /** What killed processes wrote. */
  before: string;
}

/** A prover node, a broker and two agents as processes on an L1 with three complete, unproven epochs. */
export class KilledProvers {
  readonly kills: Record<PartName, number> = { "prover node": 0, broker: 0, agent: 0 };
  readonly #l1: ThreeEpochs;
  readonly #txs: TxSource;
  readonly #parts: Part[] = [];

  private constructor(l1: ThreeEpochs, txs: TxSource) {
    this.#l1 = l1;
    this.#txs = txs;
  }

  /** `jobMs` is the time that each job takes. No epoch is proven before `allowRoot` is called. */
  static async start(folder: string, jobMs: number): Promise<KilledProvers> {
    const l1 = await startThreeEpochs();
    const started = new KilledProvers(l1, await startTxSource(l1.txs()));
    try {
      await started.#start(folder, jobMs);
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  async #start(folder: string, jobMs: number): Promise<void> {
    const l1 = {
      ETHEREUM_HOSTS: this.#l1.url,
      ETHEREUM_SLOT_DURATION: "4",
      L1_CHAIN_ID: "31337",
      REGISTRY_CONTRACT_ADDRESS: this.#l1.registryAddress,
    };
    const common = { LOG_LEVEL: "info; verbose: prover", PROVER_REAL_PROOFS: "false", SVC_RPC_THREADS: "0" };
    const brokerPort = await freePort();
    const proving = { ...common, PROVER_BROKER_HOST: `http://127.0.0.1:${brokerPort}` };
    const agent = {
      ...proving,
      PROVER_AGENT_COUNT: "2",
      PROVER_AGENT_POLL_INTERVAL_MS: "100",
      PROVER_AGENT_PROOF_TYPES: WITHOUT_ROOT,
      PROVER_TEST_DELAY_MS: String(jobMs),
    };
    const shift = (this.#l1.timestamp + 4) * 1000 - Date.now();
    this.#launch(folder, "broker", ["--prover-broker"], brokerPort, {
      ...common,
      ...l1,
      PROVER_BROKER_JOB_TIMEOUT_MS: "2000",
    });
    for (let i = 0; i < 2; i++) this.#launch(undefined, "agent", ["--prover-agent"], await freePort(), agent);
    this.#launch(folder, "prover node", ["--node", "--prover-node"], await freePort(), {
      ...proving,
      ...l1,
      NODE_OPTIONS: `--import ${SHIFTED_CLOCK}`,
      TEST_CLOCK_SHIFT_MS: String(shift),
      TEST_ACCOUNTS: "true",
      SPONSORED_FPC: "true",
      P2P_ENABLED: "false",
      ETHEREUM_ALLOW_NO_DEBUG_HOSTS: "true",
      BLOB_ALLOW_EMPTY_SOURCES: "true",
      ARCHIVER_POLLING_INTERVAL_MS: "100",
      PROVER_NODE_POLLING_INTERVAL_MS: "100",
      PROVER_AGENT_COUNT: "0",
      L1_TX_MONITOR_CHECK_INTERVAL_MS: "100",
      PROVER_PUBLISHER_PRIVATE_KEY: toHex(PROVER_KEY),
      TX_COLLECTION_NODE_RPC_URLS: this.#txs.url,
    });
  }

  #launch(
    folder: string | undefined,
    name: PartName,
    flags: string[],
    port: number,
    environment: Record<string, string>,
  ): void {
    const path = folder === undefined ? undefined : join(folder, name.replace(" ", "-"));
    if (path !== undefined) mkdirSync(path, { recursive: true });
    const data = path === undefined ? [] : ["--data-directory", path];
    const all = ["start", ...flags, "--port", String(port), "--rpc-host", "127.0.0.1", ...data];
    this.#parts.push({ name, flags: all, port, environment, svc: spawnSvc(all, environment), before: "" });
  }

  /** Kills one of the parts and starts it again. */
  async kill(name: PartName): Promise<void> {
    const parts = this.#parts.filter((part) => part.name === name);
    const part = parts[randomInt(parts.length)];
    this.kills[name]++;
    await this.#restart(part);
  }

  async #restart(part: Part): Promise<void> {
    const { svc, flags, environment } = part;
    if (svc.child.exitCode !== null)
      throw new Error(`${part.name} ended by itself:\n${svc.output.stderr.slice(-2000)}`);
    svc.child.kill("SIGKILL");
    await svc.ended;
    part.before += svc.output.stdout + svc.output.stderr;
    part.svc = spawnSvc([...flags], environment);
  }

  /** From now on the agents do jobs of all types. */
  async allowRoot(): Promise<void> {
    for (const part of this.#parts.filter(({ name }) => name === "agent")) {
      delete part.environment.PROVER_AGENT_PROOF_TYPES;
      await this.#restart(part);
    }
  }

  /** Number of different jobs that the agents have done. */
  get jobsDone(): number {
    const done = this.log("agent").matchAll(/(\d+:[A-Z_]+:[0-9a-f]{64}) done in/g);
    return new Set([...done].map(([, id]) => id)).size;
  }

  /** What processes of a name have written. */
  log(name: PartName): string {
    const parts = this.#parts.filter((part) => part.name === name);
    return parts.map(({ before, svc }) => before + svc.output.stdout + svc.output.stderr).join("");
  }

  /** Proofs that L1 has accepted, in order. */
  async proofs(): Promise<AcceptedProof[]> {
    const client = createPublicClient({ transport: http(this.#l1.url) });
    const address = this.#l1.rollupAddress as Hex;
    const logs = await client.getLogs({ address, event: VERIFIED, fromBlock: 0n, strict: true });
    const made = logs.filter(({ args }) => args.checkpointNumber > PROVEN_BEFORE);
    return Promise.all(
      made.map(async ({ args, transactionHash: hash }) => {
        const { input: calldata } = await client.getTransaction({ hash });
        return { checkpoint: Number(args.checkpointNumber), calldata };
      }),
    );
  }

  /** Resolves with the proofs once there are `count` of them. */
  async proven(count: number): Promise<AcceptedProof[]> {
    for (;;) {
      const proofs = await this.proofs();
      if (proofs.length >= count) return proofs;
      const ended = this.#parts.find(({ svc }) => svc.child.exitCode !== null);
      if (ended !== undefined)
        throw new Error(`${ended.name} ended by itself:\n${ended.svc.output.stderr.slice(-2000)}`);
      await sleep(100);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#parts.map(async ({ svc }) => {
        svc.child.kill("SIGKILL");
        await svc.ended;
      }),
    );
    this.#txs.stop();
    await this.#l1.stop();
  }
}
