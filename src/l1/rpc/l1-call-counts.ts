import { DistributionCounter } from "../../telemetry/metrics/distribution.ts";
import type { Distribution } from "../../telemetry/metrics/metrics.ts";
import { L1EndpointError, L1RpcError } from "../errors.ts";

/** Upper bounds of the time of a call, in seconds. */
export const L1_CALL_SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] as const;

/** What became of a call: an answer (a revert is one), or why there was none. */
export type L1CallOutcome =
  | "ok"
  | "rpc-error"
  | "rate-limited"
  | "unreachable"
  | "timeout"
  | "http-status"
  | "nonsense"
  | "behind"
  | "aborted";

/** Calls to one endpoint. */
interface EndpointCalls {
  /** Redacted URL. */
  readonly endpoint: string;
  readonly outcomes: ReadonlyMap<L1CallOutcome, number>;
  readonly seconds: Distribution;
}

/** Codes that providers give to calls above their limits (EIP-1474 and HTTP's 429). */
const LIMIT_CODES: readonly number[] = [-32005, 429];

/** Counts calls to L1 by endpoint, over all users of the endpoints. */
export class L1CallCounts {
  readonly #endpoints = new Map<string, { outcomes: Map<L1CallOutcome, number>; seconds: DistributionCounter }>();

  record(endpoint: string, outcome: L1CallOutcome, milliseconds: number): void {
    let calls = this.#endpoints.get(endpoint);
    if (calls === undefined) {
      calls = { outcomes: new Map(), seconds: new DistributionCounter(L1_CALL_SECONDS) };
      this.#endpoints.set(endpoint, calls);
    }
    calls.outcomes.set(outcome, (calls.outcomes.get(outcome) ?? 0) + 1);
    calls.seconds.record(milliseconds / 1000);
  }

  read(): EndpointCalls[] {
    return [...this.#endpoints].map(([endpoint, { outcomes, seconds }]) => ({
      endpoint,
      outcomes,
      seconds: seconds.read(),
    }));
  }
}

export function outcomeOf(error: unknown): L1CallOutcome {
  if (error instanceof L1EndpointError) return / 429$/.test(error.rule) ? "rate-limited" : error.kind;
  if (!(error instanceof L1RpcError)) return "aborted";
  return LIMIT_CODES.includes(error.code) ? "rate-limited" : "rpc-error";
}
