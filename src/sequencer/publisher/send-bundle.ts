import { bundleCalldata } from "../../l1/propose/bundle.ts";
import { hasTopic, type L1Receipt } from "../../l1/tx/account-reads.ts";
import { cappedGas } from "../../l1/tx/estimate-gas.ts";
import type { L1Sender } from "../../l1/tx/l1-sender.ts";
import type { BlobSidecars } from "../../l1/tx/transaction.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { ACTIONS, type Action, type PublishRequest } from "./types.ts";

interface Bundle {
  /** Kept with the transaction, see `L1TxRequest.purpose`. */
  purpose: string;
  requests: readonly PublishRequest[];
  /** Blobs of the propose request. */
  sidecars?: BlobSidecars;
  slot: number;
}

type BundleOutcome =
  | { kind: "mined"; receipt: L1Receipt; successful: Action[]; failed: PublishRequest[] }
  | { kind: "timed out" | "replaced"; reason: string }
  | { kind: "expired" };

/** Requests in the order of their actions, without those whose slot is over. */
function dueRequests(requests: readonly PublishRequest[], slot: number): PublishRequest[] {
  return requests
    .filter(({ lastValidSlot }) => lastValidSlot >= slot)
    .sort((a, b) => ACTIONS.indexOf(a.action) - ACTIONS.indexOf(b.action));
}

/**
 * Sends requests as one transaction through Multicall3 (or `target`) and waits for its outcome
 * (docs/protocol/08-building-and-checkpoints.md#817-bundle). The bundle's `slot` is the current one. Throws
 * L1TxNotSentError, L1SignerError or an L1Error.
 */
export async function sendBundle(
  sender: L1Sender,
  target: string,
  { purpose, requests, sidecars, slot }: Bundle,
  logger: Logger,
): Promise<BundleOutcome> {
  const due = dueRequests(requests, slot);
  for (const { action, lastValidSlot } of requests.filter((request) => !due.includes(request)))
    logger.warn({ action, lastValidSlot, slot }, "a request to L1 expired before it was sent");
  if (due.length === 0) return { kind: "expired" };
  const wanted = due.reduce((sum, { gasLimit }) => sum + gasLimit, 0n);
  const timeouts = requests.flatMap(({ timeoutAt }) => (timeoutAt === undefined ? [] : [timeoutAt]));
  const sent = await sender.send({
    purpose,
    to: target,
    data: bundleCalldata(due),
    gas: cappedGas(wanted),
    sidecars: due.some(({ action }) => action === "propose") ? sidecars : undefined,
    timeoutAt: timeouts.length > 0 ? Math.min(...timeouts) : undefined,
  });
  const outcome = await sent.outcome;
  if (outcome.kind !== "mined") return outcome;
  const { receipt } = outcome;
  const worked = ({ proof }: PublishRequest) =>
    receipt.succeeded && receipt.logs.some((log) => hasTopic(log, proof.address, proof.topic));
  const successful = due.filter(worked).map(({ action }) => action);
  return { kind: "mined", receipt, successful, failed: due.filter((request) => !worked(request)) };
}
