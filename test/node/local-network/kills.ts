import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type BlockHeaderJson, blockHeaderFromJson } from "../../../src/node/bot/header-json.ts";
import { messageTx } from "./local-txs.ts";
import { call, type Network, startNetwork } from "./network-process.ts";

export interface KillCounts {
  kills: number;
  /** Transactions that node_sendTx took. */
  accepted: number;
  mined: number;
  pending: number;
  /** Not known any more: all were anchored on a block that was lost, or some were not. */
  dropped: { withTheirAnchor: number; others: number };
  /** Blocks that an answer named. */
  blocks: number;
  lost: LostBlock[];
}

/** A block that an answer named before a kill, and that was gone after it. */
export interface LostBlock {
  /** Seen blocks after it; 0: it was the last. */
  successors: number;
  /** Milliseconds from the first answer with it to the kill. */
  age: number;
  /** The same, from the first answer that said it was on L1; undefined: none did. */
  onL1For: number | undefined;
}

interface SeenBlock {
  hash: string;
  at: number;
  onL1At: number | undefined;
}

/** All processes below one, it included. */
function family(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [pid, ...children.map(Number).flatMap(family)];
}

/** Kills the node, its L1 and the shell between them at one moment. */
async function killEverything({ svc }: Network): Promise<void> {
  const all = family(svc.child.pid ?? 0);
  for (const pid of all) process.kill(pid, "SIGSTOP");
  for (const pid of all) process.kill(pid, "SIGKILL");
  await svc.ended;
}

interface SentTx {
  hash: string;
  /** Of its anchor block; undefined: genesis. */
  anchor: string | undefined;
}
interface Tip {
  number: number;
  hash: string;
}

type Tips = { proposed: Tip; checkpointed: { block: Tip } };
const tipsOf = (url: string) => call<Tips>(url, "node_getL2Tips");
const tipOf = async (url: string) => (await tipsOf(url)).proposed;

/** Sends transactions, every other one anchored on the latest block, and watches the tip until the network is gone. */
async function traffic(url: string, sent: SentTx[], seen: Map<string, SeenBlock>): Promise<void> {
  const { rollupVersion } = await call<{ rollupVersion: number }>(url, "node_getNodeInfo");
  const watch = async (): Promise<void> => {
    for (;;) {
      const { proposed, checkpointed } = await tipsOf(url);
      const at = performance.now();
      for (const { hash } of [checkpointed.block, proposed]) {
        if (!seen.has(hash)) seen.set(hash, { hash, at, onL1At: undefined });
      }
      const onL1 = seen.get(checkpointed.block.hash) as SeenBlock;
      onL1.onL1At ??= at;
      await sleep(10);
    }
  };
  const send = async (): Promise<void> => {
    for (let i = 0; ; i++) {
      const tip = await tipOf(url);
      const header = await call<BlockHeaderJson>(url, "node_getBlockHeader", tip.number);
      const onTip = i % 2 === 1 && (await tipOf(url)).hash === tip.hash;
      const { json, hash } = messageTx(rollupVersion, onTip ? blockHeaderFromJson(header) : undefined);
      const taken = await call(url, "node_sendTx", json).then(
        () => true,
        (error: unknown) => {
          // Refused by the node; anything else is the end of the network.
          if (error instanceof Error && error.message.startsWith("node_sendTx")) return false;
          throw error;
        },
      );
      if (taken) sent.push({ hash, anchor: onTip ? tip.hash : undefined });
      await sleep(100 * Math.random());
    }
  };
  await Promise.allSettled([watch(), send()]);
}

/** Kills a local network with everything that belongs to it again and again while transactions come, and counts what was lost. */
export async function killLocalNetwork(dataDirectory: string, kills: number): Promise<KillCounts> {
  const sent: SentTx[] = [];
  const lostBlocks: LostBlock[] = [];
  const lost = new Set<string>();
  let blocks = 0;
  let network = await startNetwork(["--data-directory", dataDirectory]);
  try {
    for (let kill = 0; kill < kills; kill++) {
      const seen = new Map<string, SeenBlock>();
      const over = traffic(network.url, sent, seen);
      await sleep(1_000 + 5_000 * Math.random());
      const at = performance.now();
      await killEverything(network);
      await over;
      network = await startNetwork(["--data-directory", dataDirectory]);
      for (const [i, { hash, at: first, onL1At }] of [...seen.values()].entries()) {
        if (await call<object | undefined>(network.url, "node_getBlockByHash", hash)) continue;
        lost.add(hash);
        const onL1For = onL1At === undefined ? undefined : Math.round(at - onL1At);
        lostBlocks.push({ successors: seen.size - 1 - i, age: Math.round(at - first), onL1For });
      }
      blocks += seen.size;
    }
    const status = async ({ hash }: SentTx) =>
      (await call<{ status: string }>(network.url, "node_getTxReceipt", hash)).status;
    const counts = { mined: 0, pending: 0, dropped: { withTheirAnchor: 0, others: 0 } };
    for (const tx of sent) {
      const found = await status(tx);
      if (found === "pending") counts.pending++;
      else if (found !== "dropped") counts.mined++;
      else if (tx.anchor !== undefined && lost.has(tx.anchor)) counts.dropped.withTheirAnchor++;
      else counts.dropped.others++;
    }
    return { kills, accepted: sent.length, ...counts, blocks, lost: lostBlocks };
  } finally {
    network.svc.child.kill("SIGINT");
    await network.svc.ended;
  }
}
