import { availableParallelism } from "node:os";
import { chainOf } from "../../archiver/chain-reads.ts";
import type { PartValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import type { NodeRecord } from "../../process/node-record.ts";
import { Teardown } from "../../process/teardown.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import type { UpstreamUrls } from "../../rpc/forward/upstream-urls.ts";
import { startPublicRpc } from "../../rpc/public-rpc.ts";
import type { Listener } from "../../rpc/wire/listener.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { genesisContent } from "../../world-state/genesis.ts";
import { WorldState } from "../../world-state/world-state.ts";
import { threadBudget } from "../context/thread-budget.ts";
import { publicPort } from "../parts/rpc.ts";
import { lagOf, rpcOnlyHealth } from "../services/rpc-only-health.ts";
import { storedServices } from "../services/stored-services.ts";
import { RPC_ONLY_METRICS } from "./metrics.ts";
import type { ReadableStore } from "./readable-store.ts";
import type { UpstreamNode } from "./upstream-node.ts";

interface ServeStoreOptions {
  values: PartValues;
  record: NodeRecord;
  readable: ReadableStore;
  upstreams: UpstreamUrls;
  node: UpstreamNode;
  metrics: Metrics;
  loggerFor: LoggerFor;
  onFatal: (error: Error) => void;
}

/** Answers JSON-RPC from a store until stopped. Rejects with a ListenError. */
export async function serveStore(options: ServeStoreOptions): Promise<{ port: number; stop(): Promise<void> }> {
  const { values, record, readable, upstreams, node, metrics, loggerFor, onFatal } = options;
  const { identity, mapSizeKb, realProofs, namespaces } = record;
  const { store, publicData } = readable;
  const teardown = new Teardown(loggerFor("rpc"));
  try {
    const core = loadCore();
    const generation = generationNamed(identity.generation);
    const world = new WorldState(core, store, genesisContent(generation, publicData));
    const chain = chainOf(store, world, { epochDuration: identity.constants.epochDuration, generation });
    const { revertWords } = values.rpc.answers;
    const services = storedServices({ store, chain, world, core, identity, revertWords, realProofs });
    const health = rpcOnlyHealth(chain, node, { maxAwaySeconds: values.rpc.forward.nodeAwayLimitSeconds });
    teardown.add("health", () => health.close());
    const observed = metrics.observe((to) => {
      to.set(RPC_ONLY_METRICS.away, node.awaySeconds);
      to.set(RPC_ONLY_METRICS.lag, lagOf(chain, node));
    });
    teardown.add("metrics of the store", observed);
    const port = publicPort(values, { reader: { identity } });
    const listener: Listener = await startPublicRpc({
      threads: threadBudget(availableParallelism(), { rpcThreads: values.rpc.listen.threads }),
      ...{ services, health, store, chain, upstreams, metrics, onFatal },
      reads: { mapSizeKb, identity, publicData, anotherProcess: true, maxLogs: values.rpc.limits.maxLogs },
      ...port,
      // What the node does not serve could not be forwarded.
      server: {
        ...port.server,
        serve: { ...port.server.serve, namespaces: namespaces.filter((name) => isServed(name, values.rpc.listen)) },
      },
      log: loggerFor("rpc"),
    });
    teardown.add("rpc", () => listener.close());
    return { port: listener.port, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

const isServed = (
  name: NodeRecord["namespaces"][number],
  { namespaces: served }: PartValues["rpc"]["listen"],
): boolean => name === "prover" || served.includes(name);
