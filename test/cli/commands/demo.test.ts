import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnSvc } from "../../world/cli/run-svc.ts";
import { runDocumentedCalls } from "../../world/docs/documented-commands.ts";

let temporary: string;

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "svc-demo-test-"));
});
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

async function post(url: string, body: string): Promise<{ result?: unknown }> {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()) as { result?: unknown };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("the demo syncs the recorded chain on a free port, answers the calls it suggests, and cleans up", async () => {
  const blocker = createServer();
  const busy = await new Promise<number>((resolve) => {
    blocker.listen(0, "127.0.0.1", () => resolve((blocker.address() as { port: number }).port));
  });
  const svc = spawnSvc(["demo", "--port", String(busy)], { TMPDIR: temporary, LOG_JSON: "1" });
  try {
    const [, page] = await svc.shows(/Its page, .*: (http\S+)\nCtrl-C stops the node/);
    expect((await fetch(page)).headers.get("content-type")).toContain("text/html");
    expect(svc.output.stderr).toContain("the port is busy, using a free one");

    const lines = [...svc.output.stdout.matchAll(/curl -s (\S+) .* -d '(.*)'/g)];
    expect(lines.map(([, url]) => new URL(url).port)).not.toContain(String(busy));
    const [number, header, witness] = await Promise.all(lines.map(([, url, body]) => post(url, body)));
    expect(number.result).toBe(59);
    expect(header.result).toMatchObject({ globalVariables: { blockNumber: 59 } });
    expect(witness.result).toMatchObject({ siblingPath: expect.any(String) });
    const [, url] = lines[0];
    expect((await post(url, '{"jsonrpc":"2.0","id":1,"method":"node_isReady","params":[]}')).result).toBe(true);
    expect((await fetch(`${url}/status`)).status).toBe(200);
    const [documented] = await runDocumentedCalls("README.md", { 8080: new URL(url).port });
    expect(documented.output).toMatch(/^\{.{250,}\.\.\.$/);
    expect(documented.printed.startsWith(documented.output.slice(0, -3))).toBe(true);
    const elsewhere = await fetch(`${url}/ui`);
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      404,
      "Not Found: the admin port has the page, and --rpc-ui serves it here",
    ]);

    const records = svc.output.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const anvil = records.find(({ msg }) => msg === "the recorded L1 runs at {url}").anvilPid;
    svc.child.kill("SIGINT");
    expect((await svc.ended).code).toBe(130);
    expect(readdirSync(temporary)).toEqual([]);
    await expect.poll(() => isRunning(anvil)).toBe(false);
    expect(isRunning(svc.child.pid!)).toBe(false);
  } finally {
    svc.child.kill("SIGKILL");
    blocker.close();
  }
});
