import { setTimeout as sleep } from "node:timers/promises";
import { say } from "../../world/live/checks.ts";
import type { PostgresServer } from "../../world/validator/postgres-server.ts";
import type { GossipListener } from "./gossip-listener.ts";
import type { Downtime, Outage, SlotTimes } from "./ha-duties.ts";
import type { Member, Pair } from "./ha-pair.ts";

/**
 * When in a slot a fault comes: at a message of the slot, some time after its checkpoint proposal, or at a fraction.
 */
type Moment = "block proposal" | "checkpoint proposal" | "after the duties" | number;

type Fault = { kill: Member; of: Pair; at: Moment } | { kill: undefined; at: Moment };

/** After a checkpoint proposal: attestations are signed and sent by then. */
const DUTIES_MS = 4_000;

export interface FaultParts {
  pairs: readonly [Pair, Pair];
  database: PostgresServer;
  listener: GossipListener;
  times: SlotTimes;
}

/**
 * Kills one node after the other and restarts the database in between. The faults follow each other, so that of a pair
 * at most one node is away, unless a reference node ends by itself.
 */
export class HaFaults {
  readonly downtimes: Downtime[] = [];
  readonly outages: Outage[] = [];
  /** Nodes that ended with a restart of the database, once for each time. */
  readonly ended: string[] = [];
  readonly #parts: FaultParts;

  constructor(parts: FaultParts) {
    this.#parts = parts;
  }

  #startOf(slot: number): number {
    const { genesisMs, slotDurationMs } = this.#parts.times;
    return genesisMs + slot * slotDurationMs;
  }

  #slotAt(ms: number): number {
    const { genesisMs, slotDurationMs } = this.#parts.times;
    return Math.floor((ms - genesisMs) / slotDurationMs);
  }

  #plan(): Fault[] {
    const [one, two] = this.#parts.pairs;
    const [a, b] = one.members;
    const [c, d] = two.members;
    return [
      { kill: undefined, at: "checkpoint proposal" },
      { kill: b, of: one, at: "block proposal" },
      { kill: c, of: two, at: "checkpoint proposal" },
      { kill: undefined, at: "block proposal" },
      { kill: d, of: two, at: 0.4 },
      { kill: a, of: one, at: "checkpoint proposal" },
      { kill: undefined, at: "after the duties" },
      { kill: b, of: one, at: 0.2 },
      { kill: d, of: two, at: "checkpoint proposal" },
      { kill: undefined, at: "checkpoint proposal" },
      { kill: a, of: one, at: 0.7 },
      { kill: c, of: two, at: 0.5 },
    ];
  }

  /** One fault every `every` slots, or later if the one before takes longer; none in the last three slots. */
  async run(first: number, last: number, every: number): Promise<void> {
    const plan = this.#plan();
    for (let i = 0; ; i++) {
      const slot = Math.max(first + 1 + i * every, this.#slotAt(Date.now()) + 1);
      if (slot > last - 3) return;
      await this.#moment(slot, plan[i % plan.length].at);
      await this.#make(plan[i % plan.length], slot);
    }
  }

  async #moment(slot: number, at: Moment): Promise<void> {
    const start = this.#startOf(slot);
    const { slotDurationMs } = this.#parts.times;
    await sleep(Math.max(0, start - Date.now()));
    if (typeof at === "number") {
      await sleep(at * slotDurationMs);
      return;
    }
    const kind = at === "block proposal" ? "BLOCK_PROPOSAL" : "CHECKPOINT_PROPOSAL";
    await this.#parts.listener.next(kind, start + slotDurationMs);
    if (at === "after the duties") await sleep(DUTIES_MS);
  }

  async #make(fault: Fault, slot: number): Promise<void> {
    const at = typeof fault.at === "number" ? `${fault.at} of the slot` : fault.at;
    if (fault.kill === undefined) return this.#restartDatabase(slot, at);
    const { kill: member, of } = fault;
    const from = Date.now();
    await member.kill();
    // It is away for one whole slot.
    await sleep(this.#startOf(slot + 2) - Date.now());
    await this.#bringBack(member, of, from);
    say(`killed ${member.name} in slot ${slot} (${at}); back in slot ${this.#slotAt(Date.now())}`);
  }

  async #bringBack(member: Member, { attester }: Pair, from: number): Promise<void> {
    const downtime = { attester, node: member.name, from, to: Number.POSITIVE_INFINITY };
    this.downtimes.push(downtime);
    await member.start();
    downtime.to = Date.now();
  }

  async #restartDatabase(slot: number, at: string): Promise<void> {
    const { database, pairs } = this.#parts;
    const from = Date.now();
    await database.restart("SIGQUIT");
    const to = Date.now();
    this.outages.push({ from, to });
    say(`restarted the database at once in slot ${slot} (${at}); it was away for ${to - from} ms`);
    for (const pair of pairs) {
      for (const member of pair.members) {
        if (await member.runs()) continue;
        this.ended.push(member.name);
        say(`${member.name} ended when the database did`);
        await this.#bringBack(member, pair, from);
      }
    }
  }
}
