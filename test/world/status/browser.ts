import { existsSync } from "node:fs";
import axe, { type AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Starts Chromium (Debian's package `chromium`). Throws where there is none. */
export function openBrowser(): Promise<Browser> {
  const program = PROGRAMS.find((path) => existsSync(path));
  if (program === undefined) throw new Error("no Chromium is installed: apt-get install chromium");
  // The sandbox needs privileges that a container may not have; only the node's own page is loaded.
  return chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** A page, and what went wrong in it: errors of scripts, and whatever the security policy or the console reports. */
export interface Visit {
  readonly page: Page;
  readonly faults: string[];
  /** URLs of all requests. */
  readonly requests: string[];
  /** Opens a view and waits until it shows what it waits for. */
  show(route: string): Promise<void>;
  close(): Promise<void>;
}

export async function visit(browser: Browser, base: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const faults: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  page.on("request", (request) => requests.push(request.url()));
  await page.goto(`${base}/ui`);
  return {
    page,
    faults,
    requests,
    async show(route) {
      await page.evaluate(`location.hash = ${JSON.stringify(route)}`);
      await settled(page);
    },
    async close() {
      // A handler of a route may wait for an answer that the closing cuts off.
      await page.unrouteAll({ behavior: "ignoreErrors" });
      await context.close();
    },
  };
}

/** Replaces the node's answers to some methods, as those of a validator among peers. */
export async function replaceAnswers(page: Page, results: Readonly<Record<string, unknown>>): Promise<void> {
  await page.route("**/rpc", async (route) => {
    const asked = route.request().postDataJSON() as { id: number; method: string }[];
    const response = await route.fetch();
    const answers = (await response.json()) as { id: number }[];
    const json = answers.map((answer) => {
      const { method } = asked.find(({ id }) => id === answer.id)!;
      return method in results ? { jsonrpc: "2.0", id: answer.id, result: results[method] } : answer;
    });
    await route.fulfill({ response, json });
  });
}

/**
 * Waits until an expression is true in the page. The debugger evaluates it, since the page's own policy forbids to
 * evaluate text.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const end = performance.now() + 60_000;
  while (!(await page.evaluate(`Boolean(${expression})`))) {
    if (performance.now() > end) throw new Error(`never came true in the page: ${expression}`);
    await page.waitForTimeout(50);
  }
}

/** Waits until the view has a title and no part of it waits for an answer. */
export function settled(page: Page): Promise<void> {
  return until(
    page,
    `document.querySelector("main h1") && !/Waiting for/.test(document.querySelector("main").innerText)`,
  );
}

/** What axe-core finds against the rules of WCAG 2.2 AA and its best practices, one line for each element. */
async function accessibilityFaults(page: Page): Promise<string[]> {
  // Evaluated by the debugger, so the page's security policy stays as it is.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${axe.source}; undefined`);
  const { violations } = (await page.evaluate(`axe.run(document, { resultTypes: ["violations"] })`)) as AxeResults;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}) at ${target.join(" ")}: ${failureSummary}`),
  );
}

/** Accessibility faults in both themes at both widths, and whether something is wider than the screen. */
export async function faultsInEachLook(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [width, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE })) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const faults = await accessibilityFaults(page);
      found.push(...faults.map((fault) => `${colorScheme}, ${width}: ${fault}`));
    }
    // Tables scroll by themselves.
    const excess = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    if (Number(excess) > 0) found.push(`${width}: the page is ${excess} pixels wider than the screen`);
  }
  return found;
}

/** Texts of a table's cells, row by row; the first row has the names of the columns. */
export async function tableTexts(page: Page, label: string): Promise<string[][]> {
  const rows = await page.getByRole("group", { name: label }).locator("tr").all();
  return await Promise.all(
    rows.map(async (row) => (await row.locator("th, td").allInnerTexts()).map((text) => text.trim())),
  );
}

/** A table's rows without that of the names. */
export async function rowTexts(page: Page, label: string): Promise<string[][]> {
  return (await tableTexts(page, label)).slice(1);
}

/** The value beside a name in a list of facts. */
export async function factText(page: Page, name: string): Promise<string> {
  const term = page.locator("dt", { hasText: new RegExp(`^\\s*${name}\\s*$`) });
  const value = await term.locator("xpath=following-sibling::dd").first().textContent();
  return (value ?? "").trim();
}
