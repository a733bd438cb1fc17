/**
 * Follows a recorded v5 rollup with processes of every kind, and asks each of them everything that was recorded of
 * another node on it, through each API:
 *
 *   node test/rpc/live/recorded-v5-processes.ts FOLDER [--asked-after SECONDS] [--only KIND,...]
 *       [--registry ADDRESS] [--prefund ADDRESSES] [--kills 6] [--every 1]
 *
 * FOLDER has the L1 (`l1-record.json.gz`), the blobs (`blob-store.tar.gz`) and the answers (`answers-v5.jsonl.gz`).
 * `--asked-after` says how long after the last L1 block the recorded node was asked: predicted fees depend on it. With
 * `--every N`, one answer of N is asked for. Prints a table; exit code 1 when an answer differs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { toEventSelector } from "viem";
import { rollupAbi } from "../../../src/l1/abi/rollup.ts";
import { freePort } from "../../support/free-port.ts";
import { SVC_PROGRAM } from "../../support/program.ts";
import { ServedRecording, V5_CHAINS } from "../../world/l1/served-recording.ts";
import { SvcProcess } from "../../world/node/svc-process.ts";
import { v5Environment } from "../../world/node/v5-environment.ts";
import { askRecorded, type Counts } from "../../world/rpc/ask-recorded.ts";
import { readCases } from "../../world/rpc/recorded-v5-answers.ts";

const KINDS = ["plain", "rpc-only", "follower", "snapshot", "killed", "moved L1"] as const;
type Kind = (typeof KINDS)[number];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    "asked-after": { type: "string", default: "0" },
    only: { type: "string", default: KINDS.join() },
    registry: { type: "string", default: V5_CHAINS.chain },
    prefund: { type: "string" },
    kills: { type: "string", default: "6" },
    every: { type: "string", default: "1" },
  },
});
const [recording] = positionals;
if (recording === undefined) throw new Error("usage: recorded-v5-processes.ts FOLDER [--asked-after SECONDS] ...");
const wanted = values.only.split(",");
const unknown = wanted.filter((kind) => !(KINDS as readonly string[]).includes(kind));
if (unknown.length > 0) throw new Error(`--only takes of ${KINDS.join(", ")}, not ${unknown.join(", ")}`);

const PROPOSED = toEventSelector(
  rollupAbi.find((item) => "name" in item && item.name === "CheckpointProposed") as never,
);
const PATIENCE_MS = 600_000;
/** Blocks of L1 that a lagging endpoint is behind. */
const BACK = [1, 7, 40];
/** Heads of L1 that a process sees one after the other. */
const HEADS = 24;

const files = { record: join(recording, "l1-record.json.gz"), blobs: join(recording, "blob-store.tar.gz") };
const cases = readCases(join(recording, "answers-v5.jsonl.gz")).filter((_, i) => i % Number(values.every) === 0);
const folder = mkdtempSync(join(tmpdir(), "svc-v5-processes-"));
const l1 = await ServedRecording.of(files);
const feedPort = await freePort();
const adminPort = await freePort();

const program = ["--import", fileURLToPath(new URL("../../support/standing-clock.mjs", import.meta.url)), SVC_PROGRAM];
/** The recorded node kept all states. */
const shared = {
  WS_NUM_HISTORIC_CHECKPOINTS: "0",
  PROVER_REAL_PROOFS: "false",
  STANDING_CLOCK: String(l1.lastTimestamp + Number(values["asked-after"])),
};
const ofL1 = (endpoint: ServedRecording): Record<string, string> => ({
  ...v5Environment(endpoint, "chain"),
  REGISTRY_CONTRACT_ADDRESS: values.registry,
  ...(values.prefund !== undefined && { PREFUND_ADDRESSES: values.prefund }),
  ...shared,
});
const started = (args: string[], environment: Record<string, string>) => new SvcProcess(args, environment, program);
const node = (name: string, endpoint: ServedRecording, more: Record<string, string> = {}) =>
  started(["--node", "--data-directory", join(folder, name), "--port", "0"], { ...ofL1(endpoint), ...more });

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`waited ${PATIENCE_MS / 1000} s in vain: ${what}`);
    await sleep(50);
  }
}

/** The tips, and the time of the L1 block that they were read at. */
const tips = async (process: SvcProcess): Promise<string> => {
  const answers = ["svc_getChainTips", "svc_getSyncedL1Timestamp"].map((method) => process.ask(method));
  return (await Promise.all(answers)).map(({ text }) => text).join();
};

const table: Record<string, Counts> = {};

async function compare(kind: Kind, process: SvcProcess): Promise<void> {
  const url = await process.url();
  for (const namespace of ["aztec", "svc", "node"]) {
    const row = `${kind}, ${namespace}_`;
    table[row] = await askRecorded(url, namespace, cases, (line) => console.log(`${row}: ${line}`));
    console.log(`${row}: ${JSON.stringify(table[row])}`);
  }
}

const upstream = node("plain", l1, {
  SVC_FEED_PORT: String(feedPort),
  AZTEC_ADMIN_PORT: String(adminPort),
  AZTEC_DISABLE_ADMIN_API_KEY: "true",
});
/** Tips of the plain process, to which all others come. */
let recorded: string;
const isReady = async (process: SvcProcess): Promise<boolean> =>
  JSON.parse((await process.ask("svc_isReady")).text).result === true;
const atRest = (process: SvcProcess) =>
  until("the recorded tips", async () => (await tips(process)) === recorded && (await isReady(process)));

/** L1s of single processes, whose heads move from just before the first checkpoint on. */
const moving: ServedRecording[] = [];
const begin = l1.firstOf(PROPOSED) - 1;
const headAt = (part: number) => begin + Math.ceil((l1.last - begin) * part);
async function movable(): Promise<ServedRecording> {
  const endpoint = await ServedRecording.of(files);
  moving.push(endpoint);
  return endpoint;
}

/** What each kind of process does before it is asked. */
const RUNS: Readonly<Record<Kind, () => Promise<SvcProcess>>> = {
  plain: async () => upstream,
  "rpc-only": async () => {
    const process = started(["--rpc-only", "--data-directory", join(folder, "plain"), "--port", "0"], shared);
    process.start();
    return process;
  },
  follower: async () => {
    const feed = ["--follower", "--follower-upstream-url", `http://127.0.0.1:${feedPort}`, "--sync-mode", "full"];
    const process = started([...feed, "--data-directory", join(folder, "follower"), "--port", "0"], shared);
    process.start();
    return process;
  },
  snapshot: async () => {
    const store = `file://${join(folder, "published")}`;
    const response = await fetch(`http://127.0.0.1:${adminPort}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "svcAdmin_startSnapshotUpload", params: [store] }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`no snapshot: ${answer}`);
    await upstreamSvc.shows(/snapshot is uploaded/);
    const process = node("snapshot", l1, { SYNC_SNAPSHOTS_URLS: store, SYNC_MODE: "snapshot" });
    await process.start().shows(/the snapshot is verified and in place/);
    return process;
  },
  killed: async () => {
    const own = await movable();
    const process = node("killed", own);
    const kills = Number(values.kills);
    for (let kill = 1; kill <= kills; kill++) {
      own.until = headAt(kill / kills);
      const { headsAsked } = own;
      let before: number | undefined;
      process.start();
      await until("another block, or all there are", async () => {
        const block = await process.height();
        before ??= block;
        return block > before || own.headsAsked > headsAsked + 3;
      });
      const block = await process.height();
      await process.end("SIGKILL");
      console.log(`killed at block ${block}, L1 block ${own.until}`);
    }
    process.start();
    return process;
  },
  "moved L1": async () => {
    const own = await movable();
    const process = node("moved L1", own);
    /** Until the process has looked at this head more than once. */
    const see = async (head: number): Promise<void> => {
      const { headsAsked } = own;
      own.until = Math.max(begin, head);
      await until("a look at the head", async () => own.headsAsked > headsAsked + 2);
    };
    own.until = begin;
    process.start();
    for (let step = 1; step <= HEADS; step++) {
      const head = headAt(step / HEADS);
      await see(head);
      await see(head - BACK[step % BACK.length]);
    }
    own.until = own.last;
    return process;
  },
};

const upstreamSvc = upstream.start();
try {
  await upstreamSvc.shows(/initial sync is complete/);
  recorded = await tips(upstream);
  console.log(`${cases.length} answers at the tips ${recorded}`);
  for (const kind of KINDS.filter((one) => wanted.includes(one))) {
    const process = await RUNS[kind]();
    try {
      await atRest(process);
      await compare(kind, process);
    } finally {
      if (process !== upstream) await process.end("SIGTERM");
    }
  }
} finally {
  await upstream.end("SIGTERM");
  for (const endpoint of [l1, ...moving]) await endpoint.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.table(table);
if (Object.values(table).some(({ different }) => different > 0)) process.exitCode = 1;
