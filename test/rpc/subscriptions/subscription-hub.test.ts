import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { SubscriptionKind } from "../../../src/rpc/ports/subscriber.ts";
import type { Subscription } from "../../../src/rpc/subscriptions/subscription.ts";
import { type Member, SubscriptionHub } from "../../../src/rpc/subscriptions/subscription-hub.ts";
import { fakeServices } from "../../world/rpc/fakes.ts";
import { MovingChain } from "../../world/rpc/moving-chain.ts";

/** A client that leaves and resumes, over a hub without sockets: what it is told has to make up the chain. */

const NOTHING_SPECIAL = { includeTransactions: false, includeEffects: false };
const hubs: SubscriptionHub[] = [];
afterEach(() => {
  for (const hub of hubs.splice(0)) hub.close();
});

function hubOf(chain: MovingChain, maxBehind = 10_000): SubscriptionHub {
  const services = fakeServices({ chain: chain.reader });
  const hub = new SubscriptionHub(
    { ...services, store: chain, pool: undefined, poolStatus: () => undefined },
    { maxBehind },
  );
  hubs.push(hub);
  return hub;
}

interface Told {
  cursor: string;
  event: {
    type: string;
    block?: { number: number; hash: string };
    ancestor?: { number: number; hash: string };
    old?: { number: number; hash: string };
    tips?: { proposed: { number: number; hash: string } };
  };
}

/** Has the hashes of the blocks that it was told of, and takes as many events at a time as `capacity` says. */
class Client implements Member {
  readonly hub: SubscriptionHub;
  readonly kind: SubscriptionKind;
  hashes: string[];
  cursor: string | undefined;
  reorgs = 0;
  capacity = Number.POSITIVE_INFINITY;
  #subscription: Subscription | undefined;

  constructor(hub: SubscriptionHub, kind: SubscriptionKind, hashes: string[]) {
    this.hub = hub;
    this.kind = kind;
    this.hashes = hashes;
  }

  async join(): Promise<void> {
    const options = { ...NOTHING_SPECIAL, cursor: this.cursor };
    const { cursor } = await this.hub.subscribe(this, this.kind, options, (subscription) => {
      this.#subscription = subscription;
    });
    this.cursor ??= cursor;
    this.hub.wake(this);
  }

  leave(): void {
    if (this.#subscription !== undefined) this.hub.unsubscribe(this.#subscription);
    this.#subscription = undefined;
    this.hub.forget(this);
  }

  deliver(end: number): boolean {
    const client = this;
    const outlet = {
      send(text: Uint8Array) {
        client.capacity -= 1;
        client.#told(JSON.parse(Buffer.from(text).toString()).params);
      },
      get full() {
        return client.capacity <= 0;
      },
    };
    return this.#subscription?.deliver(outlet, end) === "more";
  }

  #told({ cursor, event }: Told): void {
    this.cursor = cursor;
    if (event.type === "reorg") {
      this.reorgs += 1;
      expect(event.old).toEqual({ number: this.hashes.length - 1, hash: this.hashes.at(-1) });
      expect(event.ancestor!.number).toBeLessThan(this.hashes.length - 1);
      expect(event.ancestor!.hash).toBe(this.hashes[event.ancestor!.number]);
      this.hashes.length = event.ancestor!.number + 1;
    } else if (event.type === "block") {
      // The next one, without a gap and not twice.
      expect(event.block!.number).toBe(this.hashes.length);
      this.hashes.push(event.block!.hash);
    }
  }
}

async function settled(client: Client, chain: MovingChain): Promise<void> {
  await expect.poll(() => client.hashes).toEqual(chain.hashes());
}

const step = fc.oneof(
  fc.record({ do: fc.constant("grow" as const), added: fc.integer({ min: 1, max: 12 }) }),
  fc.record({
    do: fc.constant("reorg" as const),
    removed: fc.integer({ min: 1, max: 20 }),
    added: fc.integer({ min: 0, max: 20 }),
  }),
  fc.record({ do: fc.constant("finalize" as const), share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ do: fc.constant("leave" as const) }),
  fc.record({ do: fc.constant("join" as const) }),
  fc.record({ do: fc.constant("move" as const) }),
  fc.record({ do: fc.constant("read" as const), events: fc.integer({ min: 0, max: 5 }) }),
);

test("a client that resumes at random points reconstructs the chain through reorgs", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const chain = new MovingChain();
      chain.change({ added: 5 });
      const nodes = [hubOf(chain), hubOf(chain)];
      let client = new Client(nodes[0], "blocks", chain.hashes());
      let joined = true;
      await client.join();
      const join = async (hub: SubscriptionHub) => {
        if (joined) client.leave();
        const next = new Client(hub, "blocks", client.hashes);
        next.cursor = client.cursor;
        client = next;
        await client.join();
        joined = true;
      };
      for (const [i, action] of steps.entries()) {
        if (action.do === "grow") chain.change(action);
        else if (action.do === "reorg") chain.change(action);
        else if (action.do === "finalize") {
          const { finalized } = chain.marks;
          chain.mark({ finalized: finalized + Math.floor(action.share * (chain.latest - finalized)) });
        } else if (action.do === "leave" && joined) {
          client.leave();
          joined = false;
        } else if (action.do === "join" && !joined && chain.latest > 0) await join(client.hub);
        // Cursors hold on any node of the chain.
        else if (action.do === "move") await join(nodes[i % 2]);
        else if (action.do === "read") {
          client.capacity = action.events;
          if (joined) client.hub.wake(client);
          await new Promise(setImmediate);
        }
      }
      // One more block, so that no client waits for a chain that stays shorter than its cursor.
      chain.change({ added: 30 });
      if (!joined) await join(client.hub);
      client.capacity = Number.POSITIVE_INFINITY;
      client.hub.wake(client);
      await settled(client, chain);
      client.leave();
    }),
    { numRuns: 150 },
  );
}, 120_000);

test("a subscriber hears of a reorg with the exact ancestor, then of the new blocks", async () => {
  const chain = new MovingChain();
  chain.change({ added: 100 });
  const client = new Client(hubOf(chain), "blocks", chain.hashes());
  await client.join();
  chain.change({ removed: 7, added: 3 });
  await settled(client, chain);
  expect(client.reorgs).toBe(1);
  client.leave();
  expect(chain.listeners).toBe(0);
});

test("a client that has seen more than this node waits for the node, and hears of no reorg", async () => {
  const chain = new MovingChain();
  chain.change({ added: 10 });
  const ahead = new Client(hubOf(chain), "blocks", chain.hashes());
  await ahead.join();
  ahead.leave();
  const { blocks } = chain;
  chain.blocks = blocks.slice(0, 8);
  chain.commit();
  const client = new Client(hubOf(chain), "blocks", ahead.hashes);
  client.cursor = ahead.cursor;
  const joined = client.join();
  chain.blocks = blocks;
  chain.commit();
  await joined;
  chain.change({ added: 1 });
  await settled(client, chain);
  expect(client.reorgs).toBe(0);
  client.leave();
});

test("cursors that are too old, of another chain or none at all are refused with the reason", async () => {
  const chain = new MovingChain();
  chain.change({ added: 10 });
  const hub = hubOf(chain, 5);
  const first = new Client(hub, "blocks", chain.hashes());
  await first.join();
  first.leave();
  const resumed = (over: SubscriptionHub, cursor: string | undefined) => {
    const client = new Client(over, "blocks", []);
    client.cursor = cursor;
    return client.join();
  };
  chain.change({ added: 6 });
  await expect(resumed(hub, first.cursor)).rejects.toThrow(/^cursor: too old, 6 blocks behind, and at most 5 are sent/);
  const other = new MovingChain();
  other.change({ added: 500 });
  other.change({ removed: 500, added: 300 });
  other.blocks[0] = { ...other.blocks[0], hash: new Uint8Array(32).fill(9) };
  await expect(resumed(hubOf(other), first.cursor)).rejects.toThrow("none of its blocks is on this node's chain");
  await expect(resumed(hub, "AAAA")).rejects.toThrow("cursor: not one of an event about the chain");
  await expect(resumed(hub, "run.17")).rejects.toThrow("cursor: not one of an event about the chain");
});
