import { equal } from "../../protocol/bytes.ts";
import { CHECKPOINT_PROPOSED_TOPIC, type ProposedEvent, readProposedEvent } from "../checkpoints/proposed-event.ts";
import type { L1Receipt } from "../tx/account-reads.ts";
import { hasTopic } from "../tx/account-reads.ts";

/**
 * The CheckpointProposed event of a transaction for this archive root; undefined if it did not propose that checkpoint.
 */
export function proposedIn(
  receipt: Pick<L1Receipt, "logs">,
  rollupAddress: string,
  archiveRoot: Uint8Array,
): ProposedEvent | undefined {
  return receipt.logs
    .filter((log) => hasTopic(log, rollupAddress, CHECKPOINT_PROPOSED_TOPIC))
    .map(readProposedEvent)
    .find((event) => equal(event.archiveRoot, archiveRoot));
}
