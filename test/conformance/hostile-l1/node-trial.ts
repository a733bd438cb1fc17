import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { LieRow } from "../../world/l1/lies.ts";
import { LyingL1 } from "../../world/l1/lying-l1.ts";
import { goldenCases, NodeProcess, type RecordedL1 } from "../../world/node/recorded-node.ts";

/** Methods that together read tips, headers with all roots, bodies and witnesses. */
const METHODS = ["getBlockNumber", "getBlockHeader", "getBlockByArchive", "getPublicDataWitness"];
const questions = goldenCases().filter((c, i) => METHODS.includes(c.method) && c.result !== undefined && i % 17 === 0);
const text = (value: unknown) => JSON.stringify(value, (key, item) => (key === "_cachedHash" ? undefined : item));

export interface TrialOptions {
  /** Duration of the lie in milliseconds: to the starting node, and again to the running node. */
  lieMs: number;
  /** Limit in milliseconds for the node to follow L1 again. */
  healedWithinMs: number;
}

export interface TrialOutcome {
  /** Outcome of the start under the lie: waited for L1, came up anyway, or ended. */
  start: "waited" | "came up" | "ended";
  /** FATAL log lines of a start that ended. */
  said: string[];
  exitCode: number | null;
  /** Peak resident memory of all processes, in bytes. */
  peakBytes: number;
  /** Milliseconds from the end of the first lie to readiness; undefined if the start ended. */
  healedMs: number | undefined;
}

/** Thrown when an answer differs from the recorded one, or the process ends by itself. */
export class TrialError extends Error {
  override readonly name = "TrialError";
}

async function checkAnswers(node: NodeProcess): Promise<void> {
  for (const { method, params, result } of questions) {
    const { body } = await node.ask(method, params);
    if (text(body.result) === text(result)) continue;
    throw new TrialError(`${method}(${text(params)}) answers ${text(body).slice(0, 200)}`);
  }
}

/** Peak resident memory so far in bytes; 0 once the process has ended. */
function peakBytesOf({ pid }: NodeProcess): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * Starts a node process while its L1 lies. Once the lie ends, the node must follow L1 and give the recorded answers; if
 * the start ended with an error, a second start must. Then tells the lie to the running node, which must give the
 * recorded answers throughout. Throws a TrialError.
 */
export async function nodeTrial({ lie }: LieRow, l1: RecordedL1, options: TrialOptions): Promise<TrialOutcome> {
  const proxy = await LyingL1.inFrontOf(l1.anvil.url);
  const followed = { anvil: { url: proxy.url }, chain: l1.chain };
  const outcome: TrialOutcome = { start: "waited", said: [], exitCode: null, peakBytes: 0, healedMs: undefined };
  proxy.lie = lie;
  let node = await NodeProcess.start(followed);
  try {
    for (let at = Date.now(); node.running && Date.now() < at + options.lieMs; await sleep(50)) {
      outcome.peakBytes = Math.max(outcome.peakBytes, peakBytesOf(node));
    }
    const end = Date.now();
    proxy.lie = undefined;
    if (node.running) {
      if (!node.log.includes("waiting for L1")) outcome.start = "came up";
      await node.ready(options.healedWithinMs);
      outcome.healedMs = Date.now() - end;
    } else {
      outcome.start = "ended";
      outcome.exitCode = await node.end("SIGTERM");
      outcome.said = node.log.split("\n").filter((line) => line.includes("FATAL"));
      await node.remove();
      node = await NodeProcess.start(followed);
      await node.ready(options.healedWithinMs);
    }
    await checkAnswers(node);
    proxy.lie = lie;
    for (const at = Date.now(); Date.now() < at + options.lieMs; ) await checkAnswers(node);
    proxy.lie = undefined;
    if (!node.running) throw new TrialError(`the node ended:\n${node.log.slice(-2000)}`);
    outcome.peakBytes = Math.max(outcome.peakBytes, peakBytesOf(node));
    const code = await node.end("SIGTERM");
    if (code !== 143) throw new TrialError(`the node ended with ${code}, not with 143, when it was stopped`);
    return outcome;
  } finally {
    await node.remove();
    await proxy.close();
  }
}
