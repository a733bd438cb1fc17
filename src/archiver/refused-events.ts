import { toHex } from "../protocol/bytes.ts";
import type { RebuiltBlock } from "./rebuilt-checkpoint.ts";
import type { ApplyServices } from "./sync-services.ts";

/**
 * Logs contract events that break a rule and so register nothing. Syncing continues: the block on L1 is valid as it is.
 */
export function reportRefusedEvents(
  { logger }: Pick<ApplyServices, "logger">,
  { record, txs, contractEvents }: RebuiltBlock,
): void {
  for (const { event, tx, log, rule } of contractEvents.refused) {
    const facts = { block: record.number, txIndex: tx, txHash: toHex(txs[tx].txHash), logIndex: log, event, rule };
    logger.warn(facts, "passed over an invalid contract event");
  }
}
