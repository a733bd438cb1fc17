/**
 * Runs the alert rules of deploy/prometheus against a network of nodes of this project, with real faults: each alert
 * must fire within its window, and none without a fault. As root also a full disk, on a small tmpfs.
 *
 *   node test/telemetry/live/alerts.ts --folder /tmp/alerts              the faults, windows a sixth of the real ones
 *   node test/telemetry/live/alerts.ts --folder /tmp/alerts --quiet 60   no fault for 60 minutes, real windows
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { PrometheusProcess } from "../../world/telemetry/prometheus-process.ts";
import { faults } from "./faults.ts";
import { OwnNetwork } from "./own-network.ts";
import { shortenedRules } from "./shortened-rules.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    quiet: { type: "string" },
    factor: { type: "string", default: "6" },
    only: { type: "string", default: "" },
    port: { type: "string", default: "31000" },
  },
});
if (values.folder === undefined) throw new Error("give --folder, a new folder");
const { folder } = values;
const quietMinutes = values.quiet === undefined ? undefined : Number(values.quiet);
const factor = quietMinutes === undefined ? Number(values.factor) : 1;
const SCRAPE_SECONDS = quietMinutes === undefined ? 5 : 15;
/** Later than this after its window, an alert that fires is too late: scraping, evaluating, and a slow machine. */
const SLACK_SECONDS = 45;
const RULES = join(import.meta.dirname, "..", "..", "..", "deploy", "prometheus", "alerts.yml");

const say = (line: string): void => {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
};

const isRoot = process.getuid?.() === 0 && quietMinutes === undefined;
const disk = join(folder, "small-disk");
mkdirSync(disk, { recursive: true });
if (isRoot) execFileSync("mount", ["-t", "tmpfs", "-o", "size=1g", "tmpfs", disk]);
let network: OwnNetwork | undefined;
let prometheus: PrometheusProcess | undefined;
let failed = 0;
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/** Names of the alerts that fire now, with the node. */
async function firing(): Promise<Set<string>> {
  const alerts = (await prometheus?.alerts()) ?? [];
  return new Set(
    alerts.filter(({ state }) => state === "firing").map(({ labels }) => `${labels.alertname} ${labels.instance}`),
  );
}

async function noneFires(limitSeconds: number): Promise<void> {
  const end = Date.now() + limitSeconds * 1000;
  let now = await firing();
  while (now.size > 0 && Date.now() < end) {
    await sleep(1000);
    now = await firing();
  }
  if (now.size > 0) throw new Error(`still firing: ${[...now].join(", ")}`);
}

async function runQuiet(minutes: number): Promise<void> {
  const end = Date.now() + minutes * 60_000;
  const fired = new Set<string>();
  while (Date.now() < end) {
    await sleep(15_000);
    for (const alert of await firing()) {
      if (fired.has(alert)) continue;
      fired.add(alert);
      say(`FIRES: ${alert}`);
    }
  }
  const pending = (await prometheus?.query(`count by (alertname) (count_over_time(ALERTS[${minutes}m]))`)) ?? [];
  say(`${fired.size} alerts fired in ${minutes} minutes; pending at some time: ${JSON.stringify(pending)}`);
  const heights = (await prometheus?.query('aztec_archiver_block_height{aztec_status=""}')) ?? [];
  say(`heights at the end: ${heights.map(({ value }) => value[1]).join(", ")}`);
  failed += fired.size;
}

async function runFaults(own: OwnNetwork): Promise<void> {
  for (const fault of faults(own, { factor, disk: isRoot ? disk : undefined })) {
    if (!new RegExp(values.only).test(fault.name)) continue;
    say(`fault: ${fault.name}`);
    const from = Date.now();
    await fault.begin();
    const missing = new Set(fault.expected.map(({ alert }) => alert));
    for (const { alert, windowSeconds } of fault.expected) {
      const limit = from + (windowSeconds + SLACK_SECONDS) * 1000;
      while (missing.has(alert) && Date.now() < limit) {
        const now = await firing();
        for (const { alert: each } of fault.expected) {
          if (missing.has(each) && now.has(each)) {
            missing.delete(each);
            say(`  ok: ${each} fires after ${Math.round((Date.now() - from) / 1000)} s`);
          }
        }
        await sleep(1000);
      }
      if (missing.has(alert)) {
        failed++;
        say(`  FAILED: ${alert} does not fire within ${windowSeconds} + ${SLACK_SECONDS} s`);
      }
    }
    await fault.end();
    await noneFires(fault.healSeconds).then(
      () => say("  ok: no alert fires after the fault"),
      (error: Error) => {
        failed++;
        say(`  FAILED: ${error.message}`);
      },
    );
  }
}

try {
  network = await OwnNetwork.start({
    folder: join(folder, "network"),
    nodes: 4,
    l1Seconds: quietMinutes === undefined ? 4 : 12,
    slotSeconds: quietMinutes === undefined ? 24 : 72,
    port: Number(values.port),
  });
  say("started 4 nodes");
  if (isRoot) {
    await network.moveData(1, (directory) => {
      cpSync(directory, join(disk, "data"), { recursive: true });
      rmSync(directory, { recursive: true });
      symlinkSync(join(disk, "data"), directory);
    });
  }
  await network.running(600_000);
  say("all nodes follow the network and are connected");
  const rules = readFileSync(RULES, "utf8");
  const { nodes } = network;
  prometheus = await PrometheusProcess.start({
    folder: join(folder, "prometheus"),
    targets: nodes.map(({ metrics }) => metrics),
    intervalSeconds: SCRAPE_SECONDS,
    rules: factor === 1 ? rules : shortenedRules(rules, factor, 4 * SCRAPE_SECONDS),
  });
  if (quietMinutes === undefined) await runFaults(network);
  else await runQuiet(quietMinutes);
} finally {
  await prometheus?.stop();
  await network?.stop();
  if (isRoot) execFileSync("umount", [disk]);
}
say(failed === 0 ? "no check failed" : `${failed} checks failed`);
process.exitCode = failed === 0 ? 0 : 1;
