import { createServer } from "node:net";
import type { PeerDiscovery } from "../../src/p2p/discovery/peer-discovery.ts";
import type { PeerNode } from "../../src/p2p/peer-node.ts";
import { createTestNode, testPeer } from "../world/p2p/peer-nodes.ts";

/** Stops nodes in different ways, and prints what came of it once neither a socket nor a timer keeps it running. */

class CountingDiscovery implements PeerDiscovery {
  readonly enr = "";
  stops = 0;
  readonly #bind: () => Promise<void>;

  constructor(bind: () => Promise<void>) {
    this.#bind = bind;
  }

  onPeer(): () => void {
    return () => {};
  }

  async query(): Promise<void> {}

  start(): Promise<void> {
    return this.#bind();
  }

  async stop(): Promise<void> {
    this.stops++;
  }
}

interface Scenario {
  port?: number;
  bind?: () => Promise<void>;
  run(node: PeerNode): Promise<unknown>;
}

async function outcomeOf({ port = 0, bind = async () => {}, run }: Scenario) {
  // This peer would be dialled.
  const other = await testPeer();
  const discovery = new CountingDiscovery(bind);
  const node = await createTestNode({
    settings: {
      listen: { address: "127.0.0.1", port },
      listed: { trusted: [other.asListed()], private: [], preferred: [] },
    },
    discovery,
  });
  const outcome = await run(node).then(
    () => "ended",
    (error: Error) => `${error.message} ${(error as NodeJS.ErrnoException).code ?? ""}`.trim(),
  );
  const isConnected = other.node.connections.peers(false).length > 0;
  await other.node.stop();
  return { outcome: isConnected ? "connected" : outcome, discoveryStops: discovery.stops };
}

const taken = createServer();
await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
const held = Promise.withResolvers<void>();
const binding = Promise.withResolvers<void>();

const SCENARIOS: Record<string, Scenario> = {
  "discovery fails": {
    bind: () => Promise.reject(new Error("the UDP port is taken")),
    run: (node) => node.start(),
  },
  "the TCP port is taken": {
    port: (taken.address() as { port: number }).port,
    run: (node) => node.start(),
  },
  "stopped while it starts": {
    bind() {
      binding.resolve();
      return held.promise;
    },
    async run(node) {
      const started = node.start();
      await binding.promise;
      const stopped = node.stop();
      held.resolve();
      await Promise.all([started, stopped]);
    },
  },
  "stopped before it starts": {
    async run(node) {
      await node.stop();
      await node.start();
    },
  },
  "stopped twice": {
    async run(node) {
      await node.start();
      await Promise.all([node.stop(), node.stop()]);
      await node.stop();
    },
  },
};

const results: [string, Awaited<ReturnType<typeof outcomeOf>>][] = [];
for (const [name, scenario] of Object.entries(SCENARIOS)) results.push([name, await outcomeOf(scenario)]);
taken.close();
// Emitted once nothing keeps the process running.
process.once("beforeExit", () => process.stdout.write(JSON.stringify(Object.fromEntries(results))));
