import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { AnvilError, AnvilStateError, anvilBinary } from "./anvil-binary.ts";

const READY_LIMIT_MS = 30_000;
/** Anvil writes its state when it exits, which takes longer the longer the chain is. */
const END_LIMIT_S = 20;

/**
 * Shell script that runs a program until it exits or standard input closes. The input is a pipe from the node, so it
 * closes however the node ends. The program is then terminated, and killed after a time limit. Its state dump replaces
 * the previous state in one step. Arguments: seconds to wait, dump file, state file, program and its arguments.
 */
const KEEPER = `
limit=$1 dump=$2 state=$3; shift 3
exec 3<&0
"$@" </dev/null 3<&- &
program=$!
( read -r _ <&3; kill -TERM $program; n=0
  while kill -0 $program && [ $n -lt $limit ]; do sleep 1; n=$((n+1)); done
  kill -KILL $program ) 2>/dev/null &
watch=$!
wait $program
code=$?
kill $watch 2>/dev/null
[ -n "$state" ] && [ $code -eq 0 ] && [ -s "$dump" ] && mv "$dump" "$state"
[ -n "$state" ] && rm -f "$state.pid"
exit $code
`;

export interface AnvilOptions {
  /** 0: any free port. */
  port: number;
  mnemonic: string;
  chainId: number;
  /** File that the chain is loaded from, if it exists, and saved to. Undefined: nothing is saved. */
  stateFile: string | undefined;
  /** Only reads the state file: what it becomes is not kept when it ends. */
  readOnly?: boolean;
  /** Mines nothing by itself until it is told to (evm_setAutomine). */
  miningOff?: boolean;
  /** Seconds; time of the first block of a new chain. Default: the machine's. */
  timestamp?: number;
  /** Blocks of an epoch: a block is finalized two epochs later. Default: as on public networks. */
  slotsInEpoch?: number;
  signal: AbortSignal;
}

export interface Anvil {
  readonly url: string;
  /** Leader of the process group that anvil is in. */
  readonly pid: number;
  /** Whether the chain was loaded from a saved state. */
  readonly restored: boolean;
  /** Rejects when anvil exits by itself. */
  readonly lost: Promise<never>;
  /** Stops anvil; resolves when it has exited and its state is saved. */
  stop(): Promise<void>;
}

/** States of past blocks in memory: a node reads at most 128 blocks back. */
const STATES = 200;

function argumentsOf(options: AnvilOptions, written: string | undefined, restored: boolean): string[] {
  const { port, mnemonic, chainId, stateFile, miningOff, timestamp, slotsInEpoch } = options;
  return [
    ...["--host", "127.0.0.1", "--port", String(port), "--chain-id", String(chainId), "--mnemonic", mnemonic],
    ...["--prune-history", String(STATES), "--disable-console-log"],
    ...(miningOff ? ["--no-mining"] : []),
    ...(written === undefined ? [] : ["--dump-state", dumpFile(written)]),
    ...(stateFile !== undefined && restored ? ["--load-state", stateFile] : []),
    ...(timestamp === undefined || restored ? [] : ["--timestamp", String(timestamp)]),
    ...(slotsInEpoch === undefined ? [] : ["--slots-in-an-epoch", String(slotsInEpoch)]),
  ];
}

const dumpFile = (stateFile: string): string => `${stateFile}.dump`;
/** File with the process id of the watching shell; removed once the state is saved. */
const pidFile = (stateFile: string): string => `${stateFile}.pid`;

/** Waits for the output line with the listening address. */
function listening(child: ChildProcess, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = "";
    const settle = (act: () => void): void => {
      clearTimeout(limit);
      signal.removeEventListener("abort", aborted);
      act();
    };
    const fail = (message: string, options?: ErrorOptions): void =>
      settle(() => reject(new AnvilError(message, options)));
    const aborted = (): void => settle(() => reject(signal.reason));
    const limit = setTimeout(() => fail(`anvil did not listen within ${READY_LIMIT_MS} ms`), READY_LIMIT_MS);
    const read = (part: Buffer): void => {
      if (output === "done") return;
      output = (output + part.toString("utf8")).slice(-4096);
      const found = /Listening on (127\.0\.0\.1:\d+)/.exec(output);
      if (found === null) return;
      output = "done";
      settle(() => resolve(`http://${found[1]}`));
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (cause) => fail("anvil could not be run", { cause }));
    child.once("exit", (code) => fail(`anvil ended with ${code}: ${output.trim().slice(-400)}`));
    signal.addEventListener("abort", aborted, { once: true });
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Waits for an earlier L1 that still writes its state, as after the node was killed. */
export async function untilKept(stateFile: string, signal: AbortSignal): Promise<void> {
  const file = pidFile(stateFile);
  for (let left = 2 * END_LIMIT_S * 10; left > 0 && existsSync(file); left--) {
    if (!isRunning(Number(readFileSync(file, "utf8")))) return;
    await sleep(100, undefined, { signal });
  }
}

/**
 * Starts a development L1 and waits until it listens. It ends with this process, however that ends: a shell between the
 * two watches a pipe. It runs outside the terminal's process group, so that Ctrl-C reaches the node first. Throws
 * AnvilError, AnvilStateError or the reason of `signal`.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  const { stateFile, readOnly, signal } = options;
  /** The state file, if this one writes it. */
  const written = readOnly ? undefined : stateFile;
  if (stateFile !== undefined) await untilKept(stateFile, signal);
  const restored = stateFile !== undefined && existsSync(stateFile);
  const dump = written === undefined ? "" : dumpFile(written);
  const command = [anvilBinary(), ...argumentsOf(options, written, restored)];
  const child = spawn("/bin/sh", ["-c", KEEPER, "anvil", String(END_LIMIT_S), dump, written ?? "", ...command], {
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });
  if (written !== undefined) {
    rmSync(dump, { force: true });
    writeFileSync(pidFile(written), String(child.pid));
  }
  let stopping = false;
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const stop = async (): Promise<void> => {
    stopping = true;
    child.stdin.end();
    await ended;
  };
  const lost = ended.then((code): Promise<never> => {
    if (stopping) return new Promise(() => {});
    throw new AnvilError(`the development L1 ended with ${code}`);
  });
  lost.catch(() => {});
  child.stdin.on("error", () => {});
  try {
    return { url: await listening(child, signal), pid: child.pid as number, restored, lost, stop };
  } catch (error) {
    await stop();
    const unread = error instanceof AnvilError ? /failed to parse json file: "[^"]*": (.*)/.exec(error.message) : null;
    if (stateFile !== undefined && unread !== null) throw new AnvilStateError(stateFile, unread[1], { cause: error });
    throw error;
  }
}
