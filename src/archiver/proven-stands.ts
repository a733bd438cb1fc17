import type { EndpointView, L1Block } from "../l1/types.ts";
import { equal } from "../protocol/bytes.ts";
import { ContradictedProofError } from "./errors.ts";
import type { SyncServices } from "./sync-services.ts";

/**
 * Looks a second time when an answer about L1 block `current` takes away what was proven. A proof ends only with the L1
 * block that has it. Throws ContradictedProofError, so that nothing is unwound, while
 *
 * - the L1 block whose state named the proven checkpoint is still on L1, or
 * - an endpoint with the same block `current` still has the proven checkpoint there.
 */
export async function confirmProvenGone(services: SyncServices, current: L1Block): Promise<void> {
  const { chain, reader, logger } = services;
  const proven = chain.provenCheckpointNumber();
  const named = chain.provenL1Block.of(proven);
  const views = await reader.views({ checkpoint: proven, at: current.number, earlier: named?.number });
  const { archiveRoot } = chain.checkpoint(proven)!;
  const ofCurrent = views.filter(({ head }) => head !== undefined && equal(head, current.hash));
  const has = ({ status }: EndpointView) =>
    status.provenCheckpointNumber >= proven && equal(status.archiveOfMyCheckpoint, archiveRoot);
  const stands = ofCurrent.some(({ earlier }) => named && earlier && equal(earlier, named.hash));
  const contradicting = ofCurrent.filter((view) => !has(view)).map(({ url }) => url);
  if (!stands && ofCurrent.length > 0 && contradicting.length === ofCurrent.length) {
    logger.warn(
      { proven, l1Block: current.number, endpoints: contradicting },
      "L1 no longer has the proven checkpoint",
    );
    return;
  }
  throw new ContradictedProofError({ proven, l1Block: current.number, endpoints: contradicting });
}
