import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { BrokerClient, parityOutput } from "../support/broker-client.ts";

/** More of them: SVC_BROKER_KILLS=100 npx vitest run test/node/scenarios/broker-kills. */
const KILLS = Number(process.env.SVC_BROKER_KILLS ?? 3);
/** Each job has one right output. */
const outputOf = (id: string): string => parityOutput("PARITY_BASE", id);

let folder: string;
let svc: Svc | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-broker-kills-"));
});
afterEach(async () => {
  svc?.child.kill("SIGKILL");
  await svc?.ended;
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<BrokerClient> {
  svc = spawnSvc(["start", "--prover-broker", "--port", "0", "--rpc-host", "127.0.0.1", "--data-directory", folder]);
  const [, port] = await svc.shows(/answering JSON-RPC on 127\.0\.0\.1:(\d+)/);
  return new BrokerClient(Number(port));
}

test("a broker killed at any moment still has every job and output that it acknowledged", {
  timeout: 600_000,
}, async () => {
  /** Acknowledged jobs, and whether their outputs were acknowledged. */
  const known = new Map<string, boolean>();
  let made = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const client = await start();
    for (const [id, settled] of known) {
      const status = (await client.status(id)) as { status: string; value?: string };
      if (settled) expect(status, id).toEqual({ status: "fulfilled", value: outputOf(id) });
      // An output whose acknowledgement was lost may be stored.
      else expect(["in-queue", "fulfilled"], id).toContain(status.status);
    }
    const dead = new AbortController();
    const produce = async (): Promise<void> => {
      while (!dead.signal.aborted) {
        const id = `job ${made++}`;
        const bytes = [20, 3_000, 200_000][made % 3];
        await client.enqueue(id, `data:${"i".repeat(bytes)}`, { type: 16 });
        if (!known.has(id)) known.set(id, false);
      }
    };
    const prove = async (): Promise<void> => {
      while (!dead.signal.aborted) {
        const next = await client.next();
        if (next === undefined) continue;
        const { id } = next.job;
        await client.succeed(id, outputOf(id));
        known.set(id, true);
      }
    };
    const clients = [produce(), produce(), prove(), prove()].map((work) => work.catch(() => undefined));
    // However slow the machine is, there are more jobs than kills.
    if (kill === 0) await expect.poll(() => known.size).toBeGreaterThan(KILLS);
    await new Promise((resolve) => setTimeout(resolve, randomInt(20, 400)));
    svc?.child.kill("SIGKILL");
    await svc?.ended;
    dead.abort();
    await Promise.all(clients);
  }
  const client = await start();
  // Nothing is lost: what is not settled is handed out now.
  for (let next = await client.next(); next !== undefined; next = await client.next()) {
    await client.succeed(next.job.id, outputOf(next.job.id));
    known.set(next.job.id, true);
  }
  expect(known.size).toBeGreaterThan(KILLS);
  for (const id of known.keys()) {
    expect(await client.status(id), id).toEqual({ status: "fulfilled", value: outputOf(id) });
  }
});
