import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { isMarkedRunning, isOfThisPlace, type ProcessMark, processMark } from "../storage/process-mark.ts";
import { DevnetError } from "./errors.ts";

/** Seconds in which processes may end by themselves. */
const END_LIMIT_S = 12;

/**
 * Shell script that knows the running process groups, by lines `+ ID` and `- ID`. Its standard input closes however the
 * program ends; it then terminates the groups that are left, and kills them after a time limit.
 */
const WATCH = `
limit=$1 file=$2
groups=" "
while read -r sign id; do
  case $sign in
    +) groups="$groups$id " ;;
    -) groups="\${groups%% $id *} \${groups#* $id }" ;;
  esac
done
alive() { for id in $groups; do kill -0 -$id 2>/dev/null && return 0; done; return 1; }
for id in $groups; do kill -TERM -$id 2>/dev/null; kill -CONT -$id 2>/dev/null; done
n=0
while alive && [ $n -lt $limit ]; do sleep 1; n=$((n+1)); done
for id in $groups; do kill -KILL -$id 2>/dev/null; done
rm -f "$file"
`;

/** Ends the processes of a network when this one has ended, also when it was killed. */
export class ProcessWatch {
  readonly #child: ChildProcess;

  constructor(file: string) {
    this.#child = spawn("/bin/sh", ["-c", WATCH, "svc-devnet-watch", String(END_LIMIT_S), file], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    this.#child.stdin?.on("error", () => {});
    this.#child.on("error", () => {});
    this.#child.unref();
    if (this.#child.pid === undefined) throw new DevnetError("/bin/sh, which ends the processes, could not be run");
    writeFileSync(file, JSON.stringify(processMark(this.#child.pid)), { mode: 0o600 });
  }

  /** `id`: process id of the leader of a group. */
  add(id: number): void {
    this.#child.stdin?.write(`+ ${id}\n`);
  }

  remove(id: number): void {
    this.#child.stdin?.write(`- ${id}\n`);
  }

  /** Ends the processes that are left. */
  end(): void {
    this.#child.stdin?.end();
  }
}

function readMark(file: string): ProcessMark | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as ProcessMark;
  } catch {
    return undefined;
  }
}

/** Whether processes of a network still run, or are being ended, by its watch file. */
export function isWatched(file: string): boolean {
  const mark = readMark(file);
  return mark instanceof Object && isOfThisPlace(mark) && isMarkedRunning(mark);
}

/** Waits until the processes of an earlier start, which was killed, have ended. Throws a DevnetError. */
export async function untilEnded(file: string, signal: AbortSignal): Promise<void> {
  for (let left = 10 * (END_LIMIT_S + 10); isWatched(file); left--) {
    if (left === 0) throw new DevnetError(`processes of an earlier start have not ended: see ${file}`);
    await sleep(100, undefined, { signal });
  }
  rmSync(file, { force: true });
}
