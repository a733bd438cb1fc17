import { existsSync } from "node:fs";
import type { NodeLogger } from "../process/logging/logging.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "./anvil.ts";

interface LastingAnvilOptions extends AnvilOptions {
  /** Has it start again from its kept state, brought to where it was. */
  restart(starts: AnvilStarts): Promise<void>;
  /** It ended, and there is no going on. */
  lost(error: unknown): void;
  log: NodeLogger;
}

export interface AnvilStarts {
  /** Starts one on another port from the kept state, which it only reads: nobody else reaches it. */
  aside(): Promise<Pick<Anvil, "url" | "stop">>;
  /** Starts the lasting one on its port. Mining is off. */
  start(): Promise<void>;
}

export interface LastingAnvil extends Omit<Anvil, "lost" | "pid"> {
  /**
   * Stops it and starts it again on its port, from the state file that `change` returns or as a new chain. Mining is
   * off after a start from a file. Rejects as startAnvil does; it is not running then.
   */
  replace(change: () => string | undefined): Promise<void>;
}

/** Times that it may end by itself within WINDOW_MS. */
const MAX_ENDS = 3;
const WINDOW_MS = 60_000;

/**
 * An anvil that is restarted on the same port from the last copy of its state when it exits unexpectedly. Without a
 * copy, or after repeated exits, it counts as lost. Throws what startAnvil does.
 */
export async function startLastingAnvil(options: LastingAnvilOptions): Promise<LastingAnvil> {
  const { stateFile, log } = options;
  let anvil = await startAnvil(options);
  const { url, restored } = anvil;
  const port = Number(new URL(url).port);
  let stopping = false;
  let ends: number[] = [];
  let restart: Promise<void> = Promise.resolve();

  const again = async (error: unknown): Promise<void> => {
    const now = performance.now();
    ends = [...ends.filter((time) => time > now - WINDOW_MS), now];
    if (stateFile === undefined || options.readOnly || !existsSync(stateFile) || ends.length > MAX_ENDS) {
      return options.lost(error);
    }
    log.error({ err: error, stateFile }, "L1 ended unexpectedly: restarting it from its last copy");
    try {
      await options.restart({
        aside: () => startAnvil({ ...options, port: 0, readOnly: true }),
        start: async () => {
          anvil = await startAnvil({ ...options, port, miningOff: true });
          watch();
        },
      });
      log.warn({ url }, "L1 is running again");
    } catch (failure) {
      if (!stopping) options.lost(failure);
    }
  };
  const watch = (): void => {
    anvil.lost.catch((error: unknown) => {
      if (!stopping) restart = again(error);
    });
  };
  watch();
  return {
    url,
    restored,
    replace: async (change) => {
      await restart;
      await anvil.stop();
      const from = change();
      const readOnly = options.readOnly || stateFile === undefined;
      anvil = await startAnvil({
        ...options,
        port,
        stateFile: stateFile ?? from,
        readOnly,
        miningOff: from !== undefined,
      });
      watch();
    },
    stop: async () => {
      stopping = true;
      await restart;
      await anvil.stop();
    },
  };
}
