import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** What the command that sends txs reported. */
export interface TrafficReport {
  sent: number;
  mined: number;
  failed: number;
  /** Milliseconds after which another node had a tx. */
  arrivals: number[];
  /** Arrivals that did not happen. */
  never: number;
}

/**
 * Sends `rounds` times `perRound` txs to the first URL, and reads when the other nodes have them. An aborted signal
 * ends the command and rejects.
 */
export async function sendTraffic(
  command: string,
  urls: readonly string[],
  rounds: number,
  perRound: number,
  signal?: AbortSignal,
): Promise<TrafficReport> {
  const [file, ...args] = command.split(" ");
  const all = [...args, urls.join(","), String(rounds), String(perRound)];
  const { stdout } = await run(file, all, { timeout: 1_500_000, maxBuffer: 2 ** 24, signal });
  const lags = [...stdout.matchAll(/in the other pools after \(ms\) (.*)/g)].flatMap(([, texts]) => texts.split(" "));
  const ends = [...stdout.matchAll(/ mined (0x\w+) block (\S+) (.*)/g)];
  const succeeded = ends.filter(([, , block, status]) => block !== "undefined" && status.includes("success"));
  return {
    sent: [...stdout.matchAll(/round \d+ tx 0x/g)].length,
    mined: succeeded.length,
    failed: ends.length - succeeded.length,
    arrivals: lags.filter((lag) => lag !== "never").map(Number),
    never: lags.filter((lag) => lag === "never").length,
  };
}
