import { existsSync } from "node:fs";
import type { NodeLogger } from "../logging.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "./anvil.ts";

export interface LastingAnvilOptions extends AnvilOptions {
  /** Has it start again from its kept state by calling `start`, and brings it to where it was. */
  restart(start: () => Promise<void>): Promise<void>;
  /** It ended, and there is no going on. */
  lost(error: unknown): void;
  log: NodeLogger;
}

/** Times that it may end by itself within WINDOW_MS. */
const MOST_ENDS = 3;
const WINDOW_MS = 60_000;

/**
 * An anvil that is started again from the last copy of its state, on the same port, when it ends by itself. Where there is no copy, or it
 * ends again and again, it is lost. Throws what startAnvil does.
 */
export async function startLastingAnvil(options: LastingAnvilOptions): Promise<Omit<Anvil, "lost">> {
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
    if (stateFile === undefined || !existsSync(stateFile) || ends.length > MOST_ENDS) return options.lost(error);
    log.error({ error, stateFile }, "L1 ended by itself: starting it again from its last copy");
    try {
      await options.restart(async () => {
        anvil = await startAnvil({ ...options, port });
        watch();
      });
      log.warn({ url }, "L1 runs again");
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
    stop: async () => {
      stopping = true;
      await restart;
      await anvil.stop();
    },
  };
}
