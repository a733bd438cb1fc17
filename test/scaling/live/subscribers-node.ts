import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContentStore } from "../../../src/archiver/content-store.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { startPublicRpc } from "../../../src/rpc/public-rpc.ts";
import { RecordedL1, readRecordedL1 } from "../../world/archiver/recorded-l1.ts";
import { recordedNode } from "../../world/archiver/recorded-node.ts";
import { CHAIN_A, recordedPublicData } from "../../world/l1/recorded-networks.ts";
import { fakeServices, recordingLogger } from "../../world/rpc/fakes.ts";

/**
 * A node of the recorded chain as a process: real store, trees, synchronizer and RPC threads. Asked over IPC, it takes
 * one more checkpoint, and tells when each commit was made and how long the import took.
 */

export type ToNode = { ask: "step" } | { ask: "memory" } | { ask: "end" };
export type FromNode =
  | { kind: "ready"; port: number; checkpoints: number }
  /** The CPU time is that of the thread that imports. `at` is CLOCK_MONOTONIC in milliseconds, which all processes share. */
  | { kind: "step"; importMs: number; importCpuMs: number; commits: { tips: string; at: number }[] }
  | { kind: "memory"; bytes: number };

function tipsKey({ proposed, checkpointed }: ReturnType<typeof chain.tips>): string {
  return `${proposed.number} ${checkpointed.block.number}`;
}

const [rpcThreads, sockets] = process.argv.slice(2).map(Number);
const core = loadCore();
const recording = await readRecordedL1();
const path = mkdtempSync(join(tmpdir(), "svc-subscribers-"));
const l1 = new RecordedL1(recording, recording.checkpoints[0].l1.number - 1);
const { store, chain, world, synchronizer, close } = recordedNode(core, l1, path);
await synchronizer.syncOnce();

let commits: { tips: string; at: number }[] = [];
/** CPU time of the main thread, from Linux's scheduler. */
const mainThreadCpuMs = (): number =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
const now = (): number => Number(process.hrtime.bigint()) / 1e6;
const transaction = store.transaction.bind(store);
store.transaction = (work) => {
  const result = transaction(work);
  const at = now();
  commits.push({ tips: tipsKey(chain.tips()), at });
  return result;
};

const listener = await startPublicRpc({
  threads: { rpc: rpcThreads, longCalls: 1 },
  services: fakeServices({ chain, world, core, content: new ContentStore({ store, chain }), identity: l1.identity }),
  store,
  chain,
  reads: { publicData: recordedPublicData(core, CHAIN_A), identity: l1.identity },
  cacheBytes: 1 << 24,
  server: {
    listen: { host: "127.0.0.1", port: 0 },
    serve: { namespaces: ["svc", "node"] },
    limits: { maxConnections: 0, maxConnectionsPerClient: 0 },
    sockets: {
      maxPerClient: sockets,
      maxSubscriptions: 64,
      maxFilters: 1_000,
      maxMessageBytes: 1 << 20,
      maxBuffered: 256 * 1024,
      idleTimeoutMs: 120_000,
      maxBehind: 10_000,
    },
  },
  log: recordingLogger(),
});
const tell = (message: FromNode): void => void process.send?.(message);
let next = 0;
process.on("message", async ({ ask }: ToNode) => {
  if (ask === "memory") return tell({ kind: "memory", bytes: process.memoryUsage.rss() });
  if (ask === "step") {
    l1.height = recording.checkpoints[next++].l1.number;
    commits = [];
    const [started, cpu] = [now(), mainThreadCpuMs()];
    await synchronizer.syncOnce();
    const importCpuMs = mainThreadCpuMs() - cpu;
    return tell({ kind: "step", importMs: now() - started, importCpuMs, commits });
  }
  await listener.close(0);
  await close();
  rmSync(path, { recursive: true, force: true });
  process.exit(0);
});
tell({ kind: "ready", port: listener.port, checkpoints: recording.checkpoints.length });
