import { setTimeout as sleep } from "node:timers/promises";
import type { TxReceipt } from "../../src/bot/bot-node.ts";
import { fromHex } from "../../src/protocol/bytes.ts";
import type { TxTraffic } from "./tx-traffic.ts";
import { answerTo, call, LoadError } from "./wrk.ts";

const RECEIPT_POLL_MS = 20;
const BLOCK_POLL_MS = 200;
const REFRESH_MS = 5_000;
const TX_LIMIT_MS = 120_000;
/** Statuses that the released client waits for by default. */
const CLIENT_STATUSES: readonly TxReceipt["status"][] = ["checkpointed", "proven", "finalized"];

export interface TxLatency {
  /** Until a receipt names a block. */
  minedMs: number;
  /** Until the receipt that the released client waits for. */
  checkpointedMs: number;
}

/** Sends a tx and polls its receipt until the released client would stop waiting. Throws a LoadError. */
async function follow(traffic: TxTraffic, send: () => Promise<string>): Promise<TxLatency> {
  const started = performance.now();
  const hash = fromHex(await send());
  let minedMs: number | undefined;
  for (;;) {
    const { status, executionResult, error } = await traffic.node.receipt(hash);
    const elapsed = performance.now() - started;
    if (executionResult !== undefined) {
      minedMs ??= elapsed;
      if (executionResult !== "success") throw new LoadError(traffic.url, `a transfer is ${executionResult}`, "");
    }
    if (minedMs !== undefined && CLIENT_STATUSES.includes(status)) return { minedMs, checkpointedMs: elapsed };
    if (elapsed > TX_LIMIT_MS)
      throw new LoadError(traffic.url, `a transfer is ${status} after ${elapsed} ms`, error ?? "");
    await sleep(RECEIPT_POLL_MS);
  }
}

/** Makes the network ready for transfers: the sender has tokens, and one transfer has been made. */
export async function prepareTraffic(traffic: TxTraffic): Promise<void> {
  await follow(traffic, () => traffic.mint());
  await follow(traffic, () => traffic.sendOne());
}

/**
 * Sends txs one by one on an idle network. The pauses vary, so that they do not coincide with the network's own
 * periods.
 */
export async function latencies(traffic: TxTraffic, count: number): Promise<TxLatency[]> {
  const found: TxLatency[] = [];
  for (let i = 0; i < count; i++) {
    await sleep(300 + ((i * 370) % 1000));
    found.push(await follow(traffic, () => traffic.sendOne()));
  }
  return found;
}

export interface Sustained {
  perSecond: number;
  /** Txs per second in each minute. */
  perMinute: number[];
  seconds: number;
  txs: number;
  blocks: number;
  /** Share of one processor that this process used. */
  generatorCpu: number;
  /** Txs that the node refused; others were sent in their place. */
  refused: number;
}

interface MinedBlocks {
  block: number;
  txs: number;
}

interface BlockJson {
  body: { txEffects: { revertCode: number }[] };
}

/** Adds the blocks on L1 after `seen`. Throws a LoadError for a reverted tx. */
async function minedSince(url: string, seen: MinedBlocks): Promise<MinedBlocks> {
  const tips = (await answerTo(url, call("node_getL2Tips", []))) as { checkpointed: { block: { number: number } } };
  let { block, txs } = seen;
  while (block < tips.checkpointed.block.number) {
    const { body } = (await answerTo(url, call("node_getBlock", [++block]))) as BlockJson;
    const reverted = body.txEffects.filter(({ revertCode }) => revertCode !== 0).length;
    if (reverted > 0) throw new LoadError(url, `${reverted} transfers of block ${block} are reverted`, "");
    txs += body.txEffects.length;
  }
  return { block, txs };
}

/**
 * Keeps `outstanding` txs sent and not yet on L1. Counts the txs that reach L1 within `seconds`, starting when the
 * first one does. Throws a LoadError for reverted txs and for a node that accepts none.
 */
export async function sustained(
  traffic: TxTraffic,
  { seconds, outstanding }: { seconds: number; outstanding: number },
): Promise<Sustained> {
  const { url } = traffic;
  let seen = await minedSince(url, { block: 0, txs: 0 });
  const before = seen.txs;
  await traffic.refresh();
  let sent = 0;
  let refused = 0;
  let running = true;
  const senders = Array.from({ length: 8 }, async () => {
    while (running) {
      if (sent - (seen.txs - before) >= outstanding) {
        await sleep(10);
        continue;
      }
      sent++;
      try {
        await traffic.sendNext();
      } catch (error) {
        sent--;
        if (!(error instanceof LoadError)) throw error;
        if (++refused > 1_000) throw error;
        await sleep(200);
      }
    }
  });
  const measured = async (): Promise<Sustained> => {
    let refreshed = performance.now();
    const poll = async (): Promise<void> => {
      await sleep(BLOCK_POLL_MS);
      seen = await minedSince(url, seen);
      if (performance.now() - refreshed > REFRESH_MS) {
        await traffic.refresh();
        refreshed = performance.now();
      }
    };
    for (const limit = performance.now() + TX_LIMIT_MS; seen.txs === before; ) {
      await poll();
      if (performance.now() > limit) throw new LoadError(url, "no transfer is mined", "");
    }
    const from = { ...seen, at: performance.now(), cpu: process.cpuUsage() };
    const perMinute: number[] = [];
    let minute = { txs: from.txs, at: from.at };
    while (performance.now() - from.at < seconds * 1000) {
      await poll();
      const now = performance.now();
      if (now - minute.at < 60_000) continue;
      perMinute.push(((seen.txs - minute.txs) * 1000) / (now - minute.at));
      minute = { txs: seen.txs, at: now };
    }
    const elapsed = (performance.now() - from.at) / 1000;
    const { user, system } = process.cpuUsage(from.cpu);
    return {
      perSecond: (seen.txs - from.txs) / elapsed,
      perMinute,
      seconds: elapsed,
      txs: seen.txs - from.txs,
      blocks: seen.block - from.block,
      generatorCpu: (user + system) / 1e6 / elapsed,
      refused,
    };
  };
  try {
    // Senders end only on an error.
    return (await Promise.race([measured(), Promise.all(senders).then(() => undefined)])) as Sustained;
  } finally {
    running = false;
    await Promise.allSettled(senders);
  }
}
