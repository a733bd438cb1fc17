import type { PartValues } from "../../config/part-values.ts";
import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { L1CallCounts } from "../../l1/rpc/l1-call-counts.ts";
import { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import type { Logger } from "../../telemetry/logger.ts";

const TIMEOUT_MS = 10_000;
/** A call is retried only once, since the next poll asks L1 again. */
const RETRY_DELAYS_MS = [200];

interface DutyRpcOptions {
  values: Pick<PartValues["l1"], "urls" | "timeoutMs">;
  chainId: number;
  /** Aborts calls in progress and refuses later ones, with the signal's reason. */
  signal: AbortSignal;
  /** Counts the calls. */
  calls?: L1CallCounts;
  endpoints?: EndpointBook;
  logger: Logger;
}

/** L1 for a part whose duties end with a slot. */
export function dutyRpc({ values: { urls, timeoutMs = TIMEOUT_MS }, ...options }: DutyRpcOptions): L1Rpc {
  return new L1Rpc({ urls, timeoutMs, retryDelaysMs: RETRY_DELAYS_MS, ...options });
}
