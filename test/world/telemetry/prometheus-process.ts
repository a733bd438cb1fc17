import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../support/free-port.ts";
import { until } from "../live/json-rpc.ts";

export interface PrometheusOptions {
  /** New folder for its data and configuration. */
  folder: string;
  /** host:port of GET /metrics. */
  targets: readonly string[];
  intervalSeconds: number;
  /** Text of a file with alert rules. */
  rules?: string;
}

export interface Sample {
  metric: Record<string, string>;
  /** Unix seconds and the value's text. */
  value: [number, string];
}

export interface Alert {
  labels: Record<string, string>;
  state: "pending" | "firing";
}

const READY_MS = 120_000;

/** A Prometheus server (Debian's package prometheus) that scrapes given nodes. */
export class PrometheusProcess {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start({ folder, targets, intervalSeconds, rules }: PrometheusOptions): Promise<PrometheusProcess> {
    mkdirSync(folder, { recursive: true });
    const interval = `${intervalSeconds}s`;
    const configuration = {
      global: { scrape_interval: interval, scrape_timeout: interval, evaluation_interval: interval },
      ...(rules !== undefined && { rule_files: ["alerts.yml"] }),
      scrape_configs: [{ job_name: "svc", static_configs: [{ targets }] }],
    };
    if (rules !== undefined) writeFileSync(join(folder, "alerts.yml"), rules);
    // JSON is YAML.
    writeFileSync(join(folder, "prometheus.yml"), JSON.stringify(configuration));
    const port = await freePort();
    const child = spawn(
      "prometheus",
      [
        `--config.file=${join(folder, "prometheus.yml")}`,
        `--storage.tsdb.path=${join(folder, "data")}`,
        `--web.listen-address=127.0.0.1:${port}`,
        "--log.level=error",
      ],
      { stdio: ["ignore", "ignore", "inherit"] },
    );
    process.once("exit", () => child.kill("SIGKILL"));
    const url = `http://127.0.0.1:${port}`;
    await until("Prometheus is ready", READY_MS, async () => (await fetch(`${url}/-/ready`)).ok);
    return new PrometheusProcess(url, child);
  }

  /** Series of an instant query; rejects with Prometheus's message where it is wrong. */
  async query(expression: string): Promise<Sample[]> {
    const { result } = await this.#get<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`);
    return result;
  }

  async alerts(): Promise<Alert[]> {
    return (await this.#get<{ alerts: Alert[] }>("alerts")).alerts;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    await ended;
  }

  async #get<T>(path: string): Promise<T> {
    const response = await fetch(`${this.url}/api/v1/${path}`);
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string };
    if (status !== "success") throw new Error(`${path}: ${error}`);
    return data;
  }
}
