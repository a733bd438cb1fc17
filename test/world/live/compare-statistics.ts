import type { Checks } from "./checks.ts";
import { call, until } from "./json-rpc.ts";
import type { ReferenceNetwork } from "./reference-network.ts";

interface Statistics {
  stats: Record<string, { history: { slot: number; status: string }[] }>;
  lastProcessedSlot?: number;
  initialSlot?: number;
}

const statisticsOf = async (url: string) => (await call(url, "node_getValidatorsStats")) as Statistics;

/** Status of each validator in each slot. */
function statuses({ stats }: Statistics): Map<string, string> {
  return new Map(
    Object.entries(stats).flatMap(([validator, { history }]) =>
      history.map(({ slot, status }) => [`${slot} ${validator}`, status] as const),
    ),
  );
}

const slotOf = (key: string) => Number(key.split(" ")[0]);

/**
 * Compares the duties that our node and the reference nodes recorded since our node was started, once there are at
 * least `slots` of them. The first slot is left out: its messages may come before our node is in the mesh. A reference
 * node may lose a slot, which has no entries then; a status on which reference nodes differ is compared with none.
 */
export async function compareStatistics(
  url: string,
  network: ReferenceNetwork,
  checks: Checks,
  slots: number,
): Promise<void> {
  await checks.of("our statistics of validators are those of the reference nodes", async () => {
    const ours = await until("slots to compare", (slots + 8) * network.slotDurationMs, async () => {
      const { lastProcessedSlot, initialSlot, ...rest } = await statisticsOf(url);
      const done = initialSlot !== undefined && lastProcessedSlot !== undefined;
      return done && lastProcessedSlot > initialSlot + slots && { lastProcessedSlot, initialSlot, ...rest };
    });
    // The reference nodes process the same slot within the same L1 slot.
    await new Promise((resolve) => setTimeout(resolve, network.slotDurationMs / 2));
    const theirs = await Promise.all(network.nodes.map(async (node) => statuses(await statisticsOf(node.url))));
    const own = statuses(ours);
    const keys = new Set([...own.keys(), ...theirs.flatMap((each) => [...each.keys()])]);
    const counts: Record<string, number> = {};
    const different: string[] = [];
    let undecided = 0;
    for (const key of keys) {
      const slot = slotOf(key);
      if (slot <= ours.initialSlot + 1 || slot > ours.lastProcessedSlot) continue;
      const processed = theirs.filter((each) => [...each.keys()].some((other) => slotOf(other) === slot));
      const given = new Set(processed.map((each) => each.get(key)));
      if (given.size !== 1) undecided++;
      else if (given.has(own.get(key))) counts[String(own.get(key))] = (counts[String(own.get(key))] ?? 0) + 1;
      else different.push(`${key}: ours ${own.get(key)}, theirs ${[...given]}`);
    }
    const figures = { from: ours.initialSlot + 2, to: ours.lastProcessedSlot, equal: counts, different, undecided };
    return { passed: different.length === 0 && Object.keys(counts).length > 0, figures };
  });
}
