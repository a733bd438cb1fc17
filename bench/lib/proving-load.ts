import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BrokerConnection } from "../../src/prover/broker-client/broker-connection.ts";
import { RemoteProducer } from "../../src/prover/broker-client/remote-producer.ts";
import type { JobResult, StoredInput, StoredOutput } from "../../src/prover/jobs/job-result.ts";
import type { JobType } from "../../src/prover/jobs/job-type.ts";
import { JobProducer } from "../../src/prover/producer/job-producer.ts";
import { InlineStore } from "../../src/prover/proof-store/inline-store.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { cpuTimeOf, memoryOf, ServerProcess } from "./server-process.ts";

const MAIN = join(import.meta.dirname, "../../src/cli/main.ts");

/** A process of svc that answers JSON-RPC. */
class Part {
  readonly #process: ServerProcess;
  readonly url: string;

  private constructor(process: ServerProcess, url: string) {
    this.#process = process;
    this.url = url;
  }

  static async start(flag: string, environment: Record<string, string>): Promise<Part> {
    const args = ["--disable-warning=ExperimentalWarning", MAIN, "start", flag, "--port", "0"];
    const env = { PATH: process.env.PATH, SVC_RPC_HOST: "127.0.0.1", ...environment };
    const started = new ServerProcess(process.execPath, args, env);
    const [, port] = await started.shows(/answering JSON-RPC on 127\.0\.0\.1:(\d+)/);
    return new Part(started, `http://127.0.0.1:${port}`);
  }

  figures(): Record<string, string> {
    const { pid } = this.#process;
    const { resident, anonymous } = memoryOf(pid);
    return {
      "resident MiB": resident.toFixed(0),
      "of it not of files": anonymous.toFixed(0),
      "CPU s": (cpuTimeOf(pid) / 1000).toFixed(1),
    };
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }
}

/** An inline store that counts the characters of its URIs. */
class CountingStore extends InlineStore {
  sent = 0;
  received = 0;

  override async saveInput(jobId: string, type: JobType, input: Uint8Array): Promise<string> {
    const uri = await super.saveInput(jobId, type, input);
    this.sent += uri.length;
    return uri;
  }

  override loadOutput(uri: string): Promise<StoredOutput> {
    this.received += uri.length;
    return super.loadOutput(uri);
  }
}

/** A broker and agents in processes of their own, and a producer in this one. */
export class ProvingLoad {
  readonly broker: Part;
  readonly agents: Part;
  readonly bytes = new CountingStore();
  readonly #producer: JobProducer;
  readonly #folder: string;

  private constructor(broker: Part, agents: Part, folder: string) {
    this.broker = broker;
    this.agents = agents;
    this.#folder = folder;
    this.#producer = new JobProducer({
      broker: new RemoteProducer(new BrokerConnection({ url: broker.url })),
      store: this.bytes,
      enqueueConcurrency: 50,
      cancelsJobs: false,
      logger: silentLogger,
    });
  }

  static async start(agents: number): Promise<ProvingLoad> {
    const folder = mkdtempSync(join(tmpdir(), "svc-bench-prover-"));
    const broker = await Part.start("--prover-broker", { DATA_DIRECTORY: folder });
    const environment = {
      PROVER_BROKER_HOST: broker.url,
      PROVER_AGENT_COUNT: String(agents),
      PROVER_REAL_PROOFS: "false",
    };
    return new ProvingLoad(broker, await Part.start("--prover-agent", environment), folder);
  }

  /** Has jobs done as those of an epoch. */
  run(epoch: number, jobs: readonly StoredInput[]): Promise<JobResult[]> {
    const { signal } = new AbortController();
    return Promise.all(jobs.map(({ type, input }) => this.#producer.run({ epoch, type, input: () => input }, signal)));
  }

  async stop(): Promise<void> {
    await this.#producer.stop();
    await this.agents.stop();
    await this.broker.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
