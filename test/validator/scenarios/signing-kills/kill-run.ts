import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { migrate } from "../../../../src/validator/signing/postgres/migrate.ts";
import { NODE_OPTIONS } from "../../../support/program.ts";
import type { PostgresServer } from "../../../world/validator/postgres-server.ts";
import { SLOT_MS } from "./fast-clock.ts";
import type { SigningProcessOptions } from "./signing-process.ts";

const PROGRAM = join(import.meta.dirname, "signing-process.ts");
const REFERENCE_PROGRAM = join(import.meta.dirname, "reference-process.mjs");
/** A process that signs is killed this long after its start at the latest, in ms. */
const MAX_LIFE_MS = 4 * SLOT_MS;
const RESTARTS = ["SIGINT", "SIGQUIT", "SIGKILL"] as const;

/** Signatures that left the processes, by validator and duty. */
export class Signatures {
  readonly #messages = new Map<string, string[]>();
  /** Signatures that the reference made. */
  ofReference = 0;

  /** `validator duty hash signature`; the duty has spaces. */
  add(line: string, ofReference: boolean): void {
    if (ofReference) this.ofReference++;
    const parts = line.split(" ");
    const duty = parts.slice(0, -2).join(" ");
    this.#messages.set(duty, [...(this.#messages.get(duty) ?? []), parts[parts.length - 2]]);
  }

  get duties(): number {
    return this.#messages.size;
  }

  /** Duties for which two different messages were signed. */
  equivocations(): string[] {
    return [...this.#messages].filter(([, hashes]) => new Set(hashes).size > 1).map(([duty]) => duty);
  }
}

export interface KillRun {
  kills: number;
  /** Processes that run at the same time with the same keys. */
  processes: number;
  unguarded?: boolean;
  /** Each process has a folder of its own and they share a database here. Otherwise they share a folder. */
  server?: PostgresServer;
  /** Folder `node_modules` of the reference, whose package then signs in every second process. Needs a server. */
  reference?: string;
  /** Between two rounds, sometimes restore an older copy of a folder. */
  restore?: boolean;
  /** Called after each round. */
  progress?: (kills: number, signatures: Signatures) => void;
}

export interface KillOutcome {
  signatures: Signatures;
  kills: number;
  restores: number;
  serverRestarts: number;
}

/** Rounds of processes that sign and are killed at random times. */
export async function runKills(run: KillRun): Promise<KillOutcome> {
  const root = mkdtempSync(join(tmpdir(), "svc-kills-"));
  const outcome = { signatures: new Signatures(), kills: 0, restores: 0, serverRestarts: 0 };
  const running = new Set<ChildProcess>();
  try {
    const databaseUrl = await run.server?.createDatabase(`kills_${Date.now()}`);
    if (databaseUrl !== undefined) await migrate(databaseUrl, "up");
    while (outcome.kills < run.kills) {
      const count = Math.min(run.processes, run.kills - outcome.kills);
      const round = Array.from({ length: count }, (_, i) =>
        lifeOf(argumentsOf(root, i, run, databaseUrl), outcome.signatures, running),
      );
      const restart = run.server !== undefined && randomInt(3) === 0 ? restartSoon(run.server) : undefined;
      if (restart !== undefined) outcome.serverRestarts++;
      await Promise.all([...round, restart]);
      outcome.kills += count;
      if (run.restore === true) outcome.restores += saveOrRestore(root);
      run.progress?.(outcome.kills, outcome.signatures);
    }
    return outcome;
  } finally {
    for (const child of running) child.kill("SIGKILL");
    rmSync(root, { recursive: true, force: true });
  }
}

/** Program of the i-th process and its options. */
function argumentsOf(root: string, i: number, run: KillRun, databaseUrl: string | undefined): string[] {
  const { unguarded = false, reference } = run;
  const group = databaseUrl === undefined ? undefined : { databaseUrl, nodeId: `node-${i}` };
  if (reference !== undefined && i % 2 === 1) {
    return [REFERENCE_PROGRAM, JSON.stringify({ group, packages: reference })];
  }
  const folder = join(root, group === undefined ? "signing" : `signing-${i}`);
  const options: SigningProcessOptions = { folder, unguarded, group };
  return [PROGRAM, JSON.stringify(options)];
}

/** One process from its start to its kill. */
async function lifeOf(program: string[], signatures: Signatures, running: Set<ChildProcess>): Promise<void> {
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...program], { stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const closed = once(child, "close");
  const { promise: ready, resolve } = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line === "ready") resolve();
    else if (line.startsWith("0x")) signatures.add(line, program[0] === REFERENCE_PROGRAM);
  });
  await Promise.race([ready, closed]);
  await Promise.race([sleep(randomInt(MAX_LIFE_MS)), closed]);
  child.kill("SIGKILL");
  await closed;
  running.delete(child);
  // A start may meet the server while it restarts; everything else must go on until the kill.
  const away = errors.includes("DutyDatabaseError") || errors.includes("Database schema not initialized");
  if (child.signalCode !== "SIGKILL" && !away) throw new Error(`a signing process ended by itself: ${errors}`);
}

async function restartSoon(server: PostgresServer): Promise<void> {
  await sleep(randomInt(2 * MAX_LIFE_MS));
  await server.restart(RESTARTS[randomInt(RESTARTS.length)]);
}

/** Copies the folder, or puts an older copy in its place; 1 if it did the latter. */
function saveOrRestore(root: string): number {
  const [folder, backup] = [join(root, "signing"), join(root, "backup")];
  const restoring = existsSync(backup) && randomInt(2) === 0;
  if (restoring) rmSync(folder, { recursive: true, force: true });
  else rmSync(backup, { recursive: true, force: true });
  cpSync(restoring ? backup : folder, restoring ? folder : backup, { recursive: true });
  return restoring ? 1 : 0;
}
