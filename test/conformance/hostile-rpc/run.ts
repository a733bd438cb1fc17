import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { Connection } from "../../world/rpc/connection.ts";
import { ATTACKS } from "./attacks.ts";

/**
 * Measures what an honest client sees beside hostile ones. Prints one line for each attack: latencies of sequential
 * small calls, with a new connection for every fifth, and the server's peak memory. `--only TEXT` picks attacks by a
 * part of their name.
 */
const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    clients: { type: "string", default: "32" },
    seconds: { type: "string", default: "3" },
  },
});

const CALLS_ON_A_CONNECTION = 5;
/** Time until all hostile clients are active. */
const WARM_UP_MS = 500;

function start(file: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, file), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const gone = (child: ChildProcess) => new Promise((resolve) => child.once("exit", resolve));

/** Peak resident memory of a process in MiB. */
function peakMemory(pid: number | undefined): number {
  const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kib) / 1024);
}

async function honest(port: number, ms: number): Promise<{ latencies: number[]; refused: number }> {
  const latencies: number[] = [];
  let refused = 0;
  const end = performance.now() + ms;
  while (performance.now() < end) {
    let connection: Connection | undefined;
    const from = performance.now();
    try {
      connection = await Connection.to(port);
      for (let i = 0; i < CALLS_ON_A_CONNECTION; i++) {
        const before = i === 0 ? from : performance.now();
        const { status } = await connection.call("node_getBlockNumber");
        if (status !== 200) throw new Error(`status ${status}`);
        latencies.push(performance.now() - before);
        await pause(1);
      }
    } catch {
      refused += 1;
      await pause(10);
    }
    connection?.leave();
  }
  return { latencies: latencies.sort((a, b) => a - b), refused };
}

const shown = (ms: number | undefined) => (ms === undefined ? "-" : ms.toFixed(1)).padStart(8);

process.stdout.write("     p50      p99      max  calls refused  MiB  attack\n");
for (const name of ["none", ...ATTACKS.map((attack) => attack.name)]) {
  if (name !== "none" && !name.includes(values.only)) continue;
  const server = start("server.ts");
  const port = await new Promise<number>((resolve) => {
    createInterface(server.stdout!).once("line", (line) => resolve(Number(line)));
  });
  await honest(port, WARM_UP_MS);
  const attacker = name === "none" ? undefined : start("attacker.ts", name, String(port), values.clients);
  await pause(WARM_UP_MS);
  const { latencies, refused } = await honest(port, Number(values.seconds) * 1_000);
  const at = (share: number) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  const figures = `${shown(at(0.5))} ${shown(at(0.99))} ${shown(at(1))} ${String(latencies.length).padStart(6)}`;
  process.stdout.write(
    `${figures} ${String(refused).padStart(7)} ${String(peakMemory(server.pid)).padStart(4)}  ${name}\n`,
  );
  if (attacker !== undefined) {
    attacker.kill();
    await gone(attacker);
  }
  server.stdin?.end();
  await gone(server);
}
