/**
 * Takes a screenshot of each view of the status page at the width of a desktop and of a phone, for docs/ui.md:
 *
 *   node test/status/screenshots.ts --url http://127.0.0.1:8880 --out docs/images/ui [--key KEY] [--only peers,log]
 *
 * The node should have something to show: blocks, peers, duties. The page's files are those of this source tree, so
 * that a change can be seen over a node that runs. Needs Chromium and pngquant (Debian's packages).
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { pageFiles } from "../../src/status/page-files.ts";
import { DESKTOP, openBrowser, PHONE, settled, until, visit } from "../world/status/browser.ts";

const { values } = parseArgs({
  options: {
    url: { type: "string", default: "http://127.0.0.1:8880" },
    key: { type: "string" },
    out: { type: "string", default: "docs/images/ui" },
    only: { type: "string" },
    scheme: { type: "string" },
  },
});

/** Rates are over the last minute, so figures need some time. */
const SETTLE_MS = 9_000;
const SIZES = { desktop: DESKTOP, phone: PHONE };

async function ask<T>(method: string, ...params: unknown[]): Promise<T> {
  const response = await fetch(`${values.url}/ui/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(values.key && { "x-api-key": values.key }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}

interface Effect {
  txHash: string;
  publicLogs: { contractAddress: string }[];
  privateLogs: unknown[];
}
interface Block {
  number: number;
  body: { txEffects: Effect[] };
}

async function tokenOfLocalNetwork(): Promise<string | undefined> {
  const accounts = await ask<{ l2: { name: string; address: string }[] }>("svcAdmin_getAccounts").catch(
    () => undefined,
  );
  return accounts?.l2.find(({ name }) => name === "banana token")?.address;
}

/** Routes of the views, with a block, transaction and contract that have much to show. */
async function routes(): Promise<Record<string, string>> {
  const tip = await ask<number>("svc_getBlockNumber");
  const blocks = await ask<Block[]>("svc_getBlocks", Math.max(1, tip - 40), 40, { includeTransactions: true });
  const effects = blocks.flatMap(({ number, body }) => body.txEffects.map((effect) => ({ number, effect })));
  const logs = ({ effect }: { effect: Effect }) => effect.publicLogs.length + effect.privateLogs.length;
  const fullest = effects.sort((a, b) => logs(b) - logs(a)).at(0);
  const emitter = effects.flatMap(({ effect }) => effect.publicLogs).at(0)?.contractAddress;
  const contract = emitter ?? (await tokenOfLocalNetwork());
  const views = ["local", "pool", "peers", "duties", "l1", "system", "configuration", "log", "contracts", "blocks"];
  return {
    overview: "",
    block: `block/${fullest?.number ?? tip}`,
    ...(fullest && { transaction: `tx/${fullest.effect.txHash}` }),
    ...(contract && { contract: `contract/${contract}` }),
    ...Object.fromEntries(views.map((view) => [view, view])),
  };
}

/** Loads the page again with the files of this source tree. */
async function useOwnFiles(page: Page): Promise<void> {
  const local = (await page.evaluate("document.body.dataset.local")) === "true";
  const key = (await page.evaluate("document.body.dataset.key")) === "true";
  const batch = Number(await page.evaluate("document.body.dataset.batch"));
  const files = new Map(pageFiles({ rpc: "rpc", admin: true, local, key, batch }).map((file) => [file.name, file]));
  await page.route("**/ui/**", async (route) => {
    const file = files.get(new URL(route.request().url()).pathname.replace("/ui/", ""));
    if (file === undefined) return await route.fallback();
    await route.fulfill({ body: Buffer.from(file.bytes), headers: Object.fromEntries(file.headers) });
  });
  await page.reload();
}

mkdirSync(values.out, { recursive: true });
const only = values.only?.split(",");
const browser = await openBrowser();
try {
  const wanted = Object.entries(await routes()).filter(([name]) => only === undefined || only.includes(name));
  for (const [size, viewport] of Object.entries(SIZES)) {
    const colorScheme = (values.scheme ?? "light") as "light" | "dark";
    const options = { viewport, colorScheme, ...(size === "phone" && { deviceScaleFactor: 2, isMobile: true }) };
    const { page, show, faults, close } = await visit(browser, values.url, options);
    await useOwnFiles(page);
    if (values.key) {
      await page.getByLabel("API key", { exact: true }).fill(values.key);
      await page.keyboard.press("Enter");
    }
    await settled(page);
    for (const [name, route] of wanted) {
      await show(`#/${route}`);
      await until(page, `document.querySelector("main h1")`);
      await page.waitForTimeout(name === "contract" || name === "configuration" ? 1_000 : SETTLE_MS);
      await page.evaluate("document.activeElement.blur()");
      const path = join(values.out, `${name}-${size}.png`);
      await page.screenshot({ path });
      execFileSync("pngquant", ["--force", "--speed", "1", "--strip", "--output", path, "64", path]);
    }
    if (faults.length > 0) throw new Error(faults.join("\n"));
    await close();
  }
} finally {
  await browser.close();
}
const sizes = readdirSync(values.out).map((name) => statSync(join(values.out, name)).size);
const all = Math.round(sizes.reduce((sum, one) => sum + one, 0) / 1024);
process.stdout.write(`${sizes.length} pictures, ${all} KiB\n`);
