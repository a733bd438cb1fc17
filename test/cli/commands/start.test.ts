import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockDirectory } from "../../../src/storage/directory-lock.ts";
import { runSvc, spawnSvc } from "../../world/cli/run-svc.ts";

/** An L1 endpoint that answers only eth_chainId. */
let l1: Server;
let l1Url: string;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "svc-start-test-"));
  l1 = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      const call = JSON.parse(body);
      const answer = ({ id, method }: { id: number; method: string }) =>
        method === "eth_chainId"
          ? { jsonrpc: "2.0", id, result: "0x1" }
          : { jsonrpc: "2.0", id, error: { code: -32601, message: "unknown method" } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(Array.isArray(call) ? call.map(answer) : answer(call)));
    });
  });
  await new Promise<void>((resolve) => l1.listen(0, "127.0.0.1", resolve));
  l1Url = `http://127.0.0.1:${(l1.address() as AddressInfo).port}`;
});

afterAll(() => {
  l1.close();
  rmSync(folder, { recursive: true, force: true });
});

const node = (...more: string[]) => [
  "start",
  "--node",
  ...["--l1-rpc-urls", l1Url, "--registry-address", `0x${"11".repeat(20)}`, "--port", "0", "--rpc-host", "127.0.0.1"],
  ...more,
];

function directory(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

describe("failing starts", () => {
  test("a start on an L1 with another chain id exits with 1", async () => {
    const path = directory("wrong-chain");
    const { code, stderr } = await runSvc(node("--data-directory", path, "--l1-chain-id", "31337"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/FATAL: node: the endpoint serves chain 1, but chain 31337 is configured/);
    expect(stderr.match(/chain 31337 is configured/g)).toHaveLength(1);
    expect(stderr).not.toContain("    at ");
    expect(existsSync(join(path, "svc.lock"))).toBe(false);
  });

  test("a start on a data directory in use by another process exits with 1", async () => {
    const path = directory("locked");
    const lock = lockDirectory(path, () => {});
    const { code, stderr } = await runSvc(node("--data-directory", path));
    lock.release();
    expect(code).toBe(1);
    expect(stderr).toContain(`data directory ${path} is in use by process ${process.pid}`);
  });

  test("a start on a data directory that is a file exits with 1", async () => {
    const path = join(folder, "file");
    writeFileSync(path, "");
    const { code, stderr } = await runSvc(node("--data-directory", path));
    expect(code).toBe(1);
    expect(stderr).toMatch(/data directory .* must be a folder that this user can write/);
  });

  test.skipIf(process.getuid?.() === 0)("a start on a read-only data directory exits with 1", async () => {
    const path = directory("read-only");
    chmodSync(path, 0o500);
    const { code, stderr } = await runSvc(node("--data-directory", path));
    expect(code).toBe(1);
    expect(stderr).toContain("must be a folder that this user can write (EACCES)");
  });

  test("a start on a damaged database file exits with 1", async () => {
    const path = directory("garbage");
    mkdirSync(join(path, "chain"));
    writeFileSync(join(path, "chain", "data.mdb"), Buffer.alloc(9000, 7));
    const { code, stderr } = await runSvc(node("--data-directory", path));
    expect(code).toBe(1);
    expect(stderr).toContain(`database file ${join(path, "chain", "data.mdb")} is damaged`);
  });
});

describe("starts while L1 is down", () => {
  const down = () => {
    const args = node("--data-directory", directory(`down-${Math.random()}`));
    return args.map((arg) => (arg === l1Url ? "http://127.0.0.1:1" : arg));
  };

  test("a node waits for L1, and a signal meanwhile ends it with code 0", async () => {
    const svc = spawnSvc(down());
    await svc.shows(/WARN: node: waiting for L1/);
    svc.child.kill("SIGTERM");
    const { code, stderr } = await svc.ended;
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("INFO: node: stopped") });
  });

  test("warnings of the configuration are logged", async () => {
    const svc = spawnSvc(down(), { SEQ_TX_POLLING_INTERVAL_MS: "5" });
    await svc.shows(
      /WARN: config: environment variable SEQ_TX_POLLING_INTERVAL_MS has no effect: .*SEQ_POLLING_INTERVAL_MS/,
    );
    svc.child.kill("SIGTERM");
    await svc.ended;
  });

  test("a node removes its temporary data directory at the end", async () => {
    const temporary = directory("tmp");
    const args = down().filter((_, i, all) => all[i] !== "--data-directory" && all[i - 1] !== "--data-directory");
    const svc = spawnSvc(args, { TMPDIR: temporary, LOG_JSON: "1" });
    await svc.shows(/waiting for L1/);
    expect(readdirSync(temporary)).toHaveLength(1);
    svc.child.kill("SIGINT");
    const { code, stderr } = await svc.ended;
    expect(code).toBe(0);
    expect(readdirSync(temporary)).toEqual([]);
    for (const line of stderr.trimEnd().split("\n")) expect(JSON.parse(line)).toHaveProperty("module");
  });
});
