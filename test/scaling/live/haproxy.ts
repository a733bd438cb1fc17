/**
 * A local network, whose node is the full node, and two followers behind Debian's HAProxy with the configuration of
 * `deploy/`, while clients read and transactions are sent through it. One fault after the other is caused; each phase
 * ends when all nodes are in use again and blocks are made. Prints what the clients saw, by phase, and ends with 1 when
 * a read failed or was older than its client had seen, a subscriber missed a block, or a sent transaction was lost
 * though its anchor block is still on the chain and the network did not return to a snapshot from before it was sent.
 *
 *   node test/scaling/live/haproxy.ts --folder /tmp/scaling [--clients 8] [--seconds 10] [--only PATTERN]
 */
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { loadCore } from "../../../src/core/load-core.ts";
import { freePort } from "../../support/free-port.ts";
import { type Lie, lyingFeed } from "../../world/follower/lying-feed.ts";
import { call, until } from "../../world/live/json-rpc.ts";
import { BlockSubscriber } from "../block-subscriber.ts";
import { ClusterNode } from "../cluster-node.ts";
import { FeedProxy } from "../feed-proxy.ts";
import { HaProxy, SERVERS } from "../haproxy.ts";
import { type ReadCounts, ReadLoad } from "../read-load.ts";
import { TxLoad } from "../tx-load.ts";
import { LIES } from "./lies.ts";

const { values } = parseArgs({
  options: {
    folder: { type: "string" },
    clients: { type: "string", default: "8" },
    seconds: { type: "string", default: "10" },
    only: { type: "string", default: "" },
  },
});
if (values.folder === undefined) throw new RangeError("--folder is missing");
const { folder } = values;
const faultMs = Number(values.seconds) * 1000;
const START_MS = 120_000;
const CUTS = 10;
const L1_RESTS_MS = 1_000;
/** Several blocks fit in it, and the first frame does not always. */
const MAX_BYTES_TO_CUT = 8_000;
mkdirSync(folder, { recursive: true });

const [feedPort, adminPort, l1Port] = [await freePort(), await freePort(), await freePort()];
const adminUrl = `http://127.0.0.1:${adminPort}`;
const l1Url = `http://127.0.0.1:${l1Port}`;
const feedProxy = await FeedProxy.start(feedPort);
/** The second follower knows no other upstream. */
const onlyFeed = await FeedProxy.start(feedPort);
const feedUrl = `http://127.0.0.1:${feedPort}`;
const full = new ClusterNode({
  ...{ name: "full", folder, port: await freePort() },
  args: ["--local-network", "--local-network.l1Port", String(l1Port)],
  environment: { SVC_FEED_PORT: String(feedPort), AZTEC_ADMIN_PORT: String(adminPort) },
});
const followers = await Promise.all(
  [`${feedProxy.url},${feedUrl}`, onlyFeed.url].map(
    async (upstreams, i) =>
      new ClusterNode({
        ...{ name: `follower-${i + 1}`, folder, port: await freePort(), args: ["--follower"] },
        environment: { FOLLOWER_UPSTREAM_URL: upstreams, FOLLOWER_RPC_URL: full.url },
      }),
  ),
);
const nodes = [full, ...followers];

const started = (node: ClusterNode) => until(`${node.options.name} is ready`, START_MS, () => node.isReady());
full.start();
await started(full);
for (const follower of followers) follower.start();
for (const follower of followers) await started(follower);
const [first, second] = followers;
const haproxy = await HaProxy.start([full.address, first.address, second.address], folder);
const allUp = () => until("HAProxy uses all nodes", START_MS, () => haproxy.isUp(...SERVERS));
await allUp();
const reads = new ReadLoad(haproxy.url, { clients: Number(values.clients), pauseMs: 10 });
const subscriber = new BlockSubscriber(haproxy.url);
const txs = await TxLoad.start(loadCore(), haproxy.url);

/** The tip that a node has. */
const height = async (node: ClusterNode) => Number(await call(node.url, "node_getBlockNumber"));
const newBlock = async () => {
  const from = await until("the full node answers", START_MS, () => height(full));
  const passed = (node: ClusterNode) => async () => (await height(node)) > from;
  for (const node of nodes) await until(`${node.options.name} has a new block`, START_MS, passed(node));
};

interface Phase {
  name: string;
  /** Blocks are taken back: what a client has seen may be gone, and a tx anchored on it. */
  takesBack?: boolean;
  fault(): Promise<void>;
}

async function restart(node: ClusterNode, server: (typeof SERVERS)[number]): Promise<void> {
  await haproxy.drain(server);
  await node.end("SIGTERM");
  node.start();
  await started(node);
  await haproxy.undrain(server);
  await allUp();
}

const phases: Phase[] = [
  { name: "no fault", fault: () => sleep(faultMs) },
  {
    name: "SIGKILL of a follower",
    async fault() {
      await first.end("SIGKILL");
      await sleep(faultMs);
      first.start();
    },
  },
  {
    name: "SIGSTOP of a follower",
    async fault() {
      second.signal("SIGSTOP");
      await sleep(faultMs);
      second.signal("SIGCONT");
    },
  },
  {
    name: "SIGSTOP of the full node",
    async fault() {
      full.signal("SIGSTOP");
      await sleep(faultMs);
      full.signal("SIGCONT");
    },
  },
  {
    name: "paused sync of a follower",
    async fault() {
      feedProxy.pause(true);
      await sleep(faultMs);
      feedProxy.pause(false);
    },
  },
  {
    name: "upstream that lies",
    async fault() {
      const liar = await lyingFeed(feedUrl, (frame, rest) => lie(frame, rest));
      let lie: Lie = (frame) => [frame];
      feedProxy.target = Number(new URL(liar.url).port);
      for (const [name, tell] of LIES) {
        await first.end("SIGKILL");
        lie = tell();
        const from = first.logSize();
        first.start();
        const line = await until(`a lie about ${name} is noticed`, START_MS, async () =>
          first.loggedFrom(from).find((text) => text.includes("an upstream gave an invalid answer")),
        );
        await started(first);
        await newBlock();
        const lines = first.loggedFrom(from).filter((text) => text.includes("an upstream gave an invalid answer"));
        if (lines.length !== 1) faults.push(`${name}: ${lines.length} lines tell of one lie`);
        console.log(`  ${name}: ${line.slice(line.indexOf("field=")).trim()}`);
      }
      feedProxy.target = feedPort;
      await first.end("SIGKILL");
      await liar.close();
      first.start();
    },
  },
  {
    name: "feed cut off at any byte",
    async fault() {
      onlyFeed.cutAfter = () => Math.floor(Math.random() * MAX_BYTES_TO_CUT);
      onlyFeed.disconnect();
      await until(`the feed is cut off ${CUTS} times`, START_MS, async () => onlyFeed.cuts >= CUTS);
      onlyFeed.cutAfter = () => Number.POSITIVE_INFINITY;
    },
  },
  {
    name: "L1 reorg",
    takesBack: true,
    async fault() {
      const snapshot = await call(l1Url, "evm_snapshot");
      await newBlock();
      await newBlock();
      const tip = await height(full);
      // anvil mixes up two states when it goes back while it mines, which it does when the network tells it to.
      full.signal("SIGSTOP");
      await sleep(L1_RESTS_MS);
      await call(l1Url, "evm_revert", snapshot);
      full.signal("SIGCONT");
      await until("the full node goes back", START_MS, async () => (await height(full)) < tip);
      await sleep(faultMs);
    },
  },
  {
    name: "return to a snapshot",
    takesBack: true,
    async fault() {
      await txs.undo(
        () => call(adminUrl, "evm_snapshot"),
        async (snapshot) => {
          await newBlock();
          await newBlock();
          await call(adminUrl, "evm_revert", snapshot);
        },
      );
      await sleep(faultMs);
    },
  },
  {
    name: "rolling restart of all",
    // The restarted network lives on what its L1 wrote to disk.
    takesBack: true,
    async fault() {
      for (const [i, node] of nodes.entries()) await restart(node, SERVERS[i]);
    },
  },
  {
    name: "SIGKILL of the full node and L1",
    takesBack: true,
    async fault() {
      await full.end("SIGKILL");
      await sleep(faultMs);
      full.start();
    },
  },
];

const faults: string[] = [];
const columns = [
  ...["reads", "longest ms", "behind", "failed", "old"],
  ...["txs", "sent again", "refused", "lost", "orphaned", "undone", "retries"],
];
console.log(`${"phase".padEnd(34)}${columns.map((name) => name.padStart(11)).join("")}`);
try {
  for (const { name, takesBack = false, fault } of phases.filter(({ name }) => new RegExp(values.only).test(name))) {
    const before = await retries();
    reads.take();
    subscriber.take();
    await fault();
    for (const node of nodes) await started(node);
    await allUp();
    await newBlock();
    const sent = await txs.settled();
    const counts = reads.take();
    report(name, counts, sent, (await retries()) - before);
    const { blocks, resumed, reorgs, gaps } = subscriber.take();
    console.log(`  subscriber: ${blocks} blocks, resumed ${resumed} times, ${reorgs} reorgs, ${gaps.length} gaps`);
    for (const gap of gaps.slice(0, 5)) faults.push(`${name}: the subscriber is told of ${gap}`);
    for (const text of [...new Set(counts.failed)].slice(0, 5)) faults.push(`${name}: ${text}`);
    for (const text of counts.old.slice(0, 5)) faults.push(`${name}: ${text}`);
    if (!takesBack && counts.behind > 0) faults.push(`${name}: ${counts.behind} reads found no node with their block`);
    for (const text of new Set(sent.refused)) {
      if (takesBack) console.log(`  refused: ${text}`);
      else faults.push(`${name}: a tx is refused: ${text}`);
    }
    if (sent.lost.length > 0) faults.push(`${name}: txs are lost: ${sent.lost.join(", ")}`);
    if (!takesBack && sent.orphaned.length > 0) faults.push(`${name}: anchors are gone: ${sent.orphaned.join(", ")}`);
    if (sent.twice.length > 0) faults.push(`${name}: txs are in the pool or the chain twice: ${sent.twice.join(", ")}`);
  }
} finally {
  await txs.end();
  await reads.end();
  await subscriber.end();
  await haproxy.stop();
  feedProxy.stop();
  onlyFeed.stop();
  for (const node of nodes) {
    node.signal("SIGCONT");
    await node.end(node === full ? "SIGTERM" : "SIGKILL");
  }
}
console.log(
  faults.length === 0
    ? "no read failed, none was old, no tx was lost, and the subscriber missed no block"
    : faults.join("\n"),
);
process.exitCode = faults.length === 0 ? 0 : 1;

async function retries(): Promise<number> {
  return [...(await haproxy.states()).values()].reduce((sum, server) => sum + server.retries, 0);
}

function report(
  name: string,
  { answered, maxMs, behind, failed, old }: ReadCounts,
  { sent, again, refused, lost, orphaned, undone }: Awaited<ReturnType<TxLoad["settled"]>>,
  retried: number,
): void {
  const row = [
    answered,
    Math.round(maxMs),
    behind,
    failed.length,
    old.length,
    sent,
    again,
    refused.length,
    lost.length,
    orphaned.length,
    undone.length,
    retried,
  ];
  console.log(`${name.padEnd(34)}${row.map((value) => String(value).padStart(11)).join("")}`);
}
