import { toHex } from "../protocol/bytes.ts";
import type { RebuiltBlock } from "./rebuilt-checkpoint.ts";
import type { SyncServices } from "./sync-services.ts";

/** A contract event that breaks a rule registers nothing. It is no reason to stop: the block is what L1 says it is. */
export function reportRefusedEvents(
  { logger }: Pick<SyncServices, "logger">,
  { record, txs, contractEvents }: RebuiltBlock,
): void {
  for (const { event, tx, log, rule } of contractEvents.refused) {
    const facts = { block: record.number, txIndex: tx, txHash: toHex(txs[tx].txHash), logIndex: log, event, rule };
    logger.warn(facts, "passed over an invalid contract event");
  }
}
