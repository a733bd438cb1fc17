import type { Logger } from "../../telemetry/logger.ts";
import type { VoteSource } from "./governance-signals.ts";

/** The votes of several sources. A source that fails is logged and gives none; the others are not affected. */
export function voteSources(sources: readonly VoteSource[], logger: Logger): VoteSource {
  return async (voter, signal) => {
    const requests = sources.map((source) =>
      source(voter, signal).catch((error: unknown) => {
        if (!signal.aborted) logger.warn({ slot: voter.slot, err: error }, "the votes of a slot cannot be prepared");
        return [];
      }),
    );
    return (await Promise.all(requests)).flat();
  };
}
