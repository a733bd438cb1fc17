import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { askDevnet, type NodeStatus } from "../../../src/devnet/control.ts";
import { DevnetFolder } from "../../../src/devnet/folder.ts";
import { runSvc, type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import "../../support/soak.ts";

let folder: string;
let svc: Svc;

/** A command to the running network. */
async function devnet(...args: string[]): Promise<{ stdout: string; stderr: string; code: number | null }> {
  return runSvc(["devnet", ...args, "--data-directory", folder]);
}

async function status(): Promise<Map<string, NodeStatus>> {
  const { nodes = [] } = await askDevnet(new DevnetFolder(folder), { action: "status" });
  return new Map(nodes.map((node) => [node.name, node]));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const nodeLog = (name: string) => readFileSync(join(folder, "logs", `${name}.log`), "utf8");

/** Private keys in the files of a folder. */
function secretsIn(path: string): string[] {
  const files = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const file = join(parentPath, name);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    return [...readFileSync(file, "utf8").matchAll(/"(?:eth|bls|publisher)": "0x([0-9a-f]{64})"/g)].map(
      ([, key]) => key,
    );
  });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-devnet-"));
  svc = spawnSvc(["devnet", "--validators", "2", "--fast", "--data-directory", folder]);
});
afterAll(async () => {
  svc.child.kill("SIGTERM");
  await svc.ended;
  rmSync(folder, { recursive: true, force: true });
});

test("a network of two validators attests, goes on when one was killed and started, and leaves nothing behind", async () => {
  await svc.shows(/ready: checkpoint \d+ of slot \d+ is on L1 with attestations of 2 of 2 validators/);
  const { stdout } = await devnet("status", "--json");
  const before = new Map((JSON.parse(stdout) as NodeStatus[]).map((node) => [node.name, node]));
  expect([...before.values()].map(({ name, role, state }) => [name, role, state])).toEqual([
    ["l1", "L1", "running"],
    ["bootnode", "bootnode", "running"],
    ["validator-1", "validator", "running"],
    ["validator-2", "validator", "running"],
  ]);
  const [, url] = await svc.shows(/All of them on one page: (http\S+)/);
  const page = await fetch(url);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  const shown = await page.text();
  for (const { name, pid } of before.values()) expect(shown).toMatch(new RegExp(`>${name}</th>.*<td>${pid}</td>`));

  const victim = before.get("validator-2")?.pid as number;
  expect(await devnet("kill", "validator-2")).toMatchObject({ code: 0 });
  expect(isRunning(victim)).toBe(false);
  expect((await status()).get("validator-2")).toMatchObject({ state: "killed" });
  expect(await devnet("kill", "validator-2")).toMatchObject({
    code: 1,
    stderr: "error: validator-2 does not run: it is killed\n",
  });
  const published = () => [...nodeLog("validator-2").matchAll(/published checkpoint/g)].length;
  const publishedBefore = published();
  expect(await devnet("restart", "validator-2")).toMatchObject({ code: 0 });
  // Both have to attest to a checkpoint, its proposer too.
  await expect.poll(published, { timeout: 180_000, interval: 500 }).toBeGreaterThan(publishedBefore);
  expect(nodeLog("validator-1")).toMatch(/attested to checkpoint/);

  const pids = [...(await status()).values()].map(({ pid }) => pid as number);
  const said = "the network is being stopped\nthe network has ended\n";
  expect(await devnet("stop")).toMatchObject({ code: 0, stdout: said });
  expect(pids.filter(isRunning)).toEqual([]);
  await svc.ended;
  expect(await devnet("status")).toMatchObject({ code: 1, stderr: expect.stringContaining("no devnet runs there") });

  const secrets = secretsIn(join(folder, "keys"));
  expect(secrets).toHaveLength(6);
  const logged = readdirSync(join(folder, "logs")).map((name) => readFileSync(join(folder, "logs", name), "utf8"));
  const output = [svc.output.stdout, svc.output.stderr, ...logged].join("\n");
  expect(secrets.filter((secret) => output.includes(secret))).toEqual([]);
  for (const name of ["bootnode   ", "validator-1", "validator-2"])
    expect(svc.output.stdout).toContain(`\n${name} | [`);
}, 300_000);
