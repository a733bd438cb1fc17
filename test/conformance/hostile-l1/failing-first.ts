import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { type Lie, LyingL1 } from "../../world/l1/lying-l1.ts";
import { NodeProcess, type RecordedL1 } from "../../world/node/recorded-node.ts";

/** Seconds each. undefined: not within the limit. */
export interface FailingFirst {
  /** From the start of the process until its port answered, with the first endpoint failing from the beginning. */
  port: number | undefined;
  /** From the same until /ready was 200. */
  ready: number | undefined;
  /** From an L1 block until the node had processed it; mined when the first endpoint had just begun to fail again. */
  firstBlock: number | undefined;
  /** The same for a later L1 block. */
  laterBlock: number | undefined;
  /** The slowest answer to a question for the current min fees while the first endpoint failed. */
  slowestFees: number;
  /** Answers to questions for fees that were errors. */
  failedFees: number;
  /** From when both endpoints failed until /ready was not 200. */
  unready: number | undefined;
  /** From when both answered again until /ready was 200 and a further L1 block was processed. */
  healed: number | undefined;
  /** 99th percentile of a client's `node_getBlockNumber` in milliseconds, over all of the above. */
  clientP99Ms: number;
  /** Resident memory of the node at its highest, in MiB. */
  peakMiB: number;
}

export interface FailingFirstOptions {
  /** For each wait. */
  limitMs: number;
  /** Leaves out that both endpoints fail, and that the first fails again. */
  startOnly?: boolean;
}

async function seconds(limitMs: number, condition: () => Promise<boolean>): Promise<number | undefined> {
  const start = performance.now();
  while (performance.now() - start < limitMs) {
    if (await condition().catch(() => false)) return (performance.now() - start) / 1000;
    await sleep(50);
  }
  return undefined;
}

async function mine(l1: RecordedL1): Promise<number> {
  const ask = async (method: string): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [] });
    const headers = { "content-type": "application/json" };
    const response = await fetch(l1.anvil.url, { method: "POST", headers, body });
    return ((await response.json()) as { result: unknown }).result;
  };
  await ask("evm_mine");
  return Number(await ask("eth_blockNumber"));
}

const http = (node: NodeProcess, path: string) => fetch(`${node.url}${path}`, { signal: AbortSignal.timeout(5_000) });
const isReady = async (node: NodeProcess) => (await http(node, "/ready")).status === 200;
const isUnready = async (node: NodeProcess) => (await http(node, "/ready")).status === 503;

async function hasL1Block(node: NodeProcess, number: number): Promise<boolean> {
  const status = (await (await http(node, "/status?format=json")).json()) as { l1BlockNumber?: number };
  return (status.l1BlockNumber ?? 0) >= number;
}

/** Asks something again and again until it is stopped; keeps how long each answer took. */
class Client {
  readonly milliseconds: number[] = [];
  failed = 0;
  #stopped = false;
  readonly #loop: Promise<void>;

  constructor(node: NodeProcess, method: string, pauseMs: number) {
    this.#loop = (async () => {
      while (!this.#stopped) {
        const start = performance.now();
        const isAnswered = await node.ask(method).then(
          ({ body }) => body.error === undefined,
          () => false,
        );
        if (!isAnswered) this.failed += 1;
        this.milliseconds.push(performance.now() - start);
        await sleep(pauseMs);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#loop;
  }

  quantile(share: number): number {
    const sorted = this.milliseconds.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  }
}

/**
 * Runs a node on the recorded chain with two L1 endpoints, of which the first fails as `lie` says: from the start on,
 * then together with the second, and again once both were well.
 */
export async function failingFirst(
  lie: Lie,
  l1: RecordedL1,
  { limitMs, startOnly = false }: FailingFirstOptions,
): Promise<FailingFirst> {
  const [first, second] = [await LyingL1.inFrontOf(l1.anvil.url), await LyingL1.inFrontOf(l1.anvil.url)];
  first.lie = lie;
  const urls = { anvil: { url: `${first.url},${second.url}` }, chain: l1.chain };
  // Polls as often as on mainnet.
  const node = await NodeProcess.start(urls, undefined, { ARCHIVER_POLLING_INTERVAL_MS: "500" });
  try {
    const begun = performance.now();
    const sinceStart = (value: number | undefined) => value && (performance.now() - begun) / 1000;
    const port = sinceStart(await seconds(limitMs, async () => (await http(node, "/live")).ok));
    const ready = sinceStart(await seconds(limitMs, () => isReady(node)));
    const client = new Client(node, "getBlockNumber", 20);
    let [unready, healed]: (number | undefined)[] = [];
    if (!startOnly) {
      second.lie = lie;
      unready = await seconds(limitMs, () => isUnready(node));
      first.lie = undefined;
      second.lie = undefined;
      const number = await mine(l1);
      healed = await seconds(limitMs, async () => (await hasL1Block(node, number)) && (await isReady(node)));
      // Until a node that has given up the first endpoint asks it again.
      const asked = first.calls;
      await seconds(60_000, async () => first.calls > asked + 20);
      first.lie = lie;
    }
    const fees = new Client(node, "getCurrentMinFees", 200);
    const blocks: (number | undefined)[] = [];
    for (let i = 0; i < 2; i++) {
      const number = await mine(l1);
      blocks.push(await seconds(limitMs, () => hasL1Block(node, number)));
    }
    await fees.stop();
    await client.stop();
    const peak = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${node.pid}/status`, "utf8"))?.[1];
    return {
      ...{ port, ready, firstBlock: blocks[0], laterBlock: blocks[1], unready, healed },
      slowestFees: Math.max(...fees.milliseconds) / 1000,
      failedFees: fees.failed,
      clientP99Ms: client.quantile(0.99),
      peakMiB: Number(peak ?? 0) / 1024,
    };
  } finally {
    await node.remove();
    await first.close();
    await second.close();
  }
}
