import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { MemoryLimit } from "./memory-limit.ts";
import type { Memory } from "./server-process.ts";

export interface Filled {
  ms: number;
}

/** Cost of applying blocks, from their effects to the commit. */
export interface Taken {
  blocks: number;
  nullifiers: number;
  ms: number;
  /** CPU time of all threads. */
  cpuMs: number;
  /** Parts of `ms` in which this thread wrote and committed rows; other threads may have hashed meanwhile. */
  writeMs: number;
  commitMs: number;
  commits: number;
}

/** Size of a store without its free pages. */
export interface Size {
  bytes: number;
}

/** Cost of blocks that were unwound again, of unwinding them, and the memory of the process between the two. */
export type Applied = Taken & Memory & { unwindMs: number; unwindCpuMs: number };

/** Microseconds of CPU time for a low-leaf witness. */
export interface Witnessed {
  latestUs: number;
  /** In the state half-way between the synthetic block and the tip. */
  oldUs: number;
  /** Parts of a witness by themselves: the store's search for a key, and its read of a tile that is in no cache. */
  searchUs: number;
  tileUs: number;
}

/** Reads of a store of which most is not in memory, one after the other. */
export interface ColdReads {
  perSecond: number;
  /** Milliseconds. */
  p99: number;
  /** From the disk, of one. */
  readBytes: number;
}

/** Witnesses, and the two random reads of each alone. */
export interface Cold {
  pairs: { ours: ColdReads; theirs: ColdReads }[];
}

const WORKER = join(import.meta.dirname, "state-worker.ts");

function workerArguments(command: string, directory: string, rest: (number | string)[]): string[] {
  return ["--disable-warning=ExperimentalWarning", WORKER, command, directory, ...rest.map(String)];
}

async function answerOf<T>(command: string, args: readonly string[]): Promise<T> {
  const { stdout } = await promisify(execFile)(command, args);
  return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
}

/** Runs one command of state-worker.ts. */
export function inStateProcess<T>(command: string, directory: string, ...rest: (number | string)[]): Promise<T> {
  return answerOf(process.execPath, workerArguments(command, directory, rest));
}

/** As inStateProcess, in a process whose memory is limited. */
export function inLimitedStateProcess<T>(
  limit: MemoryLimit,
  command: string,
  directory: string,
  ...rest: (number | string)[]
): Promise<T> {
  return answerOf(...limit.within(process.execPath, workerArguments(command, directory, rest)));
}

/** User-mode instructions of the whole process of a command; undefined where `perf` cannot count them. */
export async function instructionsOf(
  command: string,
  directory: string,
  ...counts: number[]
): Promise<number | undefined> {
  const worker = [process.execPath, ...workerArguments(command, directory, counts)];
  try {
    const { stderr } = await promisify(execFile)("perf", ["stat", "-x,", "-e", "instructions:u", "--", ...worker]);
    const count = Number(/^(\d+),/m.exec(stderr)?.[1]);
    return Number.isNaN(count) ? undefined : count;
  } catch {
    return undefined;
  }
}
