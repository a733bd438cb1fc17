/**
 * Hostile clients that make the node simulate txs up to the time limit, each with its own contract class, beside an
 * honest one that requests a short simulation again and again:
 *
 *   node bench/simulation-attack.ts [--help]
 *
 * The hostile clients share one address, and the honest one has another. All requests go over HTTP through RPC threads
 * to the execution threads. Hostile clients wait for their answers, or leave after `leave` milliseconds and come back.
 */
import { writeFileSync } from "node:fs";
import { SimulatingPort } from "../test/world/node/simulating-port.ts";
import { JSON_FILE, scriptOptions, wholeOption } from "./lib/script-options.ts";

const { hostile, seconds, leave, json } = scriptOptions("bench/simulation-attack.ts", {
  hostile: wholeOption("hostile simulations at once", 40),
  seconds: wholeOption("length of the attack", 30),
  leave: wholeOption("milliseconds after which the hostile ones leave, 0 for never", 0, 0),
  json: JSON_FILE,
});

const port = await SimulatingPort.open();
try {
  const quiet = await port.honestCalls(20);
  const attack = await port.attack({ clients: hostile, leaveAfterMs: leave });
  const beside = await port.honestCalls(Number.POSITIVE_INFINITY, seconds * 1000);
  attack.stop();
  const rest = await port.honestCalls(1, 600_000);
  const report = {
    quiet,
    beside,
    firstAfterwardsMs: rest.maxMs,
    mebibytes: attack.mebibytes(),
    hostile: attack.answers,
  };
  console.log(report);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`);
} finally {
  await port.close();
}
