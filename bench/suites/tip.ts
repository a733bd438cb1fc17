import { setTimeout as sleep } from "node:timers/promises";
import { FollowedChain } from "../lib/followed-chain.ts";
import { L1Watch } from "../lib/l1-watch.ts";
import { startOwnNetwork } from "../lib/local-networks.ts";
import type { Figure, SuiteResult } from "../lib/measurement.ts";
import { median, percentile } from "../lib/statistics.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { FIGURES } from "../lib/targets.ts";
import { TipTimes } from "../lib/tip-times.ts";
import { prepareTraffic } from "../lib/tx-load.ts";
import { TxTraffic } from "../lib/tx-traffic.ts";
import { answerTo, call } from "../lib/wrk.ts";

/** Transactions of a block, and blocks. */
const TXS = 20;
const USUAL = { blocks: 100 };
const QUICK = { blocks: 3 };
const POLL_MS = 20;
const LIMIT_MS = 30_000;

interface CheckpointJson {
  checkpoint: { number: number; blocks: { body: { txEffects: unknown[] } }[] };
  l1: { blockNumber: string };
}

async function blockNumber(url: string): Promise<number> {
  return Number(await answerTo(url, call("node_getBlockNumber", [])));
}

/** Sends the transactions of one block and waits until a node has it. */
async function oneBlock(traffic: TxTraffic, url: string): Promise<void> {
  const before = await blockNumber(url);
  await traffic.refresh();
  for (let i = 0; i < TXS; i++) await traffic.sendNext();
  for (const limit = performance.now() + LIMIT_MS; (await blockNumber(url)) === before; await sleep(POLL_MS)) {
    if (performance.now() > limit) throw new Error(`block ${before + 1} did not come within ${LIMIT_MS} ms`);
  }
}

/** When the node first told of each checkpoint as the latest. */
function checkpointedTimes(times: TipTimes): Map<number, number> {
  const first = new Map<number, number>();
  for (const [tips, at] of times.seen) {
    const { number } = JSON.parse(tips).checkpointed.checkpoint;
    if (!first.has(number)) first.set(number, at);
  }
  return first;
}

/** Checkpoints whose only block has the wanted transactions. */
async function checkpointsSince(url: string, first: number): Promise<CheckpointJson[]> {
  const found: CheckpointJson[] = [];
  for (let from = first; ; from += 50) {
    const some = (await answerTo(url, call("node_getCheckpoints", [from, 50]))) as CheckpointJson[];
    found.push(...some);
    if (some.length < 50) break;
  }
  return found.filter(({ checkpoint: { blocks } }) => blocks.length === 1 && blocks[0].body.txEffects.length === TXS);
}

/**
 * How long a block takes from L1 to the clients of a node that follows L1 at its tip: from the answer in which L1 names
 * its own block to the event that tells of the checkpoint in it, after the commit.
 */
export async function tipSuite({ quick, progress }: SuiteContext): Promise<SuiteResult> {
  const { blocks } = quick ? QUICK : USUAL;
  const network = await startOwnNetwork();
  const traffic = new TxTraffic(network.url);
  const running: { stop(): Promise<void> }[] = [];
  try {
    await prepareTraffic(traffic);
    await network.admin("svcAdmin_setConfig", [{ minTxsPerBlock: TXS, maxTxsPerBlock: TXS }]);
    const watch = await L1Watch.start(network.l1Url);
    running.push(watch);
    const chain = await FollowedChain.of({ ...network, l1Url: watch.url });
    const node = await chain.node(await blockNumber(network.url));
    running.push(node);
    const times = await TipTimes.of(node.url);
    const first = Number(await answerTo(node.url, call("node_getCheckpointNumber", []))) + 1;
    progress(`${blocks} blocks of ${TXS} txs`);
    for (let i = 0; i < blocks; i++) await oneBlock(traffic, node.url);
    times.close();
    const served = checkpointedTimes(times);
    const checkpoints = await checkpointsSince(node.url, first);
    const found = checkpoints.flatMap(({ checkpoint, l1 }) => {
      const [seen, at] = [watch.seenAt(Number(l1.blockNumber)), served.get(checkpoint.number)];
      return seen === undefined || at === undefined ? [] : [at - seen];
    });
    if (found.length < blocks / 2) throw new Error(`only ${found.length} of ${blocks} blocks could be timed`);
    found.sort((a, b) => a - b);
    const figure = (name: string, value: number): Figure => ({
      ...{ kind: "figure", row: "block-served", name, unit: "ms", values: [value] },
    });
    return {
      measurements: [figure("median", median(found)), figure(FIGURES.served, percentile(found, 99))],
      notes: [
        `from L1 block to block: ${found.length} blocks of ${TXS} txs, one at a time; L1, the network that makes the ` +
          "blocks, its clients and the node share the processors",
      ],
    };
  } finally {
    traffic.close();
    for (const each of running.reverse()) await each.stop();
    await network.stop();
  }
}
