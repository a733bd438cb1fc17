/**
 * Measures what an open status page costs the node: CPU time of a node on the recorded chain in a minute without a
 * page, and in one with a view open, by turns.
 *
 *   node test/status/load.ts [--seconds 60] [--views overview,system]
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { ADMIN_API_KEY, NodeProcess, startRecordedL1 } from "../world/node/recorded-node.ts";
import { openBrowser, settled, visit } from "../world/status/browser.ts";

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    views: { type: "string", default: "overview,system" },
  },
});
const SECONDS = Number(values.seconds);
const SETTLE_MS = 30_000;
/** After the opening of a view, until caches are warm. */
const WARM_MS = 10_000;
const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** Seconds of CPU time that a process has had, all threads together. */
function cpuSeconds(pid: number): number {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

async function measured(what: string, pid: number, requests: readonly string[] = []): Promise<void> {
  await sleep(WARM_MS);
  const [cpu, asked] = [cpuSeconds(pid), requests.length];
  await sleep(SECONDS * 1000);
  const spent = (cpuSeconds(pid) - cpu).toFixed(2);
  process.stdout.write(`${what.padEnd(12)} ${spent} s CPU in ${SECONDS} s, ${requests.length - asked} requests\n`);
}

const l1 = await startRecordedL1();
const node = await NodeProcess.start(l1);
const browser = await openBrowser();
try {
  await node.ready();
  // The end of the initial sync is followed by collections of garbage.
  await sleep(SETTLE_MS);
  for (const view of values.views.split(",")) {
    await measured("no page", node.pid);
    const { page, requests, show, close } = await visit(browser, node.adminUrl);
    await page.getByLabel("API key", { exact: true }).fill(ADMIN_API_KEY);
    await page.keyboard.press("Enter");
    await settled(page);
    await show(`#/${view === "overview" ? "" : view}`);
    await measured(view, node.pid, requests);
    await close();
  }
} finally {
  await browser.close();
  await node.remove();
  l1.stop();
}
