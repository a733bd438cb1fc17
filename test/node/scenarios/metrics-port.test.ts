import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Anvil, startAnvil } from "../../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, type UnpackedChain, unpackRecordedChain } from "../../../src/cli/demo/recorded-chain.ts";
import { metricRows } from "../../../src/node/metric-tables.ts";
import { packageRoot } from "../../../src/process/program-version.ts";
import { prometheusName } from "../../../src/telemetry/metrics/prometheus-name.ts";
import { freePort } from "../../support/free-port.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { Collector } from "../../world/telemetry/collector.ts";
import { panelQueries } from "../../world/telemetry/dashboard-queries.ts";
import { PrometheusProcess } from "../../world/telemetry/prometheus-process.ts";

let folder: string;
let chain: UnpackedChain;
let anvil: Anvil;
let svc: Svc;
let peerPort: string;
let collector: Collector;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-metrics-test-"));
  chain = unpackRecordedChain(packageRoot());
  anvil = await startAnvil(chain.l1State, new AbortController().signal);
  collector = await Collector.start();
  peerPort = String(await freePort());
  svc = start();
  await svc.shows(/initial sync is complete/);
});

afterAll(async () => {
  await collector.stop();
  svc.child.kill("SIGKILL");
  anvil.kill();
  chain.remove();
  rmSync(folder, { recursive: true, force: true });
});

function start(): Svc {
  return spawnSvc(
    [
      ...["start", "--node", "--port", "0", "--admin-port", "0", "--rpc-host", "127.0.0.1", "--metrics-port", "0"],
      ...["--data-directory", join(folder, "data"), "--l1-rpc-urls", anvil.url],
      ...["--registry-address", RECORDED_CHAIN.registryAddress, "--archiver.blobFileStoreUrls", chain.blobStore],
    ],
    {
      ...{ TEST_ACCOUNTS: "true", SPONSORED_FPC: "1", PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses },
      ...{
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: collector.url("/v1/metrics"),
        OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: collector.url("/v1/logs"),
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url("/v1/traces"),
        OTEL_COLLECT_INTERVAL_MS: "500",
        OTEL_EXCLUDE_METRICS: "nodejs.",
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      },
      ...{ P2P_ENABLED: "true", P2P_PORT: peerPort, P2P_IP: "127.0.0.1", P2P_LISTEN_ADDR: "127.0.0.1" },
    },
  );
}

async function scrape(of: Svc): Promise<string> {
  const [, url] = await of.shows(/serving metrics on (\S+)/);
  return (await fetch(url)).text();
}

/** Values of a metric by the text of their labels. */
function values(text: string, name: string): Map<string, number> {
  const found = [...text.matchAll(new RegExp(`^${name}(\\{.*\\})? (\\S+)$`, "gm"))];
  return new Map(found.map(([, labels = "", value]) => [labels, Number(value)]));
}

async function ask(method: string, params: unknown[] = []): Promise<void> {
  const [, port] = await svc.shows(/answering JSON-RPC on \S+:(\d+)/);
  await fetch(`http://127.0.0.1:${port}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
}

test("metrics show the heights, trees and stores of a synced node under the release's names", async () => {
  const text = await scrape(svc);
  expect(values(text, "aztec_archiver_block_height")).toEqual(
    new Map([
      ["", 59],
      ['{aztec_status="proposed"}', 59],
      ['{aztec_status="proven"}', expect.any(Number)],
      ['{aztec_status="finalized"}', expect.any(Number)],
    ]),
  );
  expect(values(text, "aztec_archiver_block_sync_count").get("")).toBe(59);
  expect(values(text, "aztec_archiver_l1_block_height").get("")).toBeGreaterThan(50);
  expect(values(text, "aztec_world_state_tree_size").size).toBe(5);
  expect(values(text, "aztec_world_state_unfinalized_height").get('{aztec_merkle_tree_name="ARCHIVE"}')).toBe(59);
  const used = values(text, "aztec_db_used_size_bytes").get('{aztec_db_type="archiver"}') ?? 0;
  expect(used).toBeGreaterThan(100_000);
  expect(used).toBeLessThanOrEqual(
    values(text, "aztec_db_physical_file_size_bytes").get('{aztec_db_type="archiver"}') ?? 0,
  );
  const trees = values(text, "aztec_world_state_db_num_items");
  expect(trees.get('{aztec_merkle_tree_name="all",aztec_world_state_db_type="ws-tiles"}')).toBeGreaterThan(0);
  expect(values(text, "aztec_mempool_tx_count").size).toBe(3);
  expect(values(text, "aztec_peer_manager_peer_count_peers").get("")).toBe(0);
  expect(values(text, "aztec_p2p_gossip_message_validation_count").size).toBe(8);
  expect(values(text, "process_memory_usage").get("")).toBeGreaterThan(50_000_000);
});

test("metrics count calls to the public port by method, over all RPC threads", async () => {
  await ask("node_getBlockNumber");
  await ask("node_getBlock", [3]);
  await ask("node_noSuchMethod");
  await ask("node_getBlockNumber");
  const counted = async () => values(await scrape(svc), "svc_rpc_requests_total");
  // A collection answers all requests of a quarter of a second.
  await expect.poll(async () => (await counted()).get('{method="node_getBlockNumber",outcome="ok"}')).toBe(2);
  const requests = await counted();
  expect(requests.get('{method="node_getBlock",outcome="ok"}')).toBe(1);
  expect(requests.get('{method="other",outcome="failed"}')).toBe(1);
});

test("metrics count calls to L1 by endpoint, without its path", async () => {
  const calls = values(await scrape(svc), "svc_l1_calls_total");
  expect(calls.get(`{endpoint="${anvil.url}",outcome="ok"}`)).toBeGreaterThan(20);
});

test("each exported metric is in a table of a subsystem, and so in docs/metrics.md", async () => {
  const documented = new Set(metricRows().flatMap(({ rows }) => rows.map(prometheusName)));
  const exported = [...(await scrape(svc)).matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);
  expect(exported.length).toBeGreaterThan(100);
  expect(exported.filter((name) => !documented.has(name))).toEqual([]);
});

test("a collector receives the same metrics under dotted names, and the log", async () => {
  const received = () => collector.to("/v1/metrics").at(-1)?.metrics ?? [];
  const height = () => received().find(({ name }) => name === "aztec.archiver.block_height")?.points;
  await expect.poll(height).toContainEqual({ attributes: {}, value: 59 });
  expect(received().filter(({ name }) => name.startsWith("nodejs."))).toEqual([]);
  expect(collector.to("/v1/metrics").at(-1)?.resource).toMatchObject({
    "service.name": "aztec-node",
    "service.instance.id": expect.stringMatching(/^[0-9a-f-]{36}$/),
    "deployment.environment": "test",
  });
  const lines = () => collector.to("/v1/logs").flatMap(({ logs }) => logs.map(({ body }) => body));
  await expect.poll(lines).toContainEqual(expect.stringMatching(/^initial sync is complete/));
  expect(collector.faults).toEqual([]);
});

test("promtool finds no fault with the metrics that are this node's own", async () => {
  const own = (await scrape(svc))
    .split("\n")
    .filter((line) => / svc_|^svc_/.test(line))
    .join("\n");
  execFileSync("promtool", ["check", "metrics"], { input: `${own}\n` });
});

test("no panel of a dashboard is blank in a Prometheus that scrapes a node, but those for validators", async () => {
  const [, url] = await svc.shows(/serving metrics on (\S+)/);
  const prometheus = await PrometheusProcess.start({
    ...{ folder: join(folder, "prometheus"), targets: [new URL(url).host], intervalSeconds: 1 },
    rules: readFileSync(join(packageRoot(), "deploy/prometheus/alerts.yml"), "utf8"),
  });
  try {
    let blank = panelQueries("20s");
    const documented = new Set(metricRows().flatMap(({ rows }) => rows.map(prometheusName)));
    for (const { expression, panel } of blank) {
      const names = [...expression.matchAll(/\b(?:aztec|svc|nodejs|process)_\w+(?=\{)/g)].map(([name]) => name);
      const unknown = names.filter(
        (name) => !documented.has(name) && !documented.has(name.replace(/_(bucket|sum|count)$/, "")),
      );
      expect(unknown, panel).toEqual([]);
    }
    const stillBlank = async (): Promise<string[]> => {
      await ask("node_getBlock", [3]);
      const found = await Promise.all(
        blank.map(async (query) => [query, await prometheus.query(query.expression)] as const),
      );
      blank = found.flatMap(([query, series]) => (series.length === 0 ? [query] : []));
      return blank.filter(({ needs }) => needs !== "validator").map(({ dashboard, panel }) => `${dashboard}: ${panel}`);
    };
    await expect.poll(stillBlank, { timeout: 120_000, interval: 1_000 }).toEqual([]);
    expect((await prometheus.alerts()).filter(({ state }) => state === "firing")).toEqual([]);
  } finally {
    await prometheus.stop();
  }
});

test("the instance id stays the same across a restart", async () => {
  const id = (text: string) => /service_instance_id="([^"]+)"/.exec(text)?.[1];
  const before = id(await scrape(svc));
  expect(before).toMatch(/^[0-9a-f-]{36}$/);
  svc.child.kill("SIGTERM");
  await svc.ended;
  svc = start();
  await svc.shows(/initial sync is complete/);
  expect(id(await scrape(svc))).toBe(before);
});
