import { type ChildProcess, spawn } from "node:child_process";
import { AnvilError, anvilBinary } from "../../local-network/anvil-binary.ts";

const READY_LIMIT_MS = 30_000;

export interface Anvil {
  readonly url: string;
  readonly pid: number;
  /** Kills the process. Its state is lost. */
  kill(): void;
}

/**
 * Starts anvil from a saved state on a free port of 127.0.0.1 and waits until it listens. It runs outside the
 * terminal's process group, so that Ctrl-C signals only the node.
 */
export async function startAnvil(stateFile: string, signal: AbortSignal): Promise<Anvil> {
  const child: ChildProcess = spawn(anvilBinary(), ["--load-state", stateFile, "--host", "127.0.0.1", "--port", "0"], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const kill = (): void => {
    child.kill("SIGKILL");
  };
  process.once("exit", kill);
  const address = new Promise<string>((resolve, reject) => {
    let output = "";
    const limit = setTimeout(
      () => reject(new AnvilError(`anvil did not listen within ${READY_LIMIT_MS} ms`)),
      READY_LIMIT_MS,
    );
    const settle = (act: () => void): void => {
      clearTimeout(limit);
      act();
    };
    const read = (part: Buffer): void => {
      output = (output + part.toString("utf8")).slice(-4096);
      const found = /Listening on (127\.0\.0\.1:\d+)/.exec(output);
      if (found) settle(() => resolve(found[1]));
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => settle(() => reject(new AnvilError("anvil could not be run", { cause: error }))));
    child.once("exit", (code) =>
      settle(() => reject(new AnvilError(`anvil ended with ${code}: ${output.trim().slice(-400)}`))),
    );
    signal.addEventListener("abort", () => settle(() => reject(signal.reason)), { once: true });
  });
  try {
    return { url: `http://${await address}`, pid: child.pid ?? 0, kill };
  } catch (error) {
    kill();
    throw error;
  }
}
