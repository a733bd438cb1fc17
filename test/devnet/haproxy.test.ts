import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeHaproxyConfiguration } from "../../src/devnet/haproxy.ts";

test("HAProxy accepts the configuration of deploy/ with the nodes of a network, each where the full node stood", () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-haproxy-"));
  const file = join(folder, "haproxy.cfg");
  try {
    writeHaproxyConfiguration(file, [
      { name: "validator-1", address: "127.0.0.1:2010" },
      { name: "follower-1", address: "127.0.0.1:2030" },
    ]);
    const servers = readFileSync(file, "utf8").matchAll(/^ +server (\S+) +(\S+)(?: track (\S+))?/gm);
    const checked = "127.0.0.1:2010";
    const other = "127.0.0.1:2030";
    expect([...servers].map(([, ...of]) => of.filter((text) => text !== undefined).join(" "))).toEqual([
      ...[`validator-1 ${checked}`, `follower-1 ${other}`],
      ...[`validator-1-live ${checked} live/validator-1`, `follower-1-live ${other} live/follower-1`],
      ...[`validator-1 ${checked} live/validator-1`, `follower-1 ${other} live/follower-1`],
      ...[`validator-1 ${checked}`, `follower-1 ${other}`],
    ]);
    execFileSync("haproxy", ["-c", "-f", file], {
      env: { PATH: process.env.PATH, SVC_BIND: "127.0.0.1:2035", SVC_HAPROXY_SOCKET: join(folder, "haproxy.sock") },
      stdio: "pipe",
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
