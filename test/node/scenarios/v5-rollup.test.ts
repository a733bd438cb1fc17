import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { claimStore } from "../../../src/storage/identity.ts";
import { openStore } from "../../../src/storage/store.ts";
import { FAST_MINUTES } from "../../support/fast-minutes.ts";
import { type Svc, spawnSvc } from "../../world/cli/run-svc.ts";
import { LyingL1 } from "../../world/l1/lying-l1.ts";
import { LATER_PROTOCOL, rollupOf } from "../../world/l1/other-protocol.ts";
import { ServedRecording, type V5Chain } from "../../world/l1/served-recording.ts";
import { v5Environment } from "../../world/node/v5-environment.ts";
import "../../support/soak.ts";

/** A process that follows a recorded v5 chain, whose L1 the tests move. */
class V5Process {
  readonly l1: ServedRecording;
  readonly #chain: V5Chain;
  readonly #folder = mkdtempSync(join(tmpdir(), "svc-v5-"));
  svc: Svc | undefined;

  constructor(l1: ServedRecording, chain: V5Chain) {
    this.l1 = l1;
    this.#chain = chain;
  }

  start(changes: Readonly<Record<string, string>> = {}): Svc {
    const folders = ["--data-directory", join(this.#folder, "data"), "--port", "0", "--rpc-host", "127.0.0.1"];
    this.svc = spawnSvc(["start", "--node", ...folders], {
      ...v5Environment(this.l1, this.#chain),
      ...changes,
    });
    return this.svc;
  }

  /** Binds the data directory to another rollup. */
  async claim(chain: Parameters<typeof claimStore>[1]): Promise<void> {
    const path = join(this.#folder, "data", "chain");
    mkdirSync(path, { recursive: true });
    const store = openStore({ path });
    claimStore(store, chain);
    await store.close();
  }

  async kill(): Promise<void> {
    this.svc?.child.kill("SIGKILL");
    await this.svc?.ended;
  }

  async ask(method: string, ...params: unknown[]): Promise<unknown> {
    const [, port] = await this.svc!.shows(/answering JSON-RPC on \S+:(\d+)/);
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return ((await response.json()) as { result?: unknown }).result;
  }

  async close(): Promise<void> {
    await this.kill();
    await this.l1.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

let node: V5Process;
afterEach(() => node.close());

const opening = /opened the chain store at block (\d+)/;

/** Numbers of the tips' blocks. */
async function tips(): Promise<Record<string, number>> {
  const told = (await node.ask("svc_getChainTips")) as Record<string, { number: number; block?: { number: number } }>;
  return Object.fromEntries(Object.entries(told).map(([tip, { number, block }]) => [tip, block?.number ?? number]));
}

test("a process follows a v5 rollup to its recorded tips through kills, and stays there while L1 goes back", async () => {
  node = new V5Process(await ServedRecording.start("chain"), "chain");
  let stored = 0;
  for (let kills = 0; kills < 2; kills++) {
    const [, block] = await node.start().shows(opening);
    expect(Number(block)).toBeGreaterThanOrEqual(stored);
    await expect.poll(() => node.ask("svc_getBlockNumber"), { interval: 20 }).toBeGreaterThan(Number(block));
    stored = Number(block) + 1;
    await node.kill();
  }
  const svc = node.start();
  await svc.shows(/initial sync is complete/);
  const recorded = { proposed: 161, checkpointed: 161, proven: 161, finalized: 130 };
  expect(await tips()).toEqual(recorded);
  expect(await node.ask("svc_getWorldStateSyncStatus")).toMatchObject({
    latestBlockNumber: 161,
    latestBlockHash: "0x08aaf388edfee879b568e43c704cb84ca347e445e5df5be62db0665a9b107e1f",
    finalizedBlockNumber: 130,
    treesAreSynched: true,
  });
  // The same blocks up to a lower head are those of an endpoint that lags; final is what it says is final.
  for (const until of [200, 100]) {
    const asked = node.l1.headsAsked;
    node.l1.until = until;
    await expect.poll(() => node.l1.headsAsked).toBeGreaterThan(asked + 2);
    expect(await tips()).toMatchObject({ proposed: 161, checkpointed: 161, proven: 161 });
  }
  node.l1.until = 376;
  await expect.poll(tips).toEqual(recorded);
  await node.kill();
  expect((await node.start().shows(opening))[1]).toBe("161");
  expect(await tips()).toEqual(recorded);
});

test("a process of a v5 rollup refuses to start with peers, and names the option and the rollup", async () => {
  node = new V5Process(await ServedRecording.start("chain"), "chain");
  const svc = node.start({ P2P_ENABLED: "true", P2P_IP: "127.0.0.1" });
  const { code, stdout, stderr } = await svc.ended;
  expect(code).toBe(1);
  expect(stdout + stderr).toMatch(/P2P_ENABLED needs a rollup of protocol v4, but 0x[0-9a-f]{40} is of v5/);
});

/** L1 blocks of the pruned chain, with the node's latest block and its archive root there. */
const GROWING = [
  { until: 50, block: 2, archive: "0x2093e5" },
  { until: 60, block: 3, archive: "0x2e4c59" },
  { until: 70, block: 4, archive: "0x28a7d2" },
  { until: 80, block: 7, archive: "0x2687f1" },
  { until: 95, block: 10, archive: "0x054a38" },
  { until: 105, block: 12, archive: "0x1c5ee4" },
];
const PRUNED = [
  // Nothing was pruned yet, but the next proposal would do it.
  { until: 116, block: 0, archive: "0x19d98d" },
  { until: 122, block: 1, archive: "0x1363d5" },
  { until: 128, block: 2, archive: "0x281938" },
];
const AFTER = { until: 135, block: 3, archive: "0x1df2c0" };

async function latest(): Promise<{ block: number; archive: string }> {
  const block = (await node.ask("svc_getBlockNumber")) as number;
  const { archive } = (await node.ask("svc_getBlock", block)) as { archive: { root: string } };
  return { block, archive: archive.root.slice(0, 8) };
}

async function follows(steps: readonly { until: number; block: number; archive: string }[]): Promise<void> {
  for (const { until, ...expected } of steps) {
    node.l1.until = until;
    await expect.poll(latest, { interval: 50 }).toEqual(expected);
  }
}

test("a process follows a v5 rollup of several blocks a checkpoint through its prune, step by step", async () => {
  node = new V5Process(await ServedRecording.start("pruned-chain"), "pruned-chain");
  node.l1.until = 40;
  node.start();
  await follows(GROWING);
  await node.kill();
  node.l1.until = PRUNED[0].until;
  expect((await node.start().shows(opening))[1]).toBe("12");
  await follows([...PRUNED, AFTER]);
  expect(await tips()).toEqual({ proposed: 3, checkpointed: 3, proven: 0, finalized: 0 });
  // Block 0 is told by its own hash, whatever is prefilled.
  expect(await node.ask("svc_getChainTips")).toMatchObject({
    proven: {
      block: { hash: "0x131556e4f55c73279d525c6e412be86202519f3a1a3614bbcb48066bcc8a9ad5" },
      checkpoint: { number: 0, hash: "0x002e384af86a480f952aa16443fd29646a9063865e62d7c403fc7ed697bb7712" },
    },
  });
});

test("a process that sees the prune of a v5 rollup only after the new chain has begun takes that", async () => {
  node = new V5Process(await ServedRecording.start("pruned-chain"), "pruned-chain");
  node.l1.until = GROWING.at(-1)!.until;
  node.start();
  await follows([GROWING.at(-1)!, AFTER]);
});

test("a process whose canonical rollup is of an unknown protocol stands by until it is one of v5", async () => {
  node = new V5Process(await ServedRecording.start("pruned-chain"), "pruned-chain");
  const proxy = await LyingL1.inFrontOf(node.l1.url);
  try {
    proxy.lie = rollupOf(LATER_PROTOCOL);
    const svc = node.start({ ETHEREUM_HOSTS: proxy.url, NODE_OPTIONS: `--import=${FAST_MINUTES}` });
    await svc.shows(
      /standing by: rollup 0x[0-9a-f]{40} \(version \d+\) is of a protocol that this program does not know/,
    );
    proxy.lie = undefined;
    await svc.shows(/following the rollup 0x[0-9a-f]{40}/);
    await expect.poll(latest, { interval: 50 }).toEqual({ block: AFTER.block, archive: AFTER.archive });
    await node.kill();
  } finally {
    await proxy.close();
  }
});

test("a process refuses the data directory of a v4 rollup", async () => {
  node = new V5Process(await ServedRecording.start("pruned-chain"), "pruned-chain");
  const rollupAddress = `0x${"44".repeat(20)}`;
  await node.claim({ l1ChainId: 31337, rollupVersion: 344372055, rollupAddress, genesisArchiveRoot: "0x2d" });
  const { code, stderr } = await node.start().ended;
  expect(code).toBe(1);
  expect(stderr).toContain(
    "its generation is v4, this node follows v5. Name another data directory, or remove this one",
  );
});
