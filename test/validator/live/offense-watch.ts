import { call } from "../../world/live/json-rpc.ts";

export interface LiveOffense {
  /** Lower-case 0x text. */
  validator: string;
  /** In the staking asset's smallest unit. */
  amount: bigint;
  offenseType: number;
  epochOrSlot: number;
}

/** Offenses whose time is an epoch; that of all others is a slot (docs/protocol/12-slashing.md#122-offenses). */
const OF_EPOCHS: ReadonlySet<number> = new Set([0, 1, 2, 3]);

export function epochOf({ offenseType, epochOrSlot }: LiveOffense, epochSlots: number): number {
  return OF_EPOCHS.has(offenseType) ? epochOrSlot : Math.floor(epochOrSlot / epochSlots);
}

/** The slot of an offense; of one in an epoch, the first. */
export function slotOf({ offenseType, epochOrSlot }: LiveOffense, epochSlots: number): number {
  return OF_EPOCHS.has(offenseType) ? epochOrSlot * epochSlots : epochOrSlot;
}

export function textOf({ validator, amount, offenseType, epochOrSlot }: LiveOffense): string {
  return `${validator} type ${offenseType} at ${epochOrSlot}: ${amount}`;
}

/** A validator's node, whose offenses are asked for. */
export interface Watcher {
  name: string;
  /** Lower-case 0x text. */
  validator: string;
  /** JSON-RPC URL; admin listens on the next port. */
  url: string;
  isOurs: boolean;
}

/** The offenses of a round that a node has: `all`, those that the `current` round votes on, or a round's by number. */
export async function offensesOf({ url }: Pick<Watcher, "url">, round: string): Promise<LiveOffense[]> {
  const admin = url.replace(/\d+$/, (port) => String(Number(port) + 1));
  type Answer = { validator: string; amount: string; offenseType: number; epochOrSlot: string }[];
  const found = (await call(admin, "nodeAdmin_getSlashOffenses", round)) as Answer;
  return found
    .map(({ validator, amount, offenseType, epochOrSlot }) => ({
      validator: validator.toLowerCase(),
      amount: BigInt(amount),
      offenseType,
      epochOrSlot: Number(epochOrSlot),
    }))
    .sort((a, b) => textOf(a).localeCompare(textOf(b)));
}

/** All offenses that nodes had at any time: a node forgets them after some rounds. */
export class OffenseWatch {
  readonly #seen = new Map<string, Map<string, LiveOffense>>();
  readonly #watchers: readonly Watcher[];
  #timer: NodeJS.Timeout | undefined;

  constructor(watchers: readonly Watcher[]) {
    this.#watchers = watchers;
    for (const { name } of watchers) this.#seen.set(name, new Map());
  }

  start(): void {
    // A node that does not answer is asked again.
    this.#timer = setInterval(() => void this.look().catch(() => {}), 2000);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async look(): Promise<void> {
    await Promise.all(
      this.#watchers.map(async (watcher) => {
        for (const offense of await offensesOf(watcher, "all")) {
          this.#seen.get(watcher.name)?.set(textOf(offense), offense);
        }
      }),
    );
  }

  of({ name }: Pick<Watcher, "name">): LiveOffense[] {
    return [...(this.#seen.get(name)?.values() ?? [])];
  }
}
