import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { goldenCases, NodeProcess, type RecordedL1 } from "../recorded-node.ts";
import type { LieRow } from "./lies.ts";
import { LyingL1 } from "./lying-l1.ts";

/** Answers that touch tips, headers with all roots, bodies and witnesses. */
const METHODS = ["getBlockNumber", "getBlockHeader", "getBlockByArchive", "getPublicDataWitness"];
const questions = goldenCases().filter((c, i) => METHODS.includes(c.method) && c.result !== undefined && i % 17 === 0);
const text = (value: unknown) => JSON.stringify(value, (key, item) => (key === "_cachedHash" ? undefined : item));

export interface TrialOptions {
  /** How long the lie is told to the node that starts, and again to the one that runs. Milliseconds. */
  toldMs: number;
  /** By when the node has to follow L1 again. Milliseconds. */
  healedWithinMs: number;
}

export interface TrialOutcome {
  /** What the start under the lie did: waited for L1, came up all the same, or ended. */
  start: "waited" | "came up" | "ended";
  /** What a start that ended said, FATAL lines only. */
  said: string[];
  exitCode: number | null;
  /** Largest resident memory of any of the processes. Bytes. */
  peakBytes: number;
  /** From the end of the lie at the start to readiness; undefined when the start ended. Milliseconds. */
  healedMs: number | undefined;
}

/** A golden answer that differs, or a process that ended by itself. */
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

/** Largest resident memory so far; zero once the process has ended. */
function peakBytesOf({ pid }: NodeProcess): number {
  try {
    const kilobytes = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * A node process starts while its L1 lies; when that ends it has to follow L1 and answer as recorded, unless the start
 * ended. The lie is then told to a node that runs, which has to answer as recorded all the time. Throws a TrialError.
 */
export async function nodeTrial({ lie }: LieRow, l1: RecordedL1, options: TrialOptions): Promise<TrialOutcome> {
  const proxy = await LyingL1.inFrontOf(l1.anvil.url);
  const followed = { anvil: { url: proxy.url }, chain: l1.chain };
  const outcome: TrialOutcome = { start: "waited", said: [], exitCode: null, peakBytes: 0, healedMs: undefined };
  proxy.lie = lie;
  let node = await NodeProcess.start(followed);
  try {
    for (let at = Date.now(); node.running && Date.now() < at + options.toldMs; await sleep(50)) {
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
    for (const at = Date.now(); Date.now() < at + options.toldMs; ) await checkAnswers(node);
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
