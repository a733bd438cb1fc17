import type { CollectedTx } from "../../checkpoints/proposals/proposal-txs.ts";
import type { CollectedFor, Intake, TakesTxs } from "./collected-txs.ts";
import type { MissingTxs } from "./missing-txs.ts";

/** A block whose transactions are looked for. */
export interface CollectionRequest {
  purpose: CollectedFor;
  /** Hashes of all txs of the block, in its order. */
  hashes: readonly Uint8Array[];
  missing: MissingTxs;
  /** Archive root after the block, 32 bytes. */
  archive: Uint8Array;
  /** Peer that sent the proposal, as text. */
  peer: string | undefined;
  /** Unix milliseconds. */
  deadline: number;
}

/** Looks for a request's missing txs until none is missing or `signal` aborts. Never rejects. */
export type MissingTxsCollector = (request: CollectionRequest, signal: AbortSignal) => Promise<void>;

/** Checks and stores those of received txs that the request misses. */
export async function takeMissing(
  collected: TakesTxs,
  { missing, purpose }: Pick<CollectionRequest, "missing" | "purpose">,
  received: readonly CollectedTx[],
): Promise<Intake> {
  const wanted = received.filter(({ hash }) => missing.has(hash));
  const intake = await collected.take(wanted, purpose);
  for (const hash of intake.added) missing.found(hash);
  return intake;
}
