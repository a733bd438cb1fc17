import type { ConnectedRollup } from "../l1/types.ts";
import type { Logger } from "../telemetry/logger.ts";

const INTERVAL_MS = 600_000;
/** Time after which a change is looked at again: one wrong answer of an endpoint must not end the node. */
const CONFIRM_MS = 60_000;

interface CutoverOptions {
  log: Pick<Logger, "warn" | "debug">;
  /** Called once. */
  onReplaced: () => void;
  intervalMs?: number;
  confirmMs?: number;
}

/**
 * Looks every 10 minutes whether the registry's canonical rollup is still the followed one, and calls `onReplaced` when
 * two looks in a row found the same other one (docs/protocol/09-configuration.md#917-cutover). Returns a function
 * that ends the watch.
 */
export function watchCutover(
  reader: Pick<ConnectedRollup, "canonicalRollup" | "identity">,
  { log, onReplaced, intervalMs = INTERVAL_MS, confirmMs = CONFIRM_MS }: CutoverOptions,
): () => void {
  const own = reader.identity.addresses.rollupAddress;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const look = async (suspected: string | undefined): Promise<void> => {
    let found: string | undefined;
    try {
      found = await reader.canonicalRollup();
    } catch (error) {
      log.debug({ err: error }, "the canonical rollup is unknown");
    }
    if (ended) return;
    if (found !== undefined && found !== own && found === suspected) {
      log.warn(
        { own, canonical: found },
        "rollup {canonical} has replaced {own} as the canonical one: ending with code 0 (ENABLE_AUTO_SHUTDOWN)",
      );
      onReplaced();
      return;
    }
    const changed = found === own ? undefined : found;
    timer = setTimeout(() => void look(changed), changed === undefined ? intervalMs : confirmMs);
    timer.unref();
  };
  void look(undefined);
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}
