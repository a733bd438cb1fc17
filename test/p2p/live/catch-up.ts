import type { Checks } from "../../world/live/checks.ts";
import { call, until } from "../../world/live/json-rpc.ts";
import type { LiveNode } from "../../world/live/live-node.ts";
import type { ReferenceNetwork } from "../../world/live/reference-network.ts";
import { sendTraffic } from "../../world/live/traffic.ts";

export interface CatchUpOptions {
  ours: LiveNode;
  network: ReferenceNetwork;
  traffic: string | undefined;
  checks: Checks;
}

interface Block {
  body: { txEffects: { txHash: string }[] };
}

/** Ends our node, has txs mined without it, and starts it again: it must collect them from its peers. */
export async function catchUp({ ours, network, traffic, checks }: CatchUpOptions): Promise<void> {
  if (traffic === undefined) return;
  const [{ url }] = network.nodes;
  const latest = async () => (await call(url, "node_getBlockNumber")) as number;
  await ours.end("SIGTERM");
  const first = (await latest()) + 1;
  const { mined } = await sendTraffic(traffic, [url], 1, 3);
  const last = await latest();
  const hashes: string[] = [];
  for (let number = first; number <= last; number++) {
    const { body } = (await call(url, "node_getBlock", number)) as Block;
    hashes.push(...body.txEffects.map(({ txHash }) => txHash));
  }
  const since = Date.now();
  ours.start();
  await checks.of("txs that were mined while ours was down are collected from its peers", async () => {
    let missing = hashes;
    await until("the txs", 180_000, async () => {
      const own = await Promise.all(hashes.map((hash) => call(ours.url, "node_getTxByHash", hash)));
      missing = hashes.filter((_, i) => own[i] === undefined || own[i] === null);
      return missing.length === 0;
    }).catch(() => undefined);
    const figures = { mined, txs: hashes.length, missing: missing.length, seconds: (Date.now() - since) / 1000 };
    return { passed: hashes.length > 0 && missing.length === 0, figures };
  });
}
