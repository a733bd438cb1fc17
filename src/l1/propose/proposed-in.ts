import { equal } from "../../protocol/bytes.ts";
import { CHECKPOINT_PROPOSED_TOPIC, type ProposedEvent, readProposedEvent } from "../checkpoints/proposed-event.ts";
import type { L1Receipt } from "../tx/account-reads.ts";
import { hasTopic } from "../tx/account-reads.ts";

/** The event by which a transaction shows that it proposed the checkpoint with this archive, undefined when it did not. */
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
