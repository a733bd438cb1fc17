import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Facts about the machine that are needed to judge the figures of a run. */
export interface MachineFacts {
  cpu: string;
  cores: number;
  memoryGiB: number;
  kernel: string;
  node: string;
  commit: string;
  /** 1, 5 and 15 minutes, before the run. */
  loadBefore: number[];
  /** Share of all cores' time that other processes used in the seconds before the run, 0 .. 1. */
  busyBefore: number;
}

const IDLE_SAMPLE_MS = 2000;
/** If others use more than this share of the machine, wall-clock figures are worthless. */
export const MAX_BUSY = 0.05;

interface CpuTicks {
  busy: number;
  all: number;
}

function cpuTicks(): CpuTicks {
  let busy = 0;
  let all = 0;
  for (const { times } of cpus()) {
    const used = times.user + times.nice + times.sys + times.irq;
    busy += used;
    all += used + times.idle;
  }
  return { busy, all };
}

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  try {
    const dirty = git("status", "--porcelain", "--untracked-files=no").trim() === "" ? "" : "+changes";
    return git("rev-parse", "--short=12", "HEAD").trim() + dirty;
  } catch {
    return "unknown";
  }
}

/**
 * The processor's name with family and model, because the name of a virtual processor does not tell generations apart.
 */
function cpuName(): string {
  const name = cpus()[0]?.model.trim() ?? "unknown";
  try {
    const text = readFileSync("/proc/cpuinfo", "utf8");
    const field = (key: string) => new RegExp(`^${key}\\s*: (.*)$`, "m").exec(text)?.[1];
    return `${name} (family ${field("cpu family")}, model ${field("model")})`;
  } catch {
    return name;
  }
}

/** Observes the machine for two seconds, in which the caller must be idle. */
export async function machineFacts(): Promise<MachineFacts> {
  const loadBefore = loadavg().map((load) => Math.round(load * 100) / 100);
  const first = cpuTicks();
  await sleep(IDLE_SAMPLE_MS);
  const last = cpuTicks();
  const elapsed = last.all - first.all;
  return {
    cpu: cpuName(),
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
    commit: commit(),
    loadBefore,
    busyBefore: elapsed > 0 ? (last.busy - first.busy) / elapsed : 0,
  };
}
