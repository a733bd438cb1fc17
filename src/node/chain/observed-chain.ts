import { type ObservedArchiver, observeArchiver } from "../../archiver/metrics.ts";
import type { ChainServices } from "../../chain-store/chain-services.ts";
import { observeL1 } from "../../l1/rpc/metrics.ts";
import { observeStore } from "../../storage/metrics.ts";
import { observeWorldState } from "../../world-state/metrics.ts";
import type { Observed } from "../context/chain-context.ts";

/** Exports what a node knows of L1, the chain and the trees, and the store of both. */
export function observeChain(
  { metrics, l1Calls }: Pick<Observed, "metrics" | "l1Calls">,
  services: ChainServices & ObservedArchiver,
): void {
  const { store, synchronizer } = services;
  let latest: number | undefined;
  synchronizer.on("progress", ({ l1Block }) => {
    latest = l1Block;
  });
  observeL1(metrics, { calls: l1Calls, latestBlock: () => latest });
  observeArchiver(metrics, services);
  observeStore(metrics, "archiver", store);
  observeWorldState(metrics, services);
}
