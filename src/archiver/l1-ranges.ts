import type { L1Constants } from "../protocol/time.ts";

/**
 * Inclusive L1 block ranges from `from` to `to`, each of at most `floor(batchSize * slotDuration /
 * ethereumSlotDuration) + 1` blocks (docs/protocol/04-l1-contracts.md#427-one-iteration).
 */
export function* l1Ranges(
  from: number,
  to: number,
  batchSize: number,
  { slotDuration, ethereumSlotDuration }: Pick<L1Constants, "slotDuration" | "ethereumSlotDuration">,
): Generator<{ from: number; to: number }> {
  const step = Math.floor((batchSize * slotDuration) / ethereumSlotDuration);
  for (let start = from; start <= to; start += step + 1) yield { from: start, to: Math.min(start + step, to) };
}
