import { GoodbyeReason } from "../reqresp/codecs/goodbye-reason.ts";

/** Names of the reasons, as the release's metrics have them. */
export const GOODBYE_NAMES: Readonly<Record<GoodbyeReason, string>> = {
  [GoodbyeReason.SHUTDOWN]: "shutdown",
  [GoodbyeReason.MAX_PEERS]: "max_peers",
  [GoodbyeReason.LOW_SCORE]: "low_score",
  [GoodbyeReason.BANNED]: "banned",
  [GoodbyeReason.WRONG_NETWORK]: "wrong_network",
  [GoodbyeReason.UNKNOWN]: "unknown",
};

/** Goodbyes by the name of their reason since the start. */
export class GoodbyeCounts {
  readonly #counts = new Map<string, number>(Object.values(GOODBYE_NAMES).map((name) => [name, 0]));

  /** A reason that the protocol does not have counts as unknown. */
  add(reason: number): void {
    const name = GOODBYE_NAMES[reason as GoodbyeReason] ?? GOODBYE_NAMES[GoodbyeReason.UNKNOWN];
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  read(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}
