import type { InvalidProposal } from "../archiver/tables/invalid-proposal.ts";
import { toHex } from "../protocol/bytes.ts";
import type { Committee } from "./attestations.ts";
import type { SequencerParts } from "./sequencer-parts.ts";
import type { SequencerSettings } from "./settings.ts";

type Parts = Pick<SequencerParts, "chain" | "keys" | "publisher" | "sync" | "now" | "logger">;
type Delays = Pick<SequencerSettings, "invalidateAfterAsMember" | "invalidateAfterAsOther">;

/**
 * The attester (lower-case 0x text) whose publisher removes a bad checkpoint now, though it is not the slot's proposer:
 * a member of the committee after a while, anybody after a longer one. Undefined: none yet.
 */
export function lateInvalidator(
  { timestamp }: Pick<InvalidProposal, "timestamp">,
  { own, committee, nowMs }: { own: readonly string[]; committee: Committee; nowMs: number },
  { invalidateAfterAsMember, invalidateAfterAsOther }: Delays,
): string | undefined {
  const age = Math.floor(nowMs / 1000) - Number(timestamp);
  const over = (seconds: number) => seconds > 0 && age > seconds;
  const members = new Set(committee.map(toHex));
  const member = own.find((address) => members.has(address));
  if (member !== undefined && over(invalidateAfterAsMember)) return member;
  return over(invalidateAfterAsOther) ? own[0] : undefined;
}

/**
 * Removes a bad checkpoint that the proposers leave on L1 (docs/protocol/11-consensus.md#117-invalidation). Returns
 * whether it tried. Never rejects.
 */
export async function invalidateLate(
  { chain, keys, publisher, sync, now, logger }: Parts,
  { slot, committee }: { slot: number; committee: Committee },
  delays: Delays,
  signal: AbortSignal,
): Promise<boolean> {
  const invalid = chain.state.invalidProposal();
  if (invalid === undefined) return false;
  const attester = lateInvalidator(invalid, { own: keys().attesterAddresses(), committee, nowMs: now() }, delays);
  if (attester === undefined) return false;
  const { checkpointNumber: checkpoint, reason } = invalid;
  try {
    const invalidation = await publisher.invalidation(invalid, slot);
    if (invalidation === undefined) return false;
    logger.info({ slot, checkpoint, reason, attester }, "removing bad checkpoint {checkpoint} from L1: {reason}");
    await publisher.publishRequests({ slot, attester, requests: [invalidation.request] });
    sync.poke();
  } catch (error) {
    if (!signal.aborted) logger.warn({ slot, checkpoint, err: error }, "bad checkpoint {checkpoint} cannot be removed");
  }
  return true;
}
