import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { startAnvil } from "../../src/cli/demo/anvil.ts";
import { CountingProxy } from "../lib/counting-proxy.ts";
import { blobBytes, type CaughtUp, FollowedChain } from "../lib/followed-chain.ts";
import { type LocalNetwork, startOwnNetwork } from "../lib/local-networks.ts";
import { type LongChain, readLongChain } from "../lib/long-chain.ts";
import type { Comparison, Figure, SuiteResult } from "../lib/measurement.ts";
import { cpuTimeOf } from "../lib/server-process.ts";
import { inPairs, median, percentile } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES } from "../lib/targets.ts";
import { lagsBetween, TipTimes } from "../lib/tip-times.ts";
import { latencies, prepareTraffic, sustained } from "../lib/tx-load.ts";
import { TxTraffic } from "../lib/tx-traffic.ts";
import { answerTo, call } from "../lib/wrk.ts";

/**
 * Seconds of transfers that make the chain, pairs of starts with a snapshot and by the feed, and transfers one after
 * the other during which the lag is measured: each moves the tips once or twice, and a p99 needs a hundred moves.
 */
const USUAL = { chainSeconds: 180, snapshotPairs: 3, feedPairs: 1, singles: 72 };
const QUICK = { chainSeconds: 8, snapshotPairs: 1, feedPairs: 1, singles: 5 };
/** Beside a recorded chain, which then is the long one. */
const SHORT_CHAIN_SECONDS = 20;
const SETTLED_MS = 1_500;

interface Synced {
  seconds: number;
  cpuSeconds: number;
  residentMiB: number;
  /** Of a snapshot: CPU time when it was checked to its end. */
  checkedCpuSeconds: number;
}

async function measuredOnce(start: () => Promise<CaughtUp>): Promise<Synced> {
  const node = await start();
  try {
    const { seconds, cpuSeconds, residentMiB } = node;
    while (existsSync(join(node.directory, "snapshot.json"))) await sleep(50);
    return { seconds, cpuSeconds, residentMiB, checkedCpuSeconds: cpuTimeOf(node.process.pid) / 1000 };
  } finally {
    await node.stop();
  }
}

/** The last block, once there are no further ones. */
async function lastBlock(url: string): Promise<number> {
  for (let last = -1; ; await sleep(SETTLED_MS)) {
    const block = Number(await answerTo(url, call("node_getBlockNumber", [])));
    if (block === last) return block;
    last = block;
  }
}

async function lags(
  { network, traffic }: { network: LocalNetwork; traffic: TxTraffic },
  [upstream, follower]: readonly [CaughtUp, CaughtUp],
  singles: number,
): Promise<number[]> {
  const times = [await TipTimes.of(upstream.url), await TipTimes.of(follower.url)];
  await latencies(traffic, singles);
  await lastBlock(network.url);
  await sleep(SETTLED_MS);
  for (const each of times) each.close();
  return lagsBetween(times[0], times[1]);
}

/** Starts of followers, each beside one of a node that follows L1, until they have the chain. */
async function starts(
  chain: FollowedChain,
  upstream: CaughtUp,
  { block, sizes, progress }: { block: number; sizes: typeof USUAL; progress: SuiteContext["progress"] },
) {
  const fromL1 = () => measuredOnce(() => chain.node(block));
  const follower = (mode: "full" | "snapshot") => () =>
    measuredOnce(() => chain.follower(block, upstream.feedUrl, mode));
  progress("followers with a snapshot, nodes from L1");
  const snapshots = await inPairs(sizes.snapshotPairs, follower("snapshot"), fromL1);
  progress("followers by the feed, nodes from L1");
  const feeds = await inPairs(sizes.feedPairs, follower("full"), fromL1);
  return { snapshots, feeds };
}

/** `starts` on a recorded chain. */
async function recordedStarts(recorded: LongChain, sizes: typeof USUAL, progress: SuiteContext["progress"]) {
  const { l1State, registryAddress, blobs, blocks: block } = recorded;
  const anvil = await startAnvil(l1State, new AbortController().signal);
  try {
    const blobStore = pathToFileURL(blobs).href;
    const chain = new FollowedChain({ l1Url: anvil.url, registryAddress, blobStore });
    const upstream = await chain.node(block);
    try {
      return await starts(chain, upstream, { block, sizes, progress });
    } finally {
      await upstream.stop();
    }
  } finally {
    anvil.kill();
  }
}

/**
 * Followers of a chain that a local network made, or of a recorded one: from nothing to the tip beside a node that follows L1, with a
 * snapshot of the upstream and by the feed alone; bytes of the feed; lag behind the upstream.
 */
export async function followerSuite({ quick, longChain, progress }: SuiteContext): Promise<SuiteResult> {
  const sizes = quick ? QUICK : USUAL;
  const recorded = longChain === undefined ? undefined : readLongChain(longChain);
  const chainSeconds = recorded === undefined ? sizes.chainSeconds : SHORT_CHAIN_SECONDS;
  const network = await startOwnNetwork();
  const traffic = new TxTraffic(network.url);
  const running: { stop(): Promise<void> }[] = [];
  try {
    await prepareTraffic(traffic);
    progress(`a chain of ${chainSeconds} s of transfers`);
    const { txs } = await sustained(traffic, { seconds: chainSeconds, outstanding: 100 });
    const block = await lastBlock(network.url);
    progress(`${block} blocks, ${txs} txs`);
    const chain = await FollowedChain.of(network);
    const upstream = await chain.node(block);
    running.push(upstream);
    const { snapshots, feeds } = await (recorded === undefined
      ? starts(chain, upstream, { block, sizes, progress })
      : recordedStarts(recorded, sizes, progress));

    progress("bytes of the feed, and the lag of a follower");
    const proxy = await CountingProxy.start(Number(new URL(upstream.feedUrl).port));
    running.push(proxy);
    const follower = await chain.follower(block, proxy.url, "full");
    running.push(follower);
    const { received } = proxy;
    const blobs = await blobBytes(network.l1Url);
    const found = (await lags({ network, traffic }, [upstream, follower], sizes.singles)).toSorted((a, b) => a - b);

    const comparison = (row: Comparison["row"], pairs: typeof snapshots): Comparison => ({
      ...{ kind: "comparison", row, peer: "from-l1", unit: "s", better: "less" },
      pairs: pairs.map(({ ours, theirs }) => ({ ours: ours.seconds, theirs: theirs.seconds })),
    });
    const figure = (row: Figure["row"], name: string, unit: Figure["unit"], values: number[]): Figure => ({
      ...{ kind: "figure", row, name, unit, values },
    });
    const details = (row: Figure["row"], pairs: typeof snapshots): Figure[] => [
      figure(
        row,
        "CPU time",
        "s",
        pairs.map(({ ours }) => ours.cpuSeconds),
      ),
      figure(
        row,
        "CPU time of the node from L1",
        "s",
        pairs.map(({ theirs }) => theirs.cpuSeconds),
      ),
      figure(
        row,
        "resident memory",
        "MiB",
        pairs.map(({ ours }) => ours.residentMiB),
      ),
    ];
    const checked = snapshots.map(({ ours }) => ours.checkedCpuSeconds);
    return {
      measurements: [
        comparison("follower-sync", snapshots),
        ...details("follower-sync", snapshots),
        figure("follower-sync", "CPU time with the check of the whole snapshot", "s", checked),
        comparison("follower-feed", feeds),
        ...details("follower-feed", feeds),
        {
          ...{ kind: "comparison", row: "follower-bytes", peer: "blobs", unit: "bytes", better: "less" },
          pairs: [{ ours: received / block, theirs: blobs / block }],
        },
        figure("follower-lag", "median", "ms", [median(found)]),
        figure("follower-lag", FIGURES.lag, "ms", [percentile(found, 99)]),
      ],
      notes: [
        `the followed chain has ${recorded?.blocks ?? block} blocks and ${recorded?.txs ?? txs} txs; the lag is that of ${found.length} changes of tips`,
      ],
    };
  } finally {
    traffic.close();
    for (const each of running.reverse()) await each.stop();
    await network.stop();
  }
}
