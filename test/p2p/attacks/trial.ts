import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { AttackCounts } from "./attack.ts";
import type { AttackOrder } from "./attacker.ts";
import { type HonestFigures, HonestPeers } from "./honest-peers.ts";
import type { SubjectFacts } from "./target.ts";

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
  /** Honest peers that lost their connection. */
  disconnects: number;
}

/** A child process that is told things over stdin and answers with lines. */
class Child {
  readonly process: ChildProcess;
  readonly #lines: Interface;
  readonly #waiting: ((line: string) => void)[] = [];
  log = "";
  ended = false;

  constructor(file: string, ...args: string[]) {
    const options = ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, file), ...args];
    this.process = spawn(process.execPath, options, { stdio: ["pipe", "pipe", "pipe"] });
    this.#lines = createInterface(this.process.stdout!);
    this.#lines.on("line", (line) => this.#waiting.shift()?.(line));
    this.process.stderr!.on("data", (chunk) => {
      this.log += chunk;
    });
    this.process.once("exit", () => {
      this.ended = true;
      for (const waiting of this.#waiting.splice(0)) waiting("");
    });
  }

  /** Tells `order`, and resolves with the next line; with an empty one if the process ended. */
  line(order?: unknown): Promise<string> {
    if (this.ended) return Promise.resolve("");
    const answer = new Promise<string>((resolve) => this.#waiting.push(resolve));
    if (order !== undefined) this.process.stdin!.write(`${JSON.stringify(order)}\n`);
    return answer;
  }

  async end(): Promise<void> {
    if (this.ended) return;
    const exit = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.stdin!.end();
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 20_000);
    await exit;
    clearTimeout(timer);
  }
}

/** Figures of a process in /proc; zeros once it has ended. */
function usage(pid: number): { memory: number; descriptors: number; cpu: number } {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    const times = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
    // Ticks of 10 ms in user and in kernel mode.
    const cpu = (Number(times[11]) + Number(times[12])) / 100;
    return { memory: Number(kilobytes ?? 0) * 1024, descriptors: readdirSync(`/proc/${pid}/fd`).length, cpu };
  } catch {
    return { memory: 0, descriptors: 0, cpu: 0 };
  }
}

/** A node under attack in a process of its own, hostile peers in another, and two honest peers in this one. */
export class Trial {
  readonly #subject: Child;
  readonly #attacker: Child;
  readonly #honest: HonestPeers;
  readonly #facts: SubjectFacts;

  private constructor(subject: Child, attacker: Child, honest: HonestPeers, facts: SubjectFacts) {
    this.#subject = subject;
    this.#attacker = attacker;
    this.#honest = honest;
    this.#facts = facts;
  }

  static async start(): Promise<Trial> {
    const subject = new Child("subject.ts");
    const attacker = new Child("attacker.ts");
    const line = await subject.line();
    if (line === "") throw new Error(`the node did not start:\n${subject.log}`);
    const facts = JSON.parse(line) as SubjectFacts;
    return new Trial(subject, attacker, await HonestPeers.join(facts), facts);
  }

  /** Whether the node's process still runs. */
  get alive(): boolean {
    return !this.#subject.ended;
  }

  /** Warnings and errors of the node, and what the runtime wrote. */
  get log(): string {
    return this.#subject.log;
  }

  get memory(): number {
    return usage(this.#subject.process.pid!).memory;
  }

  /** Attacks the node in several ways at the same time. */
  async attack(names: string[], ms: number): Promise<AttackRow> {
    const pid = this.#subject.process.pid!;
    const before = usage(pid);
    const peak = { ...before };
    const sample = () => {
      const now = usage(pid);
      peak.memory = Math.max(peak.memory, now.memory);
      peak.descriptors = Math.max(peak.descriptors, now.descriptors);
    };
    const timer = setInterval(sample, SAMPLE_MS);
    const disconnects = this.#honest.disconnects;
    const order: AttackOrder = { names, ms, target: this.#facts };
    const [line, honest] = await Promise.all([this.#attacker.line(order), this.#honest.measure(ms)]);
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
      disconnects: this.#honest.disconnects - disconnects,
    };
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
