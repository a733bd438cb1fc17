import type { L1Sender } from "./l1-sender.ts";
import type { TxStatus } from "./tx-state.ts";

/** Order of preference (docs/protocol/08-building-and-checkpoints.md#820-choosing-a-publisher). */
const ORDER: readonly TxStatus[] = ["idle", "mined", "speed-up", "sent", "cancelled", "not mined"];

function isBusy(status: TxStatus): boolean {
  return status !== "idle" && status !== "mined";
}

type Candidate = Pick<L1Sender, "address" | "status" | "lastMinedBlock" | "balance">;

/**
 * Sorts the accounts that may send, best first: by status, then by higher balance, then by the oldest last mined block.
 * Busy accounts are returned only if there is no other and `allowBusy` is set. Throws an L1Error.
 */
export async function rankSenders<T extends Candidate>(senders: readonly T[], allowBusy: boolean): Promise<T[]> {
  const idle = senders.filter(({ status }) => !isBusy(status));
  const candidates = idle.length > 0 || !allowBusy ? idle : senders;
  if (candidates.length <= 1) return [...candidates];
  const ranked = await Promise.all(
    candidates.map(async (sender) => ({ sender, balance: await sender.balance(), rank: ORDER.indexOf(sender.status) })),
  );
  ranked.sort(
    (a, b) =>
      a.rank - b.rank ||
      (a.balance < b.balance ? 1 : a.balance > b.balance ? -1 : 0) ||
      a.sender.lastMinedBlock - b.sender.lastMinedBlock,
  );
  return ranked.map(({ sender }) => sender);
}
