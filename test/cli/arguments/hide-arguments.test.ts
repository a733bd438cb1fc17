import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { spawnSvc } from "../../world/cli/run-svc.ts";

const KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80";

/** An L1 that never answers, so that the process waits. */
let l1: Server;
beforeAll(async () => {
  l1 = createServer(() => {});
  await new Promise<void>((resolve) => l1.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  l1.closeAllConnections();
  return new Promise((resolve) => l1.close(resolve));
});

test.each([
  ["start", ["start", "--node", "--registry-address", `0x${"11".repeat(20)}`, "--sequencer.validatorPrivateKeys"]],
  ["deploy-l1-contracts", ["deploy-l1-contracts", "--private-key"]],
])("other users do not see a private key among the arguments of svc %s", async (name, args) => {
  const url = `http://127.0.0.1:${(l1.address() as AddressInfo).port}`;
  const svc = spawnSvc([...args, `0x${KEY}`, "--l1-rpc-urls", url]);
  try {
    const asked = new Promise<void>((resolve) => l1.once("request", () => resolve()));
    await Promise.race([asked, svc.ended.then(({ stderr }) => expect.unreachable(stderr))]);
    const shown = readFileSync(`/proc/${svc.child.pid}/cmdline`, "utf8");
    expect(shown).not.toContain(KEY);
    expect(shown.replaceAll("\0", "")).toBe(`svc ${name}`);
  } finally {
    svc.child.kill("SIGKILL");
    await svc.ended;
  }
});
