import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** Tells a process from others, also from one that gets its id later. */
export interface ProcessMark {
  pid: number;
  /** Start time of the process in clock ticks since boot, if known. Detects a reused process id. */
  started: string | undefined;
  /** Machine, boot and process namespace. Process ids are comparable only within one. */
  place: string;
}

function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

function orEmpty(read: () => string): string {
  try {
    return read().trim();
  } catch {
    return "";
  }
}

function ownPlace(): string {
  const boot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"));
  const namespace = orEmpty(() => readlinkSync("/proc/self/ns/pid"));
  return [hostname(), boot, namespace].join(" ");
}

/** The mark of a running process of this place. */
export function processMark(pid: number): ProcessMark {
  return { pid, started: startTime(pid), place: ownPlace() };
}

/** Whether ids of processes where the mark was made mean the same here. */
export function isOfThisPlace({ place }: Pick<ProcessMark, "place">): boolean {
  return place === ownPlace();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Whether a process of this place still runs. */
export function isMarkedRunning({ pid, started }: ProcessMark): boolean {
  // Other numbers stand for groups of processes.
  if (!Number.isSafeInteger(pid) || pid < 1) return false;
  return isRunning(pid) && (started === undefined || started === startTime(pid));
}
