import { setMaxListeners } from "node:events";
import { createInterface } from "node:readline";
import type { Attack, AttackCounts } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { pause } from "./hostile-peer.ts";
import type { SubjectFacts } from "./target.ts";

/** A line of stdin, as JSON. */
export interface AttackOrder {
  /** Attacks that run at the same time. */
  names: string[];
  ms: number;
  target: SubjectFacts;
}

/** Longest time until the first peer attacks, in milliseconds, beyond the attack's own. */
const CONNECTING_MS = 5_000;
/** Time for hostile peers to leave after an attack, in milliseconds. */
const LEAVING_MS = 1_500;

// Hostile peers break rules of their own libraries too; that must not end this process.
process.on("uncaughtException", () => {});
process.on("unhandledRejection", () => {});

function attackNamed(name: string): Attack {
  const attack = ATTACKS.find((one) => one.name === name);
  if (attack === undefined) throw new RangeError(`no attack is named ${name}`);
  return attack;
}

/** Runs the attacks that it is told to. Prints the counts of each order's as one line of JSON, in the order's order. */
for await (const line of createInterface(process.stdin)) {
  const { names, ms, target } = JSON.parse(line) as AttackOrder;
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const all = names.map((): AttackCounts => ({ sent: 0, refused: 0 }));
  const running = names.map((name, i) => attackNamed(name).run({ target, counts: all[i], signal: stop.signal }));
  await pause(ms);
  // On a busy machine hostile peers need time to connect.
  const end = Date.now() + CONNECTING_MS;
  while (all.some(({ sent }) => sent === 0) && Date.now() < end) await pause(50);
  stop.abort();
  await Promise.race([Promise.allSettled(running), pause(LEAVING_MS)]);
  process.stdout.write(`${JSON.stringify(all)}\n`);
}
process.exit();
