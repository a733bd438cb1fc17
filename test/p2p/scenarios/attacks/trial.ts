import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttackCounts } from "./attack.ts";
import type { AttackOrder } from "./attacker.ts";
import { Child } from "./child.ts";
import { type HonestFigures, HonestPeers } from "./honest-peers.ts";
import type { Subject } from "./subjects.ts";

const CALL_INTERVAL_MS = 20;
const SAMPLE_MS = 50;

export interface AttackRow {
  /** What each attack did, by its name. */
  counts: Map<string, AttackCounts>;
  /** Resident memory of the node in bytes: before, and the most during the attack. */
  memory: { before: number; peak: number };
  /** File descriptors of the node. */
  descriptors: { before: number; peak: number };
  /** CPU time of the node, in seconds. */
  cpu: number;
  honest: HonestFigures;
  /** Milliseconds of calls to the node's RPC port, sorted; empty for a subject without one. */
  rpc: number[];
  /** Honest peers that lost their connection. */
  disconnects: number;
}

/** Figures of a process in /proc; zeros once it has ended. */
function usage(pid: number): { memory: number; anonymous: number; descriptors: number; cpu: number } {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const bytes = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) * 1024;
    const times = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    // Ticks of 10 ms in user and in kernel mode.
    const cpu = (Number(times[11]) + Number(times[12])) / 100;
    const descriptors = readdirSync(`/proc/${pid}/fd`).length;
    return { memory: bytes("VmRSS"), anonymous: bytes("RssAnon"), descriptors, cpu };
  } catch {
    return { memory: 0, anonymous: 0, descriptors: 0, cpu: 0 };
  }
}

/** A node under attack in a process of its own, hostile peers in another, and two honest peers in this one. */
export class Trial {
  readonly #subject: Subject;
  readonly #attacker: Child;
  readonly #honest: HonestPeers;

  private constructor(subject: Subject, attacker: Child, honest: HonestPeers) {
    this.#subject = subject;
    this.#attacker = attacker;
    this.#honest = honest;
  }

  static async start(subject: Subject): Promise<Trial> {
    const attacker = new Child("attacker.ts", { ATTACKED_VERSION: subject.facts.version });
    return new Trial(subject, attacker, await HonestPeers.join(subject.facts, subject.traffic));
  }

  /** Whether the node's process still runs. */
  get alive(): boolean {
    return this.#subject.alive;
  }

  /** Memory of the node, in bytes: all resident pages, and those that are not pages of files, such as its database. */
  get memory(): { resident: number; anonymous: number } {
    const { memory, anonymous } = usage(this.#subject.pid);
    return { resident: memory, anonymous };
  }

  /** Warnings and errors of the node, and what the runtime wrote. */
  get log(): string {
    return this.#subject.log;
  }

  /** Attacks the node in several ways at the same time. */
  async attack(names: string[], ms: number): Promise<AttackRow> {
    const pid = this.#subject.pid;
    const before = usage(pid);
    const peak = { ...before };
    const sample = () => {
      const now = usage(pid);
      peak.memory = Math.max(peak.memory, now.memory);
      peak.descriptors = Math.max(peak.descriptors, now.descriptors);
    };
    const timer = setInterval(sample, SAMPLE_MS);
    const disconnects = this.#honest.disconnects;
    const order: AttackOrder = { names, ms, target: this.#subject.facts };
    const [line, honest, rpc] = await Promise.all([
      this.#attacker.line(order),
      this.#honest.measure(ms),
      this.#calls(ms),
    ]);
    clearInterval(timer);
    sample();
    if (line === "") throw new Error(`the attacker ended:\n${this.#attacker.log}`);
    const counts = JSON.parse(line) as AttackCounts[];
    return {
      counts: new Map(names.map((name, i) => [name, counts[i]])),
      memory: { before: before.memory, peak: peak.memory },
      descriptors: { before: before.descriptors, peak: peak.descriptors },
      cpu: usage(pid).cpu - before.cpu,
      honest,
      rpc,
      disconnects: this.#honest.disconnects - disconnects,
    };
  }

  async #calls(ms: number): Promise<number[]> {
    const { call } = this.#subject;
    const taken: number[] = [];
    if (call === undefined) return taken;
    for (const end = performance.now() + ms; performance.now() < end; await sleep(CALL_INTERVAL_MS)) {
      const start = performance.now();
      await call();
      taken.push(performance.now() - start);
    }
    return taken.sort((a, b) => a - b);
  }

  /** Figures of the honest peers without an attack. */
  quiet(ms: number): Promise<HonestFigures> {
    return this.#honest.measure(ms);
  }

  async end(): Promise<void> {
    await this.#attacker.end();
    await this.#honest.leave();
    await this.#subject.end();
  }
}
