import { differingPointers } from "../../world/live/pointers.ts";
import type { Answer, NodeClient } from "./node-client.ts";

/** A difference between answers that docs/deviations.md documents. */
export interface KnownDifference {
  method: string;
  /** End of the question's description. */
  what: string;
  pointer: string;
  why: string;
}

interface Tally {
  equal: number;
  different: number;
  known: number;
  /** By JSON pointer: the number of differences and the first differing answers. */
  pointers: Map<string, { count: number; known: string | undefined; what: string; reference: string; own: string }>;
}

const SHOWN_CHARACTERS = 300;
const TRIES = 4;
const PAUSE_MS = 1_000;
const MAX_MOVES = 30;
/** Longest wait until both nodes report the same tip: several L1 blocks. */
const SAME_TIP_MS = 120_000;

export interface Question {
  method: string;
  params: readonly unknown[];
  /** The call for this node, if it differs: the same question to its other namespace. */
  ours?: { method: string; params: readonly unknown[] };
}

export interface ComparedNodes {
  reference: NodeClient;
  own: NodeClient;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks both nodes the same questions at the same tip and counts equal and different answers. */
export class Comparison {
  readonly #nodes: ComparedNodes;
  readonly #known: readonly KnownDifference[];
  readonly #methods = new Map<string, Tally>();

  constructor(nodes: ComparedNodes, known: readonly KnownDifference[]) {
    this.#nodes = nodes;
    this.#known = known;
  }

  /**
   * Compares the answers to one call: HTTP status, result and error. They count only if both nodes report the same tip
   * before and after. Differing answers are asked for again a few times, since each node reads the clock and L1 at its
   * own moments.
   */
  async compare(what: string, { method, params, ours: asked = { method, params } }: Question): Promise<void> {
    const { reference, own } = this.#nodes;
    let moves = 0;
    for (let tries = 1; ; tries++) {
      const tip = await this.sameTip();
      const [theirs, ours] = await Promise.all([reference.ask(method, params), own.ask(asked.method, asked.params)]);
      const moved = (await reference.tip()) !== tip || (await own.tip()) !== tip;
      const pointers = differingPointers(theirs, ours);
      if (moved) {
        if (++moves === MAX_MOVES) throw new Error(`the chain never stood still for ${method}`);
        tries--;
        continue;
      }
      if (tries === TRIES || pointers.every((at) => this.#knownAs(asked.method, what, at))) {
        this.note(asked.method, what, theirs, ours);
        return;
      }
      await pause(PAUSE_MS);
    }
  }

  /** Waits until both nodes have the same latest block and returns it. */
  async sameTip(): Promise<string> {
    const { reference, own } = this.#nodes;
    for (const end = Date.now() + SAME_TIP_MS; ; await pause(200)) {
      const [theirs, ours] = await Promise.all([reference.tip(), own.tip()]);
      if (theirs === ours) return ours;
      if (Date.now() > end) throw new Error(`the nodes do not meet: ${theirs.slice(0, 80)} and ${ours.slice(0, 80)}`);
    }
  }

  #knownAs(method: string, what: string, pointer: string): string | undefined {
    const isIt = (one: KnownDifference) =>
      one.method === method && what.endsWith(one.what) && pointer.startsWith(one.pointer);
    return this.#known.find(isIt)?.why;
  }

  /** Counts a pair of answers. */
  note(method: string, what: string, theirs: Answer, ours: Answer): void {
    const pointers = differingPointers(theirs, ours);
    const tally = this.#methods.get(method) ?? { equal: 0, different: 0, known: 0, pointers: new Map() };
    this.#methods.set(method, tally);
    if (pointers.length === 0) tally.equal++;
    else if (pointers.every((at) => this.#knownAs(method, what, at))) tally.known++;
    else tally.different++;
    for (const at of pointers) {
      const before = tally.pointers.get(at);
      const [reference, own] = [theirs, ours].map((answer) => JSON.stringify(answer).slice(0, SHOWN_CHARACTERS));
      if (before === undefined) process.stderr.write(`${method} ${at} differs for ${what}: ${reference} and ${own}\n`);
      const first = before ?? { count: 0, known: this.#knownAs(method, what, at), what, reference, own };
      tally.pointers.set(at, { ...first, count: first.count + 1 });
    }
  }

  get unexplained(): number {
    return [...this.#methods.values()].reduce((sum, { different }) => sum + different, 0);
  }

  /** A table by method, then each pointer with its first example. */
  report(): string {
    const lines = ["method | equal | different as documented | different"];
    for (const [method, { equal, known, different }] of [...this.#methods].sort()) {
      lines.push(`${method} | ${equal} | ${known} | ${different}`);
    }
    for (const [method, { pointers }] of [...this.#methods].sort()) {
      for (const [at, { count, known, what, reference, own }] of pointers) {
        lines.push(`\n${method} ${at}: ${count} times${known === undefined ? "" : ` (${known})`}, first for ${what}`);
        lines.push(`  reference ${reference}`, `  own       ${own}`);
      }
    }
    return lines.join("\n");
  }
}
