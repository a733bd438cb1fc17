import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type BlockHeaderJson, blockHeaderFromJson } from "../../../src/bot/header-json.ts";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { messageTx } from "./local-txs.ts";

export interface KillCounts {
  kills: number;
  /** Transactions that node_sendTx accepted. */
  accepted: number;
  mined: number;
  pending: number;
  /** Accepted transactions that are gone: with a lost anchor block, and others. */
  dropped: { withTheirAnchor: number; others: number };
  /** Blocks seen in an answer. */
  blocks: number;
  lost: LostBlock[];
  /** Starts that warned of blocks missing on L1. */
  warnings: number;
}

/** A block seen in an answer before a kill and gone after it. */
export interface LostBlock {
  /** Number of seen blocks after it; 0 for the last one. */
  successors: number;
  /** Milliseconds from the first answer with the block to the kill. */
  age: number;
  /** Milliseconds from the first answer that showed it on L1 to the kill; undefined if none did. */
  onL1For: number | undefined;
}

interface SeenBlock {
  hash: string;
  at: number;
  onL1At: number | undefined;
}

/** A process and all its descendants. */
function processTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return [pid, ...children.map(Number).flatMap(processTree)];
}

/** Kills the node, its L1 and the shell between them at the same moment. */
export async function killEverything({ svc }: Network): Promise<void> {
  const all = processTree(svc.child.pid ?? 0);
  for (const pid of all) process.kill(pid, "SIGSTOP");
  for (const pid of all) process.kill(pid, "SIGKILL");
  await svc.ended;
}

interface SentTx {
  hash: string;
  /** Hash of its anchor block; undefined for genesis. */
  anchor: string | undefined;
}
interface Tip {
  number: number;
  hash: string;
}

type Tips = { proposed: Tip; checkpointed: { block: Tip } };
const tipsOf = (url: string) => call<Tips>(url, "node_getL2Tips");
const tipOf = async (url: string) => (await tipsOf(url)).proposed;

/** Blocks seen between a start of the network and its kill. */
class Life {
  /** Blocks that were not seen before this start, by hash. */
  readonly seen = new Map<string, SeenBlock>();
  /** Whether the latest block is not on L1 yet. */
  ahead = false;
  killedAt = 0;
  readonly #before: ReadonlySet<string>;

  constructor(before: ReadonlySet<string>) {
    this.#before = before;
  }

  shows({ proposed, checkpointed }: Tips): void {
    const at = performance.now();
    for (const { hash } of [checkpointed.block, proposed]) {
      if (!this.seen.has(hash) && !this.#before.has(hash)) this.seen.set(hash, { hash, at, onL1At: undefined });
    }
    const onL1 = this.seen.get(checkpointed.block.hash);
    if (onL1 !== undefined) onL1.onL1At ??= at;
    this.ahead = proposed.number > checkpointed.block.number;
  }
}

/** Sends transactions, every other one anchored on the latest block, and watches the tip until the network is gone. */
async function traffic(url: string, sent: SentTx[], life: Life): Promise<void> {
  const { rollupVersion } = await call<{ rollupVersion: number }>(url, "node_getNodeInfo");
  const watch = async (): Promise<void> => {
    for (;;) {
      life.shows(await tipsOf(url));
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
          // A refusal by the node; any other error means that the network has ended.
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

/** Sends a last transaction and waits until it is on L1: by then all blocks to be dropped are gone. */
async function settled(url: string, sent: SentTx[]): Promise<void> {
  const { rollupVersion } = await call<{ rollupVersion: number }>(url, "node_getNodeInfo");
  const { json, hash } = messageTx(rollupVersion);
  await call(url, "node_sendTx", json);
  sent.push({ hash, anchor: undefined });
  for (;;) {
    const { blockNumber } = await call<{ blockNumber?: number }>(url, "node_getTxReceipt", hash);
    const { checkpointed } = await tipsOf(url);
    if (blockNumber !== undefined && blockNumber <= checkpointed.block.number) return;
    await sleep(20);
  }
}

const WARNING = /of the last run were not on L1/;

/**
 * Repeatedly kills a local network with all its processes while transactions arrive, and counts losses. Every other
 * kill, beginning with the first, comes while the proposed block is not on L1 yet; the others come at any moment.
 */
export async function killLocalNetwork(dataDirectory: string, kills: number, maxSeconds = 6): Promise<KillCounts> {
  const sent: SentTx[] = [];
  const lives: Life[] = [];
  const known = new Set<string>();
  let warnings = 0;
  let network = await startNetwork(["--data-directory", dataDirectory]);
  try {
    for (let kill = 0; kill < kills; kill++) {
      const life = new Life(new Set(known));
      const before = sent.length;
      const over = traffic(network.url, sent, life);
      await sleep(1_000 + (maxSeconds - 1) * 1_000 * Math.random());
      while (sent.length < before + 2 || (kill % 2 === 0 && !life.ahead)) await sleep(1);
      life.killedAt = performance.now();
      await killEverything(network);
      await over;
      if (WARNING.test(network.svc.output.stderr)) warnings++;
      lives.push(life);
      for (const hash of life.seen.keys()) known.add(hash);
      network = await startNetwork(["--data-directory", dataDirectory]);
    }
    await settled(network.url, sent);
    if (WARNING.test(network.svc.output.stderr)) warnings++;
    const lostBlocks: LostBlock[] = [];
    const lost = new Set<string>();
    for (const { seen, killedAt } of lives) {
      let kept = false;
      for (const [i, { hash, at, onL1At }] of [...[...seen.values()].entries()].reverse()) {
        if (await call<object | undefined>(network.url, "node_getBlockByHash", hash)) {
          kept = true;
          continue;
        }
        lost.add(hash);
        // Its slot passed before it was on L1, so the network replaced it, and not the kill took it: later ones live.
        if (kept && onL1At === undefined) continue;
        const onL1For = onL1At === undefined ? undefined : Math.round(killedAt - onL1At);
        lostBlocks.push({ successors: seen.size - 1 - i, age: Math.round(killedAt - at), onL1For });
      }
    }
    const counts = { mined: 0, pending: 0, dropped: { withTheirAnchor: 0, others: 0 } };
    for (const { hash, anchor } of sent) {
      const { status } = await call<{ status: string }>(network.url, "node_getTxReceipt", hash);
      if (status === "pending") counts.pending++;
      else if (status !== "dropped") counts.mined++;
      else if (anchor !== undefined && lost.has(anchor)) counts.dropped.withTheirAnchor++;
      else counts.dropped.others++;
    }
    return { kills, accepted: sent.length, ...counts, blocks: known.size, lost: lostBlocks, warnings };
  } finally {
    network.svc.child.kill("SIGINT");
    await network.svc.ended;
  }
}
